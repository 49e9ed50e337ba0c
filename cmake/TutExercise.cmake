# tut_add_exercise(CHAPTER NAME SOLUTION_FILE)
#
# One test program per version of the exercise, all from the same test source:
#   chNN_NAME_solution     the reference; must pass
#   chNN_NAME_exercise     the learner's file (a stub at first); what `learn check` runs
#   chNN_NAME_wrong_WHY    tests/wrong/CHAPTER/NAME.WHY.*; each must fail for the reason in its
#                          first line, `// fails: KIND`; under sanitizers, where these stop it
#                          first, with what the second line says: `// sanitized: MESSAGE`
#
# On the CPU backend there are versions that look at every access, see tut_add_watched_version:
#   chNN_NAME_solution_counted     must pass the test case "budget", if the test has one
#   chNN_NAME_wrong_WHY_counted    of versions that fail with KIND budget: the plain one passes, and
#                                  this one must say MESSAGE, `// says: MESSAGE` in the second line
#   chNN_NAME_exercise_counted     the learner's file
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

  tut_has_budget("${test_source}" has_budget)
  if(has_budget)
    tut_add_watched_version(${prefix}_solution "${solution}" ${number} ${prefix}_check count)
    tut_add_budget_test(${number}.${exercise}.budget ${prefix}_solution_counted ${number})
    tut_add_watched_version(${prefix}_exercise "${stub}" ${number} ${prefix}_check count)
    target_link_libraries(${prefix}_exercise_watched_kernel PRIVATE tut_unused_allowed)
    set_target_properties(${prefix}_exercise_counted ${prefix}_exercise_watched_kernel PROPERTIES
      EXCLUDE_FROM_ALL TRUE)
  endif()

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
    if(kind STREQUAL "budget")
      if(NOT second MATCHES "^// says: (.+)$")
        message(FATAL_ERROR "${wrong}: the second line is '${second}'; expected '// says: MESSAGE'")
      endif()
      set(message "${CMAKE_MATCH_1}")
      tut_add_exercise_version(${prefix}_wrong_${why} "${wrong}" ${number} ${prefix}_check)
      tut_add_test(${number}.${exercise}.wrong.${why}.values ${prefix}_wrong_${why} ${number})
      if(has_budget)
        tut_add_watched_version(${prefix}_wrong_${why} "${wrong}" ${number} ${prefix}_check count)
        tut_add_failing_test(${number}.${exercise}.wrong.${why} ${prefix}_wrong_${why}_counted
          ${number} budget ARGUMENTS --test-case=budget SAYS "${message}")
      endif()
      continue()
    endif()
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
  if(TUT_BACKEND STREQUAL "cpu" AND source MATCHES "\\.cu$")
    # Whole kernels, a thread after the other up to each barrier: a split kernel would run as if it
    # had a barrier at the end of a loop where the learner forgot it.
    set_target_properties(${target}_kernel PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CUCC_SPLIT=off;${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cucc;--launcher")
  endif()
  add_executable(${target})
  target_link_libraries(${target} PRIVATE ${check} ${target}_kernel ch${number} tut_test_main)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# Does a test have a test case "budget", and can this build count?
function(tut_has_budget test_source result)
  file(STRINGS "${test_source}" budget REGEX "^TEST_CASE\\(\"budget\"\\)")
  set(${result} FALSE PARENT_SCOPE)
  # ThreadSanitizer's place is taken, and clang leaves out some of the accesses.
  if(budget AND TUT_BACKEND STREQUAL "cpu" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
     AND NOT TUT_SANITIZE)
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

# tut_add_watched_version(VERSION SOURCE NUMBER CHECK check|count): the program VERSION_checked or
# VERSION_counted, whose kernels tell of every access (cucc --check, cucc --count). Both are made of
# the same objects, VERSION_watched_kernel, with another library.
function(tut_add_watched_version version source number check mode)
  if(NOT TARGET ${version}_watched_kernel)
    tut_add_kernel(${version}_watched_kernel OBJECT SOURCES "${source}" DEPENDS ch${number})
    set_target_properties(${version}_watched_kernel PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cucc;--launcher;--${mode}"
      EXPORT_COMPILE_COMMANDS FALSE)
  endif()
  add_executable(${version}_${mode}ed)
  target_link_libraries(${version}_${mode}ed PRIVATE
    ${check} ${version}_watched_kernel ch${number} tut_test_main simt_${mode})
  set_target_properties(${version}_${mode}ed PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# The test case "budget" of a counted program. A test that found nothing to check would pass.
function(tut_add_budget_test name target label)
  add_test(NAME ${name} COMMAND ${target} --test-case=budget)
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${TUT_TEST_TIMEOUT}
    FAIL_REGULAR_EXPRESSION "budget not checked;test cases: +0")
  add_dependencies(check_${label} ${target})
endfunction()

# tut_add_failing_test(NAME TARGET LABEL KIND [ARGUMENTS arguments...] [SAYS MESSAGE])
# A program that must fail by an ordinary failure: exit code 1, no crash, and the line `kind: KIND`;
# with SAYS the message must be part of its output.
function(tut_add_failing_test name target label kind)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "SAYS" "ARGUMENTS")
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND}
    -DPROGRAM=$<TARGET_FILE:${target}> "-DARGUMENTS=${arg_ARGUMENTS}" -DKIND=${kind}
    "-DSAYS=${arg_SAYS}" -P "${PROJECT_SOURCE_DIR}/cmake/expect_failure.cmake")
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${TUT_TEST_TIMEOUT})
  add_dependencies(check_${label} ${target})
endfunction()
