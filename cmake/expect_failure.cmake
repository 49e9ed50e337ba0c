# cmake -DPROGRAM=... [-DARGUMENTS=...] -DKIND=values|budget|...|any [-DSAYS=...]
#   -P expect_failure.cmake
# Succeeds if PROGRAM exits with 1 and says `kind: KIND`, or exits with check mode's 86 and says
# `error: KIND:` or `kind: KIND`, and says SAYS: it failed, and for the reason expected. Most do with
# their first failure or finding, and are stopped there; the others run to their end.
set(kind "${KIND}")
if(KIND STREQUAL "any")
  set(kind "[a-z-]+")
endif()

# `fault`: what is wrong with how it ended, and what it said; empty if nothing is.
function(run_to_failure fault)
  execute_process(COMMAND "${PROGRAM}" ${ARGUMENTS} ${ARGN} RESULT_VARIABLE status
    OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT 3000)
  set(problem "")
  set(expected "kind: ${kind}")
  set(expression "(^|\n)[ \t]*kind: ${kind}(\n|$)")
  if(status STREQUAL "86")
    set(expected ": error: ${kind}: ")
    set(expression "${expected}|${expression}")
  endif()
  if(status STREQUAL "0")
    set(problem "passed, but must fail (${KIND})")
  elseif(NOT status MATCHES "^(1|86)$")
    set(problem "ended with '${status}' instead of exit code 1, or 86 of check mode")
  elseif(NOT output MATCHES "${expression}")
    set(problem "failed without '${expected}'")
  elseif(SAYS)
    string(FIND "${output}" "${SAYS}" found)
    if(found EQUAL -1)
      set(problem "failed without the words '${SAYS}'")
    endif()
  endif()
  if(problem)
    string(APPEND problem ":\n${output}")
  endif()
  set(${fault} "${problem}" PARENT_SCOPE)
endfunction()

set(ENV{TUT_STOP_AT_FINDING} 1)
run_to_failure(fault --abort-after=1)
unset(ENV{TUT_STOP_AT_FINDING})
if(fault)
  run_to_failure(fault)
endif()
if(fault)
  message(FATAL_ERROR "${fault}")
endif()
message(STATUS "failed as it must: ${KIND}")
