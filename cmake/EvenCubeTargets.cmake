# How every target of the project is made: one place for the standard, the warnings and the names.

option(EVENCUBE_WARNINGS_AS_ERRORS "Stop at a warning, for developers of EvenCube and its continuous integration" OFF)

# Warnings are for developers, and errors only where that is asked for: the next compiler has others. Builds for packages
# have none: compiled as the users of the library compile it (tests/consumers), most of it is in ccache already.
function(evencube_warnings target)
  if(EVENCUBE_DEVELOPER AND NOT EVENCUBE_PACKAGES)
    target_compile_options(
      ${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
                        -Wold-style-cast -Woverloaded-virtual -Wcast-align)
    if(EVENCUBE_WARNINGS_AS_ERRORS)
      target_compile_options(${target} PRIVATE -Werror)
    endif()
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

option(EVENCUBE_UNITY "Compile several sources of a library at a time: twice as quick where all of it is to be compiled" ON)

# evencube_unite(target [ALWAYS] [ALONE sources...]): where that is wished, or ALWAYS where the headers take longer to
# read than the sources, all but those ALONE, which use a name for what is another thing elsewhere. Whether a source
# includes what it uses is seen by clang-tidy and in builds with the option OFF.
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
