# Toolchain of the preset windows: Debian's cross compiler for Windows, with the threads of the C++ standard library.
# `./dev test windows` builds GoogleTest for it into build/windows-packages; programs run under Wine. They are linked
# statically, so that Wine need not look for the compiler's libraries.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT "-lsynchronization") # for the header below
# Tests have more than 65536 sections, and use std::latch.
set(CMAKE_CXX_FLAGS_INIT "-Wa,-mbig-obj -include \"${CMAKE_CURRENT_LIST_DIR}/../tests/windows/atomic_wait.hpp\"")

# Debian's package has Wine in this folder, which is in no PATH.
find_program(EVENCUBE_WINE wine64 PATHS /usr/lib/wine)
get_filename_component(evencube_root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(CMAKE_CROSSCOMPILING_EMULATOR "python3;-B;${evencube_root}/tests/windows/run.py;${EVENCUBE_WINE}")

set(CMAKE_FIND_ROOT_PATH "${evencube_root}/build/windows-packages" /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
