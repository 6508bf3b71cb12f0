# Completions, by the program itself, and manual pages, by help2man from --help, as below a prefix's share/.
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

# `page NAME COMMAND ABOUT`: help2man takes the name of the page from that of what it runs, and that from a shell, without
# quotes: so it is started beside it.
function(page name command about)
  file(WRITE "${SHARE}.made/${name}" "#!/bin/sh\nexec \"$EVENCUBE_OF_PAGE\" ${command} \"$@\"\n")
  file(CHMOD "${SHARE}.made/${name}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "EVENCUBE_OF_PAGE=${PROGRAM}" "${HELP2MAN}" --no-info "--name=${about}"
            "--version-string=${VERSION}" "--include=${INCLUDED}" "./${name}"
    WORKING_DIRECTORY "${SHARE}.made"
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  # Examples, at the end of each text, are lines of their own.
  string(REGEX REPLACE "(Examples?:\n)\\.IP\n(([^.\n][^\n]*\n)+)" "\\1.IP\n.nf\n\\2.fi\n" text "${text}")
  file(WRITE "${SHARE}/man/man1/${name}.1" "${text}")
endfunction()

page(evencube "" "tasks on a hypercube of workers, and plans where work goes")
evencube_says(commands __complete "")
string(REPLACE ";" "," commands "${commands}")
string(REGEX MATCHALL "[a-z]+\t[^\n]+" commands "${commands}")
foreach(line IN LISTS commands)
  string(REGEX MATCH "^([a-z]+)\t(.*)$" line "${line}")
  page(evencube-${CMAKE_MATCH_1} ${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
endforeach()
