# What `cmake --install` lays down: libraries, headers, a CMake package, a pkg-config file and, in a
# developer's build, the command-line program.
include(CMakePackageConfigHelpers)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/EvenCube")

# The version of the headers, for `#include <evencube/version.hpp>`.
set(generated_headers "${PROJECT_BINARY_DIR}/generated")
configure_file("${PROJECT_SOURCE_DIR}/cmake/version.hpp.in" "${generated_headers}/evencube/version.hpp" @ONLY)
target_sources(
  evencube_balancers PUBLIC FILE_SET generated TYPE HEADERS BASE_DIRS "${generated_headers}"
                            FILES "${generated_headers}/evencube/version.hpp")

# In parts, of which packages are made: what programs need to run, what they need to be built, the command line, the
# documentation.
foreach(library evencube_balancers evencube_runtime evencube_algorithms evencube_interop)
  set(more_headers "")
  if(library STREQUAL "evencube_balancers")
    set(more_headers FILE_SET generated COMPONENT development)
  elseif(library STREQUAL "evencube_interop")
    set(more_headers FILE_SET foreign COMPONENT development)
  endif()
  install(
    TARGETS ${library}
    EXPORT EvenCubeTargets
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development
    FILE_SET HEADERS COMPONENT development ${more_headers})
endforeach()
install(EXPORT EvenCubeTargets NAMESPACE EvenCube:: DESTINATION "${package_folder}" COMPONENT development)
if(TARGET evencube_cli)
  install(TARGETS evencube_cli COMPONENT program)
  install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
          COMPONENT documentation)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
          COMPONENT documentation PATTERN CMakeLists.txt EXCLUDE)
endif()

# A static library leaves it to its user to link what it was built on.
set(EVENCUBE_LINKS_HWLOC OFF)
if(TARGET PkgConfig::HWLOC AND NOT BUILD_SHARED_LIBS)
  set(EVENCUBE_LINKS_HWLOC ON)
endif()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/EvenCubeConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/EvenCubeConfig.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/EvenCubeConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/EvenCubeConfig.cmake" "${PROJECT_BINARY_DIR}/EvenCubeConfigVersion.cmake"
        DESTINATION "${package_folder}" COMPONENT development)

# pkg-config. There is only one kind of library in an installation; where it is the static one,
# everybody needs its dependencies, not only those who ask with --static.
set(pc_requires "")
set(pc_requires_private "")
if(EVENCUBE_LINKS_HWLOC)
  set(pc_requires "hwloc >= 2.1")
elseif(TARGET PkgConfig::HWLOC)
  set(pc_requires_private "hwloc >= 2.1")
endif()
file(RELATIVE_PATH pc_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/evencube.pc.in" "${PROJECT_BINARY_DIR}/evencube.pc.in" @ONLY)
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/evencube.pc" INPUT "${PROJECT_BINARY_DIR}/evencube.pc.in")
install(FILES "${PROJECT_BINARY_DIR}/evencube.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
