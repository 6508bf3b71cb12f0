# What only the developers' own build needs.
include(CTest)

# A second build of the same sources, in another folder too, is mostly a look-up.
find_program(EVENCUBE_CCACHE ccache)
mark_as_advanced(EVENCUBE_CCACHE)
if(EVENCUBE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Sloppiness: whether a precompiled header is older or newer than its text says nothing, its content does.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${EVENCUBE_CCACHE}")
endif()

include(EvenCubePrecompiled)
include(EvenCubeTests)
if(NOT CMAKE_CROSSCOMPILING)
  include(EvenCubeClients)
endif()
