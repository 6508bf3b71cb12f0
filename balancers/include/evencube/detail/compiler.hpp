#pragma once

// What every compiler must have switched on, and how the libraries export.

#if __cplusplus < 202002L
#error "EvenCube is written in C++20: compile with -std=c++20 or newer"
#endif
#ifndef __cpp_exceptions
#error \
    "EvenCube needs exceptions, by which it tells errors and hands on those of tasks: compile without -fno-exceptions"
#endif

// The libraries are compiled with -fvisibility=hidden. Exported is what stands behind this word,
// and nothing else: each function and variable that a public header declares and a library defines,
// one by one, and whole classes where types must be the same in all libraries: those that are
// thrown and those that users derive from. Whole classes elsewhere would drag the types of their
// members along, and a region of a header would make users' libraries export what they instantiate
// of it. There is no other word for those who import, for no such thing exists on ELF; static
// libraries keep it, so that a program may offer its EvenCube to the libraries that it loads. What
// is exported is listed in packaging/abi.
#define EVENCUBE_EXPORT [[gnu::visibility("default")]]
