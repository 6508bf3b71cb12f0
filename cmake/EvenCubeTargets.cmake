# How every target of the project is made: one place for the standard, the warnings and the names.

# The developer's own build treats warnings as errors; a stranger who embeds EvenCube does not.
function(evencube_warnings target)
  if(EVENCUBE_DEVELOPER)
    target_compile_options(
      ${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
                        -Wold-style-cast -Woverloaded-virtual -Wcast-align -Werror)
  endif()
endfunction()

# evencube_library(name SOURCES files... [PUBLIC libraries...] [PRIVATE libraries...])
# A static (or, with BUILD_SHARED_LIBS, shared) library of the folder it is called from, whose public
# headers stand in include/ and whose private ones in src/. Also known as EvenCube::<export name>.
function(evencube_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXPORT_NAME" "SOURCES;PUBLIC;PRIVATE")
  add_library(${name} ${arg_SOURCES})
  add_library(EvenCube::${arg_EXPORT_NAME} ALIAS ${name})
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
                                           EXPORT_NAME ${arg_EXPORT_NAME})
  target_include_directories(
    ${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  evencube_warnings(${name})
endfunction()

# evencube_program(name SOURCES files... [LIBRARIES libraries...])
function(evencube_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  evencube_warnings(${name})
endfunction()

# evencube_test(name SOURCES files... [LIBRARIES libraries...] [LABELS labels...])
# A GoogleTest program that ctest runs case by case, with a deadline.
function(evencube_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LIBRARIES;LABELS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)  # an empty value would vanish on its way to ctest and take TIMEOUT for the label
  endif()
  evencube_program(${name} SOURCES ${arg_SOURCES} LIBRARIES ${arg_LIBRARIES} GTest::gmock_main)
  include(GoogleTest)
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()
