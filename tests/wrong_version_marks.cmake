# cmake -DSOURCE_DIR=... -DSCRATCH=FOLDER -P wrong_version_marks.cmake
# A wrong version that says `// only: cpu backend, because ...` is left out of builds for a GPU.
include("${SOURCE_DIR}/cmake/TutExercise.cmake")

function(expect text backend expected)
  file(WRITE "${SCRATCH}/wrong.cu" "${text}")
  tut_is_for_backend("${SCRATCH}/wrong.cu" ${backend} here)
  if(NOT here STREQUAL expected)
    message(SEND_ERROR "on ${backend}: got ${here}, expected ${expected} of\n${text}")
  endif()
endfunction()

set(anywhere "// fails: values\n// Says why.\n")
set(marked "// fails: values\n// says: 3\n// only: cpu backend, because a GPU hangs\n// Says why.\n")
expect("${anywhere}" cpu TRUE)
expect("${anywhere}" cuda TRUE)
expect("${marked}" cpu TRUE)
expect("${marked}" cuda FALSE)
