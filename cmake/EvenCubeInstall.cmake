# What `cmake --install` lays down: libraries, headers, a CMake package, pkg-config files and, in a
# developer's build, the command-line program.
include(CMakePackageConfigHelpers)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/EvenCube")

# Static and shared libraries may stand in one prefix, each installed from a build of its own: the files that differ have
# the kind in their names.
set(EVENCUBE_KIND static)
if(BUILD_SHARED_LIBS)
  set(EVENCUBE_KIND shared)
endif()

# The version of the headers, for `#include <evencube/version.hpp>`.
set(generated_headers "${PROJECT_BINARY_DIR}/generated")
configure_file("${PROJECT_SOURCE_DIR}/cmake/version.hpp.in" "${generated_headers}/evencube/version.hpp" @ONLY)
target_sources(
  evencube_balancers PUBLIC FILE_SET generated TYPE HEADERS BASE_DIRS "${generated_headers}"
                            FILES "${generated_headers}/evencube/version.hpp")

# What `cmake --install` looks for, so that it can be built without all else.
add_custom_target(evencube_installed)

# evencube_install(library set): in parts, of which packages are made: what programs need to run, what they need to be built,
# the command line, the documentation.
function(evencube_install library set)
  set(more_headers "")
  if(library STREQUAL "evencube_balancers")
    set(more_headers FILE_SET generated COMPONENT development)
  elseif(library STREQUAL "evencube_interop")
    set(more_headers FILE_SET foreign COMPONENT development)
  endif()
  install(
    TARGETS ${library}
    EXPORT ${set}
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development
    FILE_SET HEADERS COMPONENT development ${more_headers})
  add_dependencies(evencube_installed ${library})
endfunction()

foreach(library evencube_balancers evencube_runtime evencube_algorithms evencube_interop)
  evencube_install(${library} EvenCubeTargets)
endforeach()
install(EXPORT EvenCubeTargets FILE EvenCube-${EVENCUBE_KIND}.cmake NAMESPACE EvenCube:: DESTINATION "${package_folder}"
        COMPONENT development)
if(EVENCUBE_SIMULATOR)
  foreach(library evencube_trace evencube_simulator)
    evencube_install(${library} EvenCubeSimulatorTargets)
  endforeach()
  install(EXPORT EvenCubeSimulatorTargets FILE EvenCube-simulator-${EVENCUBE_KIND}.cmake NAMESPACE EvenCube::
          DESTINATION "${package_folder}" COMPONENT development)
endif()
if(TARGET evencube_cluster)
  evencube_install(evencube_cluster EvenCubeClusterTargets)
  install(EXPORT EvenCubeClusterTargets FILE EvenCube-cluster-${EVENCUBE_KIND}.cmake NAMESPACE EvenCube::
          DESTINATION "${package_folder}" COMPONENT development)
endif()
if(TARGET evencube_cli)
  install(TARGETS evencube_cli COMPONENT program)
  add_dependencies(evencube_installed evencube_cli evencube_pages)
endif()
if(TARGET evencube_ranks)
  install(TARGETS evencube_ranks COMPONENT cluster)
  add_dependencies(evencube_installed evencube_ranks)
endif()
if(EVENCUBE_DEVELOPER)
  install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
          COMPONENT documentation)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
          COMPONENT documentation PATTERN CMakeLists.txt EXCLUDE)
endif()

# A static library leaves it to its user to link what it was built on.
set(EVENCUBE_LINKS_HWLOC OFF)
if(TARGET PkgConfig::HWLOC AND EVENCUBE_KIND STREQUAL "static")
  set(EVENCUBE_LINKS_HWLOC ON)
endif()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/EvenCubeConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/EvenCubeConfig.cmake" INSTALL_DESTINATION "${package_folder}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/EvenCubeNeeds.cmake.in"
               "${PROJECT_BINARY_DIR}/EvenCube-needs-${EVENCUBE_KIND}.cmake" @ONLY)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/EvenCubeConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/EvenCubeConfig.cmake" "${PROJECT_BINARY_DIR}/EvenCubeConfigVersion.cmake"
              "${PROJECT_BINARY_DIR}/EvenCube-needs-${EVENCUBE_KIND}.cmake"
        DESTINATION "${package_folder}" COMPONENT development)

# pkg-config. Where the libraries are static, everybody needs their dependencies, not only those who ask with --static,
# which is for static libraries that stand beside shared ones.
set(pc_requires "")
set(pc_requires_private "")
set(pc_simulator_requires "")
set(pc_simulator_requires_private "")
if(EVENCUBE_LINKS_HWLOC)
  set(pc_requires "hwloc >= 2.1")
elseif(TARGET PkgConfig::HWLOC)
  set(pc_requires_private "hwloc >= 2.1")
endif()
if(EVENCUBE_KIND STREQUAL "static")
  set(pc_simulator_requires "zlib")
else()
  set(pc_simulator_requires_private "zlib")
endif()
set(pc_files evencube)
if(EVENCUBE_SIMULATOR)
  list(APPEND pc_files evencube-simulator)
endif()
# In packages pkg-config is for the shared libraries. Both builds must not install files of one name: the later one would not
# replace what is as old, to the second.
if(EVENCUBE_PACKAGES AND NOT BUILD_SHARED_LIBS)
  set(pc_files "")
endif()
file(RELATIVE_PATH pc_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
foreach(file ${pc_files})
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${file}.pc.in" "${PROJECT_BINARY_DIR}/${file}.pc.in" @ONLY)
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/${file}.pc" INPUT "${PROJECT_BINARY_DIR}/${file}.pc.in")
  install(FILES "${PROJECT_BINARY_DIR}/${file}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
endforeach()
