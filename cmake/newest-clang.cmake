# Toolchain of the presets that need a recent clang: the sanitizers of clang 19 know the address
# layouts of newer kernels, those of older ones may refuse to start there. Takes the newest installed.
find_program(EVENCUBE_NEWEST_CLANG NAMES clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++-16
                                         clang++-15 clang++-14 clang++ REQUIRED)
set(CMAKE_CXX_COMPILER "${EVENCUBE_NEWEST_CLANG}")
