# Defines what `cmake --install` installs: libraries, headers, a CMake package, pkg-config files and, in a developer's
# build, the command-line program.
include(CMakePackageConfigHelpers)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/EvenCube")

# One prefix may hold static and shared libraries, from separate builds or from the build for packages, which makes
# both: the names of the files that differ contain the kind.
set(kinds static)
if(BUILD_SHARED_LIBS)
  set(kinds shared)
endif()
if(EVENCUBE_PACKAGES)
  set(kinds shared static)
endif()

# The version of the headers, for `#include <evencube/version.hpp>`.
set(generated_headers "${PROJECT_BINARY_DIR}/generated")
configure_file("${PROJECT_SOURCE_DIR}/cmake/version.hpp.in" "${generated_headers}/evencube/version.hpp" @ONLY)
target_sources(
  evencube_balancers PUBLIC FILE_SET generated TYPE HEADERS BASE_DIRS "${generated_headers}"
                            FILES "${generated_headers}/evencube/version.hpp")

# Builds the files that `cmake --install` installs, so that they can be built without everything else.
add_custom_target(evencube_installed)

# evencube_install(library set): installs a library in components, of which packages are made: what programs need to
# run, what is needed to build them, the command line, the documentation.
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
  if("static" IN_LIST kinds AND "shared" IN_LIST kinds)
    evencube_install_twin(${library} ${set}Static)
  endif()
endfunction()

# evencube_install_twin(library set): the static library with the objects of a shared library, under the same name. The
# objects can be shared, because objects for a static library may go into a shared library as well.
function(evencube_install_twin library set)
  set(twin ${library}_static)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    add_library(${twin} INTERFACE)
    get_target_property(links ${library} INTERFACE_LINK_LIBRARIES)
  else()
    add_library(${twin} STATIC $<TARGET_OBJECTS:${library}>)
    get_target_property(links ${library} LINK_LIBRARIES)
    set_target_properties(${twin} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME ${library})
  endif()
  get_target_property(export_name ${library} EXPORT_NAME)
  set_target_properties(${twin} PROPERTIES EXPORT_NAME ${export_name})
  get_target_property(options ${library} INTERFACE_LINK_OPTIONS)
  if(options)
    target_link_options(${twin} INTERFACE ${options})
  endif()
  target_compile_features(${twin} INTERFACE cxx_std_20)
  target_include_directories(${twin} INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  if(NOT links)
    set(links "") # of a library that links none there is no such property
  endif()
  foreach(link ${links})
    if(TARGET ${link})
      get_target_property(aliased ${link} ALIASED_TARGET)
      if(aliased)
        set(link ${aliased})
      endif()
    endif()
    if(link MATCHES "^evencube_")
      target_link_libraries(${twin} INTERFACE ${link}_static)
    elseif(NOT link MATCHES "BUILD_INTERFACE|::@")
      target_link_libraries(${twin} INTERFACE "$<LINK_ONLY:${link}>")
    endif()
  endforeach()
  install(TARGETS ${twin} EXPORT ${set} ARCHIVE COMPONENT development)
  add_dependencies(evencube_installed ${twin})
endfunction()

# evencube_install_source(library set): installs an interface library whose sources the program compiles.
function(evencube_install_source library set)
  install(TARGETS ${library} EXPORT ${set})
  if("static" IN_LIST kinds AND "shared" IN_LIST kinds)
    get_target_property(sources ${library} INTERFACE_SOURCES)
    get_target_property(export_name ${library} EXPORT_NAME)
    add_library(${library}_static INTERFACE)
    target_sources(${library}_static INTERFACE ${sources})
    target_link_libraries(${library}_static INTERFACE evencube_interop_static)
    set_target_properties(${library}_static PROPERTIES EXPORT_NAME ${export_name})
    install(TARGETS ${library}_static EXPORT ${set}Static)
  endif()
endfunction()

# evencube_export(set name): the file that CMake's package reads for the libraries of a set.
function(evencube_export set name)
  set(suffix "")
  foreach(kind ${kinds})
    install(EXPORT ${set}${suffix} FILE ${name}-${kind}.cmake NAMESPACE EvenCube:: DESTINATION "${package_folder}"
            COMPONENT development)
    set(suffix Static) # of the second kind, if there are two
  endforeach()
endfunction()

# Finds the packages that the folders of the libraries find for themselves.
find_package(Threads REQUIRED)
if(EVENCUBE_SIMULATOR)
  find_package(ZLIB REQUIRED)
endif()

foreach(library evencube_balancers evencube_runtime evencube_algorithms evencube_interop)
  evencube_install(${library} EvenCubeTargets)
endforeach()
# A library of one source, which the program compiles.
evencube_install_source(evencube_parallel_scheduler EvenCubeTargets)
install(FILES "${PROJECT_SOURCE_DIR}/interop/src/parallel_scheduler.cpp" DESTINATION "${CMAKE_INSTALL_DATADIR}/evencube"
        COMPONENT development)
# What gdb shows of programs. gdb loads it by itself with the shared library in /usr, under the name of that.
set(gdb_script "${PROJECT_SOURCE_DIR}/packaging/gdb/evencube.py")
install(FILES "${gdb_script}" DESTINATION "${CMAKE_INSTALL_DATADIR}/evencube" RENAME gdb.py COMPONENT development)
if("shared" IN_LIST kinds)
  install(FILES "${gdb_script}" DESTINATION "${CMAKE_INSTALL_DATADIR}/gdb/auto-load${CMAKE_INSTALL_FULL_LIBDIR}"
          RENAME "libevencube_runtime.so.${PROJECT_VERSION}-gdb.py" COMPONENT development)
endif()
# Folders with the names of another library's headers stand apart from the other headers.
foreach(folder as_tbb parallel_stl)
  set(installed "${CMAKE_INSTALL_INCLUDEDIR}/evencube/${folder}")
  target_include_directories(evencube_${folder} SYSTEM INTERFACE "$<INSTALL_INTERFACE:${installed}>")
  install(TARGETS evencube_${folder} EXPORT EvenCubeTargets)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/interop/${folder}/" DESTINATION "${installed}" COMPONENT development)
  if("static" IN_LIST kinds AND "shared" IN_LIST kinds)
    evencube_install_twin(evencube_${folder} EvenCubeTargetsStatic)
    target_include_directories(evencube_${folder}_static SYSTEM INTERFACE "$<INSTALL_INTERFACE:${installed}>")
  endif()
endforeach()
evencube_export(EvenCubeTargets EvenCube)
if(EVENCUBE_SIMULATOR)
  foreach(library evencube_trace evencube_simulator evencube_pages)
    evencube_install(${library} EvenCubeSimulatorTargets)
  endforeach()
  evencube_export(EvenCubeSimulatorTargets EvenCube-simulator)
endif()
if(TARGET evencube_cluster)
  evencube_install(evencube_cluster EvenCubeClusterTargets)
  evencube_export(EvenCubeClusterTargets EvenCube-cluster)
endif()
if(TARGET evencube_cli)
  install(TARGETS evencube_cli COMPONENT program)
  add_dependencies(evencube_installed evencube_cli evencube_manual)
  if(TARGET evencube_lab_page)
    add_dependencies(evencube_installed evencube_lab_page)
  endif()
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

# The user of a static library must link the libraries that it was built on.
foreach(EVENCUBE_KIND ${kinds})
  set(EVENCUBE_LINKS_HWLOC OFF)
  if(TARGET PkgConfig::HWLOC AND EVENCUBE_KIND STREQUAL "static")
    set(EVENCUBE_LINKS_HWLOC ON)
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/EvenCubeNeeds.cmake.in"
                 "${PROJECT_BINARY_DIR}/EvenCube-needs-${EVENCUBE_KIND}.cmake" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/EvenCube-needs-${EVENCUBE_KIND}.cmake" DESTINATION "${package_folder}"
          COMPONENT development)
endforeach()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/EvenCubeConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/EvenCubeConfig.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/EvenCubeConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/EvenCubeConfig.cmake" "${PROJECT_BINARY_DIR}/EvenCubeConfigVersion.cmake"
        DESTINATION "${package_folder}" COMPONENT development)

# pkg-config files, for the shared libraries if both kinds are built. With static libraries alone, every user needs
# their dependencies, not only users of --static, which is for static libraries installed next to shared ones.
set(pc_requires "")
set(pc_requires_private "")
set(pc_simulator_requires "")
set(pc_simulator_requires_private "zlib")
if(TARGET PkgConfig::HWLOC)
  set(pc_requires_private "hwloc >= 2.1")
endif()
if(NOT "shared" IN_LIST kinds)
  set(pc_requires "${pc_requires_private}")
  set(pc_requires_private "")
  set(pc_simulator_requires "zlib")
  set(pc_simulator_requires_private "")
endif()
set(pc_files evencube)
if(EVENCUBE_SIMULATOR)
  list(APPEND pc_files evencube-simulator evencube-pages)
endif()
file(RELATIVE_PATH pc_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
foreach(file ${pc_files})
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${file}.pc.in" "${PROJECT_BINARY_DIR}/${file}.pc.in" @ONLY)
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/${file}.pc" INPUT "${PROJECT_BINARY_DIR}/${file}.pc.in")
  install(FILES "${PROJECT_BINARY_DIR}/${file}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
endforeach()
