# Runs packaging/vcpkg/portfile.cmake as vcpkg would, with as much of vcpkg's functions as it calls: for one build type, with
# the system's packages in place of vcpkg's.
#   cmake -DPORTFILE=... -DFEATURES=hwloc;simulator -DWORK=folder -DBUILD=folder -DSHARED=OFF -DLAUNCHER=ccache -DCXX=g++ -P vcpkg_shim.cmake
cmake_minimum_required(VERSION 3.25)
set(PORT evencube)
set(CURRENT_PACKAGES_DIR "${WORK}/packages")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_FEATURE_OPTIONS" "FEATURES;INVERTED_FEATURES")
  set(options "")
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature variable)
    set(on OFF)
    if(feature IN_LIST FEATURES)
      set(on ON)
    endif()
    list(APPEND options "-D${variable}=${on}")
  endwhile()
  set(${arg_OUT_FEATURE_OPTIONS} "${options}" PARENT_SCOPE)
endfunction()

function(vcpkg_find_acquire_program name)
  find_program(${name} NAMES pkgconf pkg-config REQUIRED NO_CACHE)
  set(${name} "${${name}}" PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR NOT EXISTS "${arg_SOURCE_PATH}/CMakeLists.txt")
    message(FATAL_ERROR "vcpkg_cmake_configure: ${ARGV}")
  endif()
  run("${CMAKE_COMMAND}" -G Ninja -S "${arg_SOURCE_PATH}" -B "${BUILD}" -DCMAKE_BUILD_TYPE=Release
      "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" -DBUILD_SHARED_LIBS=${SHARED} -DCMAKE_INSTALL_LIBDIR=lib
      "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" "-DCMAKE_CXX_COMPILER=${CXX}" --no-warn-unused-cli
      -DCMAKE_ERROR_DEPRECATED=ON ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  run("${CMAKE_COMMAND}" --build "${BUILD}" --target install)
endfunction()

# It moves the files below share/, and corrects in them how far the prefix is.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PACKAGE_NAME;CONFIG_PATH" "")
  set(to "${CURRENT_PACKAGES_DIR}/share/${arg_PACKAGE_NAME}")
  file(MAKE_DIRECTORY "${CURRENT_PACKAGES_DIR}/share")
  file(RENAME "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}" "${to}")
  file(GLOB files "${to}/*.cmake")
  foreach(file ${files})
    file(READ "${file}" text)
    set(up "get_filename_component\\(_IMPORT_PREFIX \"\\\${_IMPORT_PREFIX}\" PATH\\)\n")
    string(REGEX REPLACE "(${up}${up})${up}" "\\1" text "${text}")
    string(REPLACE "{CMAKE_CURRENT_LIST_DIR}/../../../" "{CMAKE_CURRENT_LIST_DIR}/../../" text "${text}")
    file(WRITE "${file}" "${text}")
  endforeach()
endfunction()

function(vcpkg_fixup_pkgconfig)
  file(GLOB_RECURSE files "${CURRENT_PACKAGES_DIR}/*.pc")
  if(NOT files)
    message(FATAL_ERROR "no files of pkg-config")
  endif()
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(INSTALL ${arg_FILE_LIST} DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}" RENAME copyright)
endfunction()

include("${PORTFILE}")
