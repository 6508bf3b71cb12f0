#pragma once

// What every compiler must have switched on, and how the libraries export symbols.

#if __cplusplus < 202002L
#error "EvenCube is written in C++20: compile with -std=c++20 or newer"
#endif
#ifndef __cpp_exceptions
#error \
    "EvenCube needs exceptions, by which it tells errors and hands on those of tasks: compile without -fno-exceptions"
#endif

// The libraries are compiled with -fvisibility=hidden. They export only what is marked with this
// word: each function and variable that a public header declares and a library defines, one by one,
// and whole classes if their types must be the same in all libraries (types that are thrown, and
// those from which users derive). Other whole classes would export the types of their members, too.
// A region of a header would make users' libraries export what they instantiate of it. There is no
// second word for importing, because ELF needs none. Static libraries keep the word, so that a
// program may offer its EvenCube to the libraries that it loads. packaging/abi lists what is
// exported.
#define EVENCUBE_EXPORT [[gnu::visibility("default")]]
