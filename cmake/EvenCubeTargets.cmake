# How every target of the project is made: one place for the standard, the warnings and the names.

# The developer's own build treats warnings as errors; a stranger who embeds EvenCube does not. Nor do the builds for
# packages: compiled as strangers compile it (tests/consumers), most of it is in ccache already.
function(evencube_warnings target)
  if(EVENCUBE_DEVELOPER AND NOT EVENCUBE_PACKAGES)
    target_compile_options(
      ${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
                        -Wold-style-cast -Woverloaded-virtual -Wcast-align -Werror)
    # GCC 12 sees overlapping copies in every inlined assignment of a literal to a string (its bug 105651).
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      target_compile_options(${target} PRIVATE -Wno-restrict)
    endif()
    # libstdc++ 12 calls its own deprecated get_temporary_buffer in std::stable_sort, and newer clangs say so.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
      target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
    endif()
  endif()
endfunction()

option(EVENCUBE_UNITY "Compile several sources of a library at a time: quicker where all of it is to be compiled" OFF)

# evencube_unite(target [ALWAYS] [ALONE sources...]): where that is wished, or ALWAYS where the headers take longer to
# read than the sources, all but those ALONE, which use a name for what is another thing elsewhere. Whether a source
# includes what it uses is seen in other builds.
function(evencube_unite target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ALWAYS" "" "ALONE")
  if(EVENCUBE_UNITY OR arg_ALWAYS)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

set(evencube_exports "${CMAKE_CURRENT_LIST_DIR}/exports.map")

# evencube_library(name [INTERNAL] [SOURCES files...] [PUBLIC libraries...] [PRIVATE libraries...] [FOREIGN headers...])
# A static (or, with BUILD_SHARED_LIBS and not INTERNAL, shared) library of the folder it is called from, whose public
# headers stand in include/ and whose private ones in src/; without SOURCES, one of headers alone, of which those
# that are FOREIGN include headers of libraries that may not be there: they do not compile by themselves.
# Also known as EvenCube::<export name>.
function(evencube_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INTERNAL" "EXPORT_NAME" "SOURCES;PUBLIC;PRIVATE;FOREIGN")
  list(TRANSFORM arg_FOREIGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/include/*.hpp")
  if(NOT arg_SOURCES)
    add_library(${name} INTERFACE)
    add_library(EvenCube::${arg_EXPORT_NAME} ALIAS ${name})
    target_compile_features(${name} INTERFACE cxx_std_20)
    if(arg_FOREIGN)
      list(REMOVE_ITEM headers ${arg_FOREIGN})
      target_sources(${name} INTERFACE FILE_SET foreign TYPE HEADERS BASE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}/include"
                                       FILES ${arg_FOREIGN})
    endif()
    target_sources(${name} INTERFACE FILE_SET HEADERS BASE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}/include" FILES ${headers})
    target_link_libraries(${name} INTERFACE ${arg_PUBLIC})
    set_target_properties(${name} PROPERTIES EXPORT_NAME ${arg_EXPORT_NAME} INTERFACE_HEADER_SETS_TO_VERIFY HEADERS
                                             VERIFY_INTERFACE_HEADER_SETS ${EVENCUBE_DEVELOPER})
    return()
  endif()
  set(kind "")
  if(arg_INTERNAL)
    set(kind STATIC)
  endif()
  add_library(${name} ${kind} ${arg_SOURCES})
  add_library(EvenCube::${arg_EXPORT_NAME} ALIAS ${name})
  target_compile_features(${name} PUBLIC cxx_std_20)
  # Before 1.0 every minor version is another interface. The libraries stand side by side wherever
  # they are installed, so that one finds the other.
  set_target_properties(
    ${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON EXPORT_NAME ${arg_EXPORT_NAME}
                       VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                       INSTALL_RPATH "$ORIGIN" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                       DEFINE_SYMBOL "") # nothing asks for it, and without it both kinds are compiled alike, for ccache
  # Of a shared library only what is marked as its interface (evencube/detail/compiler.hpp); what it instantiates of
  # the standard library's templates, which are marked there, is kept in by the linker.
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    target_link_options(${name} PRIVATE "LINKER:--version-script=${evencube_exports}")
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${evencube_exports}")
  endif()
  # Unique symbols would keep a library that this one is linked into from being unloaded.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}/include" FILES ${headers})
  target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src")
  target_link_libraries(${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  # Every public header must compile by itself, as its first and only include.
  set_target_properties(${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ${EVENCUBE_DEVELOPER})
  evencube_warnings(${name})
  if(EVENCUBE_DEVELOPER AND NOT EVENCUBE_PACKAGES)
    evencube_precompile(${name} ${evencube_standard_headers})
  endif()
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

# What a build for a sanitizer has to build: the tests of libraries, and those that run several threads at once.
add_custom_target(evencube_sanitized_tests)
add_custom_target(evencube_concurrent_tests)

# evencube_test_code(target [FAST]): how the code of tests is compiled, which takes longer than all else. For a
# sanitizer it is not optimised (the libraries are), for that takes half of the time and the tests do not run
# for long. Else it is optimised a little; FAST: as in users' programs, for threads are to meet as they do
# there, and the explorer has much to do.
function(evencube_test_code target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FAST" "" "")
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(${target} PRIVATE -O0)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT arg_FAST)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# evencube_test(name SOURCES files... [LIBRARIES libraries...] [LABELS labels...] [TIMEOUT seconds]
#               [TOGETHER parts] [UNITED] [UNSANITIZED] [COMPUTES])
# A GoogleTest program that ctest runs case by case, each with a deadline of its own; or, where the cases
# are many and short, TOGETHER: in so many processes, for under a sanitizer a process takes longer to start
# than such a case to run. What it prints names the case that failed. Its kind is one of the labels
# `unit` (taken where none is given), `property`, `concurrent` and `cli`; others may stand beside it.
# What COMPUTES for long is optimised under a sanitizer, too; what is UNITED see evencube_unite.
# Neither `cli`, which tests another program from outside, nor what is UNSANITIZED is built for a sanitizer.
function(evencube_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNITED;UNSANITIZED;COMPUTES" "TIMEOUT;TOGETHER" "SOURCES;LIBRARIES;LABELS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
    if(arg_TOGETHER)
      set(arg_TIMEOUT 900)
    endif()
  endif()
  if(NOT arg_LABELS MATCHES "(^|;)(unit|property|concurrent|cli)(;|$)")
    list(APPEND arg_LABELS unit)
  endif()
  evencube_program(${name} SOURCES ${arg_SOURCES} LIBRARIES ${arg_LIBRARIES} GTest::gmock_main)
  if(arg_UNITED)
    evencube_unite(${name} ALWAYS)
  endif()
  # What computes is optimised under a sanitizer as the libraries are, for which no headers are precompiled.
  if(NOT (arg_COMPUTES AND CMAKE_CXX_FLAGS MATCHES "-fsanitize"))
    set(fast "")
    set(headers evencube_test_headers)
    if("concurrent" IN_LIST arg_LABELS OR arg_UNSANITIZED)
      set(fast FAST)
      set(headers evencube_fast_test_headers)
    endif()
    evencube_test_code(${name} ${fast})
    evencube_use_precompiled(${name} ${headers})
  endif()
  if(NOT arg_UNSANITIZED AND NOT "cli" IN_LIST arg_LABELS)
    add_dependencies(evencube_sanitized_tests ${name})
  endif()
  if("concurrent" IN_LIST arg_LABELS)
    add_dependencies(evencube_concurrent_tests ${name})
  endif()
  if(arg_TOGETHER)
    foreach(part RANGE 1 ${arg_TOGETHER})
      math(EXPR index "${part} - 1")
      add_test(NAME ${name}.part_${part} COMMAND ${name})
      set_tests_properties(${name}.part_${part} PROPERTIES
        LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${arg_TOGETHER};GTEST_SHARD_INDEX=${index}")
    endforeach()
    return()
  endif()
  include(GoogleTest)
  # CMake reads the list of labels anew four times on its way into ctest's file, and each time takes
  # half of what protects the semicolon.
  string(REPLACE ";" [[\\\\\\\\;]] labels "${arg_LABELS}")
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS "${labels}" TIMEOUT ${arg_TIMEOUT})
endfunction()
