# Headers that many files of a kind include, compiled once for all of them. Only developers' builds do so, and
# sources include what they use all the same: strangers' builds (tests/consumers) and clang-tidy read them
# without. CMAKE_DISABLE_PRECOMPILE_HEADERS switches it off.

# evencube_precompile(target headers...): for this target, and those that use its headers.
function(evencube_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  evencube_precompilation_options(${target})
endfunction()

# evencube_use_precompiled(target other)
function(evencube_use_precompiled target other)
  target_precompile_headers(${target} REUSE_FROM ${other})
  evencube_precompilation_options(${target})
endfunction()

# GCC forgets which of its warnings the standard library's own pragmas switch off (its bug 64117), and ccache
# asks for the rest.
function(evencube_precompilation_options target)
  target_compile_options(
    ${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess;-Wno-array-bounds;-Wno-stringop-overflow>
                      $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endfunction()

# What programs and tests read most of, by the time that it takes.
set(evencube_standard_headers
    <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <filesystem> <fstream> <functional> <map>
    <memory> <mutex> <numeric> <optional> <random> <set> <span> <sstream> <string> <string_view> <thread>
    <variant> <vector>)
