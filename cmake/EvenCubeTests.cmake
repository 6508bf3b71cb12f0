# How every test is added: its kind, its lane, its deadline.

# What a build for a sanitizer has to build: the tests of libraries, those of them that run no two threads at once, and those
# that do.
add_custom_target(evencube_sanitized_tests)
add_custom_target(evencube_sequential_tests)
add_custom_target(evencube_concurrent_tests)

# evencube_add_test(name LABELS labels... [TIMEOUT seconds] [COST seconds] [ONLY_IN_ALL reason] COMMAND words...)
# The kind is one of the labels: `unit`, `property`, `concurrent` and `cli` test what the libraries and the command line
# do, and belong to the lane of `./dev test`; `bench`, `consumer`, `readme` and `lint` belong to that of `./dev test all`, and
# so does what is ONLY_IN_ALL for the reason given. The lane is a label, too: lane.test or lane.all. What has a COST, because
# it takes long, begins early.
function(evencube_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT;COST;ONLY_IN_ALL" "LABELS;COMMAND")
  set(lane lane.all)
  if(arg_LABELS MATCHES "(^|;)(unit|property|concurrent|cli)(;|$)" AND NOT arg_ONLY_IN_ALL)
    set(lane lane.test)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS};${lane}" TIMEOUT ${arg_TIMEOUT})
  if(arg_COST)
    set_tests_properties(${name} PROPERTIES COST ${arg_COST})
  endif()
endfunction()

# The libraries are optimised as for users either way.
set(EVENCUBE_TEST_OPTIMISATION -O1 CACHE STRING "How the code of tests is optimised in a release build")

# evencube_test_code(target [FAST]): how the code of tests is compiled, which takes longer than all else. For a
# sanitizer it is not optimised (the libraries are), for that takes half of the time and the tests do not run
# for long. Else it is optimised a little or as asked for; FAST: a little in any case, for what runs for long, such as the
# explorer.
function(evencube_test_code target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FAST" "" "")
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(${target} PRIVATE -O0)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Release" AND arg_FAST)
    target_compile_options(${target} PRIVATE -O1)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE ${EVENCUBE_TEST_OPTIMISATION})
  endif()
endfunction()

# evencube_test(name SOURCES files... [LIBRARIES libraries...] [LABELS labels...] [TIMEOUT seconds] [COST seconds]
#               [PARTS number] [UNITED] [UNSANITIZED] [COMPUTES] [ONLY_IN_ALL reason])
# A GoogleTest program, run in one process or in PARTS of them with the cases shared out. What it prints names the case that
# failed. Its kind (see evencube_add_test) is `unit` where none is given.
# What COMPUTES for long is optimised under a sanitizer, too; what is UNITED see evencube_unite.
# What is ONLY_IN_ALL is built for that lane alone.
# Neither `cli`, which tests another program from outside, nor what is UNSANITIZED is built for a sanitizer.
function(evencube_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNITED;UNSANITIZED;COMPUTES" "TIMEOUT;COST;PARTS;ONLY_IN_ALL" "SOURCES;LIBRARIES;LABELS")
  set(lane "")
  if(arg_ONLY_IN_ALL)
    if(NOT EVENCUBE_TEST_EVERYTHING)
      return()
    endif()
    set(lane ONLY_IN_ALL "${arg_ONLY_IN_ALL}")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 900)
  endif()
  if(NOT arg_COST)
    set(arg_COST 0)
  endif()
  if(NOT arg_LABELS MATCHES "(^|;)(unit|property|concurrent|cli|bench)(;|$)")
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
    if(arg_UNSANITIZED OR arg_COMPUTES)
      set(fast FAST)
      set(headers evencube_fast_test_headers)
    endif()
    evencube_test_code(${name} ${fast})
    evencube_use_precompiled(${name} ${headers})
  endif()
  if(NOT arg_UNSANITIZED AND NOT "cli" IN_LIST arg_LABELS)
    add_dependencies(evencube_sanitized_tests ${name})
    if(NOT "concurrent" IN_LIST arg_LABELS)
      add_dependencies(evencube_sequential_tests ${name})
    endif()
  endif()
  if("concurrent" IN_LIST arg_LABELS)
    add_dependencies(evencube_concurrent_tests ${name})
  endif()
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" AND (arg_UNSANITIZED OR "cli" IN_LIST arg_LABELS))
    return() # it is not built
  endif()
  if(NOT arg_PARTS)
    evencube_add_test(${name} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT} COST ${arg_COST} ${lane} COMMAND ${name})
    return()
  endif()
  foreach(part RANGE 1 ${arg_PARTS})
    math(EXPR index "${part} - 1")
    evencube_add_test(${name}.part_${part} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT} COST ${arg_COST} ${lane} COMMAND ${name})
    set_tests_properties(${name}.part_${part} PROPERTIES
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${arg_PARTS};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
