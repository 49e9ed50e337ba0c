# cmake -DPROGRAM=... [-DARGUMENTS=...] -DSTATUS=0 -DSAYS=REGEX [-DSAYS_NOT=REGEX]
#   -P expect_text.cmake
# Succeeds if PROGRAM ends with STATUS, a regular expression too, and what it prints matches SAYS and
# does not match SAYS_NOT. One that ends with 77, as it cannot run here, is skipped.
execute_process(COMMAND "${PROGRAM}" ${ARGUMENTS} RESULT_VARIABLE status
  OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT 3000)
if(status STREQUAL "77")
  message(STATUS "skipped: ended with 77")
  return()
endif()
set(problem "")
if(NOT status MATCHES "^(${STATUS})$")
  set(problem "ended with '${status}' instead of ${STATUS}")
elseif(NOT output MATCHES "${SAYS}")
  set(problem "does not print '${SAYS}'")
elseif(NOT "${SAYS_NOT}" STREQUAL "" AND output MATCHES "${SAYS_NOT}")
  set(problem "prints '${CMAKE_MATCH_0}'")
endif()
if(problem)
  message(FATAL_ERROR "${problem}:\n${output}")
endif()
message(STATUS "ended with ${status} and printed what it must")
