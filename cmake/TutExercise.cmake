# tut_add_exercise(CHAPTER NAME SOLUTION_FILE)
#
# One test program per version of the exercise, all from the same test source:
#   chNN_NAME_solution     the reference; must pass
#   chNN_NAME_exercise     the learner's file (a stub at first); what `learn check` runs
#   chNN_NAME_wrong_WHY    tests/wrong/CHAPTER/NAME.WHY.*; each must fail for the reason in its
#                          first line, `// fails: KIND`; under sanitizers, where these stop it
#                          first, with what the second line says: `// sanitized: MESSAGE`
function(tut_add_exercise chapter exercise solution)
  string(SUBSTRING "${chapter}" 0 2 number)
  set(prefix ch${number}_${exercise})
  get_filename_component(extension "${solution}" LAST_EXT)
  set(test_source "${PROJECT_SOURCE_DIR}/tests/${chapter}/${exercise}_test.cpp")
  set(stub "${PROJECT_SOURCE_DIR}/exercises/${chapter}/${exercise}${extension}")
  foreach(part IN ITEMS "${test_source}" "${stub}")
    if(NOT EXISTS "${part}")
      message(FATAL_ERROR "exercise ${number} ${exercise} has no ${part}")
    endif()
  endforeach()

  add_library(${prefix}_check OBJECT EXCLUDE_FROM_ALL "${test_source}")
  target_link_libraries(${prefix}_check PUBLIC ch${number} tut_test_main_headers
    PRIVATE tut_warnings)

  tut_add_exercise_version(${prefix}_solution "${solution}" ${number} ${prefix}_check)
  tut_add_test(${number}.${exercise}.solution ${prefix}_solution ${number})

  # A learner's file may not compile: it is no part of `all` except for the maintainers.
  tut_add_exercise_version(${prefix}_exercise "${stub}" ${number} ${prefix}_check)
  target_link_libraries(${prefix}_exercise_kernel PRIVATE tut_unused_allowed)
  if(TUT_MAINTAINER)
    tut_add_failing_test(${number}.${exercise}.stub ${prefix}_exercise ${number} any)
  else()
    set_target_properties(${prefix}_exercise ${prefix}_exercise_kernel PROPERTIES
      EXCLUDE_FROM_ALL TRUE)
  endif()

  file(GLOB wrong_versions CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/tests/wrong/${chapter}/${exercise}.*${extension}")
  foreach(wrong IN LISTS wrong_versions)
    get_filename_component(why "${wrong}" NAME_WLE)
    string(REGEX REPLACE "^${exercise}\\." "" why "${why}")
    file(STRINGS "${wrong}" first LIMIT_COUNT 2)
    list(POP_BACK first second)
    if(NOT first MATCHES "^// fails: ([a-z-]+)$")
      message(FATAL_ERROR "${wrong}: the first line is '${first}'; expected '// fails: KIND'")
    endif()
    set(kind "${CMAKE_MATCH_1}")
    tut_add_exercise_version(${prefix}_wrong_${why} "${wrong}" ${number} ${prefix}_check)
    if(TUT_SANITIZE AND second MATCHES "^// sanitized: (.+)$")
      tut_add_test(${number}.${exercise}.wrong.${why} ${prefix}_wrong_${why} ${number})
      set_tests_properties(${number}.${exercise}.wrong.${why} PROPERTIES
        PASS_REGULAR_EXPRESSION "runtime error: ${CMAKE_MATCH_1}")
      continue()
    endif()
    tut_add_failing_test(${number}.${exercise}.wrong.${why} ${prefix}_wrong_${why} ${number} ${kind})
  endforeach()
endfunction()

function(tut_add_exercise_version target source number check)
  tut_add_kernel(${target}_kernel OBJECT SOURCES "${source}" DEPENDS ch${number})
  if(TUT_BACKEND STREQUAL "cpu" AND source MATCHES "\\.cu$" AND NOT TUT_INSPECT)
    # Whole kernels, a thread after the other up to each barrier: a split kernel would run as if it
    # had a barrier at the end of a loop where the learner forgot it.
    set_target_properties(${target}_kernel PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CUCC_SPLIT=off;${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cucc;--launcher")
  endif()
  add_executable(${target})
  target_link_libraries(${target} PRIVATE ${check} ${target}_kernel ch${number} tut_test_main)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# A program that must fail by an ordinary failure: exit code 1, no crash, and the line `kind: KIND`.
function(tut_add_failing_test name target label kind)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND}
    -DPROGRAM=$<TARGET_FILE:${target}> -DKIND=${kind}
    -P "${PROJECT_SOURCE_DIR}/cmake/expect_failure.cmake")
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${TUT_TEST_TIMEOUT})
  add_dependencies(check_${label} ${target})
endfunction()
