# Debian packages, made by `./dev package` in the build of the preset `packages`, which makes shared and static libraries of
# the same objects: libevencube0 has the shared libraries, libevencube-dev what programs are built with, evencube the command
# line, evencube-doc the documentation.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME evencube)
set(CPACK_PACKAGE_VENDOR EvenCube)
set(CPACK_PACKAGE_CONTACT "EvenCube's developers <evencube@localhost>")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Libraries of the packages themselves are not installed while these are made.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/balancers" "${PROJECT_BINARY_DIR}/runtime"
    "${PROJECT_BINARY_DIR}/trace" "${PROJECT_BINARY_DIR}/simulator")
set(CPACK_COMPONENTS_ALL runtime development program documentation)
# The preset compiles with -g1, so that a debugger, a profiler or a sanitizer names the library's frames and their lines.
set(CPACK_STRIP_FILES OFF)

set(same_version "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libevencube0)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "task runtime that plans where work goes: shared libraries
 Worker threads form a hypercube, and balancers plan which tasks move where. With the simulator of machines, and the
 reader of recordings, which take zlib.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/triggers")
file(WRITE "${PROJECT_BINARY_DIR}/triggers" "activate-noawait ldconfig\n")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libevencube-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# What the static libraries are built on; pkg-config asks for it for the shared ones, too.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libevencube0 ${same_version}, zlib1g-dev")
if(TARGET PkgConfig::HWLOC)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libhwloc-dev (>= 2.1)")
endif()
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "task runtime that plans where work goes: to build programs with
 Headers, static libraries, a CMake package and pkg-config files.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME evencube)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libevencube0 ${same_version}")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "task runtime that plans where work goes: command line
 Runs workloads, measures speed-up, looks at recorded runs, plans and simulates.")

set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME evencube-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_DOCUMENTATION_DESCRIPTION "task runtime that plans where work goes: documentation
 Guides, the contract, and examples.")

# Every package says under which licence it stands.
foreach(part runtime development program documentation)
  string(TOUPPER ${part} upper)
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}"
          RENAME copyright COMPONENT ${part})
endforeach()
include(CPack)
