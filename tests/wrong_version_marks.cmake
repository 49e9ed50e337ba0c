# cmake -DSOURCE_DIR=... -DSCRATCH=FOLDER -P wrong_version_marks.cmake
# What a file of edits says of its versions, and that one that is marked `only: cpu backend, because ...` is
# left out of builds for a GPU.
include("${SOURCE_DIR}/cmake/TutExercise.cmake")

function(expect marks backend expected)
  tut_is_for_backend("${marks}" version ${backend} here)
  if(NOT here STREQUAL expected)
    message(SEND_ERROR "on ${backend}: got ${here}, expected ${expected} of\n${marks}")
  endif()
endfunction()

set(anywhere "fails: values")
set(marked "fails: values;says: 3;only: cpu backend, because a GPU hangs")
expect("${anywhere}" cpu TRUE)
expect("${anywhere}" cuda TRUE)
expect("${marked}" cpu TRUE)
expect("${marked}" cuda FALSE)

file(WRITE "${SCRATCH}/some.edits" "=== one
fails: budget
says: a_tile[32][33]
Why.
@@
-  === nothing: fails: values
+fails: values
=== two
fails: race
@@
-  b
")
# The property that makes a change of the file run CMake again is not for scripts.
function(set_property)
endfunction()
tut_read_edits("${SCRATCH}/some.edits" whys)
if(NOT "${whys}|${marks_one}|${marks_two}" STREQUAL
    "one;two|fails: budget;says: a_tile[32][33]|fails: race")
  message(SEND_ERROR "read '${whys}|${marks_one}|${marks_two}'")
endif()
