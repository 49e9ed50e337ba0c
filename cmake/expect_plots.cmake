# cmake -DLEARN=learn_cli -DSOURCE_DIR=... -DSCRATCH=FOLDER -P expect_plots.cmake
# Succeeds if every picture under docs/plots/DEVICE is what ./learn plot makes of
# docs/results/DEVICE. With TUT_UPDATE_OUTPUT=1 in the environment it makes them anew.
file(GLOB folders "${SOURCE_DIR}/docs/plots/*")
set(wrong "")
foreach(folder IN LISTS folders)
  get_filename_component(device "${folder}" NAME)
  file(GLOB pictures RELATIVE "${folder}" "${folder}/*.svg")
  set(chapters ${pictures})
  list(TRANSFORM chapters REPLACE "_.*" "")
  list(REMOVE_DUPLICATES chapters)
  set(made "${SCRATCH}/${device}")
  if("$ENV{TUT_UPDATE_OUTPUT}")
    set(made "${folder}")
  endif()
  foreach(chapter IN LISTS chapters)
    execute_process(COMMAND "${LEARN}" plot ${chapter} --out "${made}"
      --json "${SOURCE_DIR}/docs/results/${device}/${chapter}.json"
      RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE messages)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "chapter ${chapter} of ${device} is not plotted: ${messages}")
    endif()
  endforeach()
  foreach(picture IN LISTS pictures)
    execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${made}/${picture}"
      "${folder}/${picture}" RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
    if(differs)
      list(APPEND wrong "docs/plots/${device}/${picture}")
    endif()
  endforeach()
endforeach()
if(wrong)
  message(FATAL_ERROR "not what is plotted of the results (TUT_UPDATE_OUTPUT=1 in the environment "
    "makes them anew): ${wrong}")
endif()
