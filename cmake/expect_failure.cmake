# cmake -DPROGRAM=... [-DARGUMENTS=...] -DKIND=values|budget|...|any [-DSAYS=...]
#   -P expect_failure.cmake
# Succeeds if PROGRAM exits with 1 and says `kind: KIND` and SAYS: it failed, and for the reason
# expected.
execute_process(COMMAND "${PROGRAM}" ${ARGUMENTS} RESULT_VARIABLE status
  OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT 240)
if(status STREQUAL "0")
  message(FATAL_ERROR "passed, but must fail (${KIND}):\n${output}")
endif()
if(NOT status STREQUAL "1")
  message(FATAL_ERROR "ended with '${status}' instead of exit code 1:\n${output}")
endif()
if(KIND STREQUAL "any")
  set(expected "kind: [a-z-]+")
else()
  set(expected "kind: ${KIND}")
endif()
if(NOT output MATCHES "(^|\n)[ \t]*${expected}(\n|$)")
  message(FATAL_ERROR "failed without the line '${expected}':\n${output}")
endif()
if(SAYS)
  string(FIND "${output}" "${SAYS}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "failed without the words '${SAYS}':\n${output}")
  endif()
endif()
message(STATUS "failed as it must: ${KIND}")
