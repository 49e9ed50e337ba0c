# cmake -DPROGRAM=... [-DARGUMENTS=...] -DFILE=... -DSOURCE_DIR=... -P expect_output.cmake
# Succeeds if PROGRAM prints what FILE holds: its output, then its messages, with paths from
# SOURCE_DIR on. With TUT_UPDATE_OUTPUT=1 in the environment it writes FILE.
execute_process(COMMAND "${PROGRAM}" ${ARGUMENTS} RESULT_VARIABLE status
  OUTPUT_VARIABLE output ERROR_VARIABLE messages TIMEOUT 3000)
if(NOT status MATCHES "^(0|86)$")
  message(FATAL_ERROR "ended with '${status}' instead of 0, or 86 of check mode:\n${messages}")
endif()
string(APPEND output "${messages}")
string(REPLACE "${SOURCE_DIR}/" "" output "${output}")
if("$ENV{TUT_UPDATE_OUTPUT}")
  file(WRITE "${FILE}" "${output}")
endif()
set(expected "")
if(EXISTS "${FILE}")
  file(READ "${FILE}" expected)
endif()
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "prints something else than ${FILE} holds (TUT_UPDATE_OUTPUT=1 in the "
    "environment makes this test write it; prose may quote it):\n${output}")
endif()
