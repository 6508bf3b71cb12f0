# Makes the files below a prefix's share/: completions, which the program prints itself, and manual pages, which
# help2man makes from --help.
# cmake -D PROGRAM=... -D VERSION=... -D HELP2MAN=... -D INCLUDED=... -D SHARE=... -P manual_pages.cmake
function(evencube_says output)
  execute_process(COMMAND "${PROGRAM}" ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

set(bash bash-completion/completions/evencube)
set(zsh zsh/site-functions/_evencube)
set(fish fish/vendor_completions.d/evencube.fish)
foreach(shell bash zsh fish)
  evencube_says(script completion ${shell})
  file(WRITE "${SHARE}/${${shell}}" "${script}")
endforeach()
if(NOT HELP2MAN)
  return()
endif()

# `page NAME COMMAND ABOUT` makes one manual page. help2man names the page after the program that it runs, and starts
# the program through a shell without quotes. So each page has a script of its name, and help2man runs in the folder of
# the script.
function(page name command about)
  file(WRITE "${SHARE}.made/${name}" "#!/bin/sh\nexec \"$EVENCUBE_OF_PAGE\" ${command} \"$@\"\n")
  file(CHMOD "${SHARE}.made/${name}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  # A page has no room to save: it has the options of every workload.
  evencube_says(help ${command} --help)
  set(all)
  if(help MATCHES "--help-all")
    set(all --help-option=--help-all)
  endif()
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "EVENCUBE_OF_PAGE=${PROGRAM}" "${HELP2MAN}" --no-info ${all} "--name=${about}"
            "--version-string=${VERSION}" "--include=${INCLUDED}" "./${name}"
    WORKING_DIRECTORY "${SHARE}.made"
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  # Each example at the end of a text has a line of its own.
  string(REGEX REPLACE "(Examples?:\n)\\.IP\n(([^.\n][^\n]*\n)+)" "\\1.IP\n.nf\n\\2.fi\n" text "${text}")
  file(WRITE "${SHARE}/man/man1/${name}.1" "${text}")
endfunction()

page(evencube ""
     "runs tasks on pinned workers that form a hypercube, and plans the moves of tasks instead of stealing at random")
evencube_says(commands __complete "")
string(REPLACE ";" "," commands "${commands}")
string(REGEX MATCHALL "[a-z]+\t[^\n]+" commands "${commands}")
foreach(line IN LISTS commands)
  string(REGEX MATCH "^([a-z]+)\t(.*)$" line "${line}")
  page(evencube-${CMAKE_MATCH_1} ${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
endforeach()
