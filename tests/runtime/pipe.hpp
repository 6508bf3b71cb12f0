#pragma once

// A pipe, as two descriptors of the C library.

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#else
#include <unistd.h>
#endif

namespace evencube::test {

#if defined(_WIN32)
inline int make_pipe(int* ends) { return ::_pipe(ends, 4096, _O_BINARY); }
#else
inline int make_pipe(int* ends) { return ::pipe(ends); }
#endif

}  // namespace evencube::test
