# What find_package(TBB) finds in place of oneTBB: EvenCube, as built in EVENCUBE_BUILD. Containers are
# those of Debian's oneTBB, whose headers come after EvenCube's.
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)
add_library(TBB::tbb INTERFACE IMPORTED)
target_include_directories(
  TBB::tbb INTERFACE "${root}/interop/as_tbb" "${root}/interop/include" "${root}/algorithms/include"
                     "${root}/runtime/include" "${root}/balancers/include" "${EVENCUBE_BUILD}/generated")
# EvenCube needs exceptions. This comes after the program's own options.
target_compile_options(TBB::tbb INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fexceptions>)
target_link_libraries(
  TBB::tbb INTERFACE "${EVENCUBE_BUILD}/runtime/libevencube_runtime.a"
                     "${EVENCUBE_BUILD}/balancers/libevencube_balancers.a" hwloc tbb)
