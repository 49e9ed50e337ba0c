# tut_add_exercise(CHAPTER NAME SOLUTION_FILE)
#
# Programs from the same test source, one for each version of the exercise:
#   chNN_NAME_solution     the reference; must pass
#   chNN_NAME_exercise     the learner's file (a stub at first)
#   chNN_NAME_versions     with the environment's TUT_VERSION=WHY, the wrong version WHY: one of
#                          tests/wrong/CHAPTER/NAME.edits, the solution with a mistake (see
#                          tests/versions/edits.py), or, if little of the solution is left,
#                          tests/wrong/CHAPTER/NAME.WHY.*, where the marks are its first lines, after
#                          `// `. Each must fail for the reason that it is marked with:
#                          `fails: KIND`. KIND is `values`, `stream`, `budget` or one of check mode's;
#                          with `budget` words of the message follow, `says: WORDS`, with others they
#                          may. Where sanitizers stop the program first, `sanitized: MESSAGE` is what
#                          these say. What a GPU may let pass, or would hang on, is marked
#                          `only: cpu backend, because REASON`: a build for a GPU leaves it out.
#
#                          Or tests/right/CHAPTER/NAME.WHY.*: a right answer of another shape than
#                          the solution's, which must pass wherever the solution does. See
#                          tut_add_versions.
#
# On the CPU backend with g++ there are two more of each, whose kernels tell of every access:
#   ..._checked            finds races and other bugs: what `learn check` runs
#   ..._counted            its test case "budget" counts memory traffic, if the test has one
#
# The learner's version has one more of the first two, compiled line by line for a debugger:
#   ..._debug, ..._debug_checked
#
# In a copy of the course that comes with an assignment, some exercises have no solution: SOLUTION_FILE is
# then the stub under exercises/given, and of the programs there are the learner's only.
#
# All of it lies under TUT_COURSE_ROOT: this project, or an instructor's own course.
set(TUT_COURSE_ROOT "${PROJECT_SOURCE_DIR}")
function(tut_add_exercise chapter exercise solution)
  string(SUBSTRING "${chapter}" 0 2 number)
  set(prefix ch${number}_${exercise})
  get_filename_component(extension "${solution}" LAST_EXT)
  set(test_source "${TUT_COURSE_ROOT}/tests/${chapter}/${exercise}_test.cpp")
  set(stub "${TUT_COURSE_ROOT}/exercises/${chapter}/${exercise}${extension}")
  # What it lacks, as `learn author check --static` says.
  if(TUT_MAINTAINER AND Python3_FOUND AND TARGET make_stubs)
    add_test(NAME ${number}.${exercise}.author COMMAND Python3::Interpreter
      "${PROJECT_SOURCE_DIR}/docs/tools/author.py" --make-stubs $<TARGET_FILE:make_stubs>
      --root "${TUT_COURSE_ROOT}" --build "${PROJECT_BINARY_DIR}" check --static ${exercise})
    set_tests_properties(${number}.${exercise}.author PROPERTIES LABELS "${number}"
      TIMEOUT ${TUT_TEST_TIMEOUT})
  endif()
  if(NOT EXISTS "${test_source}")
    # Its test `author` tells of it, too: nobody overlooks that the exercise is not tested.
    message(WARNING "exercise ${number} ${exercise} is left out: it has no ${test_source}")
    return()
  endif()
  if(NOT EXISTS "${stub}")
    # What makes it is built here: so its programs cannot be built yet, and all others can.
    message(WARNING "exercise ${number} ${exercise} has no ${stub}: './learn reset ${exercise}' brings it "
      "back; './learn author stub ${exercise}' makes it of a new solution")
    set_source_files_properties("${stub}" PROPERTIES GENERATED TRUE)
  endif()
  # What is read of these files here is read again once they change.
  tut_configure_again_with("${solution}")
  if(TUT_MAINTAINER)
    tut_configure_again_with("${test_source}")
  endif()

  add_library(${prefix}_check OBJECT EXCLUDE_FROM_ALL "${test_source}")
  target_link_libraries(${prefix}_check PUBLIC ch${number} tut_test_main_headers
    PRIVATE tut_warnings)
  tut_see_contracts(${prefix}_check)
  if(NOT TUT_COURSE_ROOT STREQUAL PROJECT_SOURCE_DIR AND IS_DIRECTORY "${PROJECT_SOURCE_DIR}/tests/${chapter}")
    # What the tests of the course's chapter share.
    target_include_directories(${prefix}_check PRIVATE "${PROJECT_SOURCE_DIR}/tests/${chapter}")
  endif()
  if(TUT_MAINTAINER)
    target_compile_definitions(${prefix}_check PRIVATE
      $<TARGET_PROPERTY:tut_exercise_headers,INTERFACE_COMPILE_DEFINITIONS>)
  endif()
  tut_share_exercise_headers(${prefix}_check)
  tut_watched_modes("${solution}" "${test_source}" modes)

  if(solution MATCHES "/exercises/given/")
    tut_add_stub(${prefix} ${exercise} "${stub}" ${number} "${modes}" "")
    return()
  endif()

  tut_add_exercise_version(${prefix}_solution "${solution}" ${number} ${prefix}_check plain)
  # Watched, it is the same test: that is enough for who only wants to know whether it all runs here.
  if(TUT_MAINTAINER OR NOT "checked" IN_LIST modes)
    tut_add_test(${number}.${exercise}.solution ${prefix}_solution ${number})
    tut_try_limits(${number}.${exercise}.solution "${test_source}")
  endif()
  foreach(mode IN LISTS modes)
    tut_add_exercise_version(${prefix}_solution "${solution}" ${number} ${prefix}_check ${mode})
  endforeach()
  if("checked" IN_LIST modes)
    tut_add_test(${number}.${exercise}.checked ${prefix}_solution_checked ${number})
  endif()
  if("counted" IN_LIST modes)
    tut_add_budget_test(${number}.${exercise}.budget ${prefix}_solution_counted ${number})
  endif()

  tut_planted_bug("${solution}" bug)
  tut_add_stub(${prefix} ${exercise} "${stub}" ${number} "${modes}" "${bug}")

  # They are there to try the test: who adds an exercise builds them, who learns does not.
  if(NOT TUT_MAINTAINER OR NOT TUT_WRONG_VERSIONS)
    return()
  endif()
  tut_is_in_part(EXERCISES tried)
  if(NOT tried)
    return()
  endif()
  # A test that asks for other things where kernels are watched is tried there.
  set(watched ${TUT_WATCH_WRONG_VERSIONS})
  file(STRINGS "${test_source}" asks LIMIT_COUNT 1
    REGEX "simt_check_findings|simt_run_ends|EndsOnly|WithoutRaces")
  if(asks)
    set(watched ON)
  endif()
  set(wrong_versions "${TUT_COURSE_ROOT}/tests/wrong/${chapter}/${exercise}")
  file(GLOB edits CONFIGURE_DEPENDS "${wrong_versions}.edits")
  if(edits)
    tut_read_edits("${wrong_versions}.edits" whys)
    foreach(why IN LISTS whys)
      tut_add_wrong_version(${prefix} ${exercise} ${why} "" "${extension}" "${marks_${why}}"
        ${number} "${modes}" ${watched})
    endforeach()
  endif()
  file(GLOB files CONFIGURE_DEPENDS "${wrong_versions}.*${extension}")
  foreach(wrong IN LISTS files)
    tut_why_of("${wrong}" why)
    tut_configure_again_with("${wrong}")
    file(STRINGS "${wrong}" marks LIMIT_COUNT 4 REGEX "^// (fails|says|sanitized|only): ")
    list(TRANSFORM marks REPLACE "^// " "")
    tut_add_wrong_version(${prefix} ${exercise} ${why} "${wrong}" "${extension}" "${marks}" ${number}
      "${modes}" ${watched})
  endforeach()
  file(GLOB right_versions CONFIGURE_DEPENDS
    "${TUT_COURSE_ROOT}/tests/right/${chapter}/${exercise}.*${extension}")
  foreach(right IN LISTS right_versions)
    tut_add_right_version(${prefix} ${exercise} "${right}" ${number} "${modes}")
  endforeach()
  file(STRINGS "${test_source}" alone LIMIT_COUNT 1 REGEX "^// versions: each alone, because .+")
  tut_add_versions(${prefix} ${exercise} "${solution}" "${wrong_versions}.edits" ${number} "${alone}")
endfunction()

# The maintainers' tests of a solution ask as well whether what they allow is narrow enough: whether the next
# lower precision would fail, and twice the cost. Not where the test says `// no tolerance: REASON`.
function(tut_try_limits test test_source)
  file(STRINGS "${test_source}" no_tolerance LIMIT_COUNT 1 REGEX "^// no tolerance: .+")
  if(TUT_MAINTAINER AND NOT no_tolerance)
    set_tests_properties(${test} PROPERTIES ENVIRONMENT TUT_TRY_LIMITS=1)
  endif()
endfunction()

# The contracts of an instructor's own course are where no chapter's library looks for them.
function(tut_see_contracts target)
  if(NOT TUT_COURSE_ROOT STREQUAL PROJECT_SOURCE_DIR)
    target_include_directories(${target} PRIVATE "${TUT_COURSE_ROOT}/chapters")
  endif()
endfunction()

# tut_add_own_course(FOLDER): the exercises of an instructor's own course, in a folder that is laid out as
# this project is: chapters/NN_name/EXERCISE.hpp, solutions, exercises, tests, exercises/course.toml. A chapter
# with a number of the course's uses that chapter's library; another one has a CMakeLists.txt of its own, with
# tut_add_chapter, or no library.
function(tut_add_own_course folder)
  set(TUT_COURSE_ROOT "${folder}")
  if(TUT_MAINTAINER AND TUT_WRONG_VERSIONS)
    tut_require_wrong_version_marks("${folder}/tests/wrong")
  endif()
  file(GLOB chapters CONFIGURE_DEPENDS RELATIVE "${folder}/solutions" "${folder}/solutions/[0-9][0-9]_*")
  foreach(chapter IN LISTS chapters)
    string(SUBSTRING "${chapter}" 0 2 number)
    set(own_library "${folder}/chapters/${chapter}/CMakeLists.txt")
    if(EXISTS "${own_library}")
      if(TARGET ch${number})
        message(FATAL_ERROR "${own_library}: chapter ${number} is the course's; expected another number, or no CMakeLists.txt")
      endif()
      add_subdirectory("${folder}/chapters/${chapter}" "${PROJECT_BINARY_DIR}/own/${chapter}")
      continue()
    endif()
    if(NOT TARGET ch${number})
      tut_add_kernel(ch${number})
      add_custom_target(check_${number} COMMAND ${CMAKE_CTEST_COMMAND} --test-dir "${PROJECT_BINARY_DIR}"
        -L "^${number}$" --output-on-failure USES_TERMINAL COMMENT "Chapter ${number}: tests")
    endif()
    file(GLOB solutions CONFIGURE_DEPENDS "${folder}/solutions/${chapter}/*.c*")
    foreach(solution IN LISTS solutions)
      get_filename_component(exercise "${solution}" NAME_WE)
      if(TARGET ch${number}_${exercise}_solution)
        message(FATAL_ERROR "${solution}: the course has an exercise ${exercise}, too; expected another name")
      endif()
      tut_add_exercise(${chapter} ${exercise} "${solution}")
    endforeach()
  endforeach()
endfunction()

# A change of the file makes the build run CMake again.
function(tut_configure_again_with file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
endfunction()

# Whether the marks of all wrong versions are spelt as they must be (tests/versions/edits.py): one that is
# not would fail much later, by a test that does not name it.
function(tut_require_wrong_version_marks folder)
  if(NOT Python3_FOUND)
    message(FATAL_ERROR "wrong versions need Python 3; install it, or configure with -DTUT_WRONG_VERSIONS=OFF")
  endif()
  execute_process(COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/versions/edits.py"
    --check "${folder}" RESULT_VARIABLE status ERROR_VARIABLE faults)
  if(NOT status EQUAL 0)
    string(STRIP "${faults}" faults)
    message(FATAL_ERROR "${faults}")
  endif()
endfunction()

# NAME.WHY.cu: WHY.
function(tut_why_of file result)
  get_filename_component(name "${file}" NAME)
  string(REGEX REPLACE "^[^.]+[.]([^.]+)[.].+$" "\\1" why "${name}")
  set(${result} ${why} PARENT_SCOPE)
endfunction()

# The wrong versions of a file of edits (tests/versions/edits.py): `whys`, and for each its marks, a list
# in marks_WHY.
macro(tut_read_edits file whys)
  tut_configure_again_with("${file}")
  file(STRINGS "${file}" tut_edit_lines REGEX "^(=== |(fails|says|sanitized|only): )")
  set(${whys} "")
  foreach(tut_edit_line IN LISTS tut_edit_lines)
    if(tut_edit_line MATCHES "^=== (.+)$")
      list(APPEND ${whys} "${CMAKE_MATCH_1}")
      set(tut_edit_marks marks_${CMAKE_MATCH_1})
      set(${tut_edit_marks} "")
    else()
      list(APPEND ${tut_edit_marks} "${tut_edit_line}")
    endif()
  endforeach()
endmacro()

# A wrong version that is an edit of the solution, as a source of its own.
function(tut_edited_version chapter exercise why result)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/edited")
  set(solution "${PROJECT_SOURCE_DIR}/solutions/${chapter}/${exercise}.cu")
  tut_join_versions("EDITED/${exercise}.${why}.cu" ${exercise} "${solution}"
    "${PROJECT_SOURCE_DIR}/tests/wrong/${chapter}/${exercise}.edits" none "${folder}/${exercise}" "" joined
    names)
  set(${result} "${folder}/${exercise}/${exercise}.${why}.cu" PARENT_SCOPE)
endfunction()

# Whether a wrong version of these marks may run on this backend: see `// only:` above.
function(tut_is_for_backend marks version backend result)
  set(${result} TRUE PARENT_SCOPE)
  list(FILTER marks INCLUDE REGEX "^only:")
  if(marks AND NOT marks MATCHES "^only: cpu backend, because .+")
    message(FATAL_ERROR "${version}: '${marks}'; expected 'only: cpu backend, because REASON'")
  endif()
  if(marks AND NOT backend STREQUAL "cpu")
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# The kind of the bug that a solution's stub has (`//! [bug-KIND]`); empty if its stub has holes.
function(tut_planted_bug solution result)
  file(STRINGS "${solution}" marks REGEX "//! \\[bug-[a-z-]+\\]")
  list(TRANSFORM marks REPLACE ".*\\[bug-([a-z-]+)\\].*" "\\1")
  list(REMOVE_DUPLICATES marks)
  list(LENGTH marks kinds)
  if(kinds GREATER 1)
    message(FATAL_ERROR "${solution}: bugs of ${kinds} kinds (${marks}); expected one")
  endif()
  set(${result} "${marks}" PARENT_SCOPE)
endfunction()

# A learner's file may not compile: it is no part of `all` except for the maintainers. A stub with
# holes fails its test. One with a bug passes in a plain run, and fails by that bug when watched. (In
# memory that fits to the byte the CPU backend stops some bugs unwatched; a GPU has slack there.)
function(tut_add_stub prefix exercise stub number modes bug)
  set(programs "")
  set(debug_modes debug)
  if("checked" IN_LIST modes)
    list(APPEND debug_modes debug_checked)
  endif()
  foreach(mode IN ITEMS plain ${modes} ${debug_modes})
    tut_add_exercise_version(${prefix}_exercise "${stub}" ${number} ${prefix}_check ${mode})
    tut_version_targets(${prefix}_exercise ${mode} program kernel)
    target_link_libraries(${kernel} PRIVATE tut_unused_allowed)
    list(APPEND programs ${program})
    set_target_properties(${program} ${kernel} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endforeach()
  if(NOT TUT_MAINTAINER OR NOT TUT_WRONG_VERSIONS OR NOT TARGET ${prefix}_solution OR (bug AND NOT "checked" IN_LIST modes))
    return()
  endif()
  set(program ${prefix}_exercise)
  set(arguments "")
  if(bug)
    tut_add_test(${number}.${exercise}.stub_fools ${program} ${number}
      "--test-case-exclude=*memory of just its size")
    set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL FALSE)
  endif()
  if(bug STREQUAL "budget")
    string(APPEND program _counted)
    set(arguments ARGUMENTS --test-case=budget)
  elseif("checked" IN_LIST modes)
    string(APPEND program _checked)
  endif()
  if(NOT bug)
    set(bug any)
  endif()
  set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL FALSE)
  tut_add_failing_test(${number}.${exercise}.stub ${program} ${number} ${bug} ${arguments})
endfunction()

# `file`: where the version is, or "" if it is one of the exercise's edits. `watched`: whether values are
# asked for where kernels are watched, as `learn check` does, and not where they are quick.
function(tut_add_wrong_version prefix exercise why file extension marks number modes watched)
  set(version "${exercise}.${why}")
  tut_is_for_backend("${marks}" "${version}" ${TUT_BACKEND} here)
  if(NOT here)
    return()
  endif()
  set(kind "")
  set(words "")
  set(sanitized "")
  foreach(mark IN LISTS marks)
    if(mark MATCHES "^fails: ([a-z-]+)$")
      set(kind "${CMAKE_MATCH_1}")
    elseif(mark MATCHES "^says: (.+)$")
      set(words "${CMAKE_MATCH_1}")
    elseif(mark MATCHES "^sanitized: (.+)$")
      set(sanitized "${CMAKE_MATCH_1}")
    elseif(NOT mark MATCHES "^only: ")
      message(FATAL_ERROR "${version}: '${mark}'; expected 'fails: KIND', or 'says: WORDS' without a ';' and with as many '[' as ']'")
    endif()
  endforeach()
  if(kind STREQUAL "" OR (kind STREQUAL "budget" AND words STREQUAL ""))
    message(FATAL_ERROR "${version}: its marks are '${marks}'; expected 'fails: KIND', and with 'budget' 'says: WORDS'")
  endif()
  if(file STREQUAL "")
    set(file EDITED/${exercise}.${why}${extension})
  endif()
  set(name ${number}.${exercise}.wrong.${why})
  if(kind STREQUAL "budget" AND NOT extension STREQUAL ".cpp")
    tut_want_version(${prefix} "${file}" plain)
    tut_add_test(${name}.values ${prefix}_versions ${number})
    tut_choose_version(${name}.values ${why})
    if("counted" IN_LIST modes)
      tut_want_version(${prefix} "${file}" counted)
      tut_add_failing_test(${name} ${prefix}_versions_counted ${number} budget
        ARGUMENTS --test-case=budget SAYS "${words}")
      tut_choose_version(${name} ${why})
    endif()
  elseif("checked" IN_LIST modes AND (watched OR NOT kind MATCHES "^(values|stream)$"))
    tut_want_version(${prefix} "${file}" checked)
    tut_add_failing_test(${name} ${prefix}_versions_checked ${number} ${kind} SAYS "${words}")
    tut_choose_version(${name} ${why})
  elseif(kind MATCHES "^(values|stream)$" OR (extension STREQUAL ".cpp" AND (TUT_CAN_WATCH OR kind STREQUAL "budget")))
    tut_want_version(${prefix} "${file}" plain)
    if(TUT_SANITIZE AND sanitized)
      tut_add_text_test(${name} ${prefix}_versions ${number} STATUS "[1-9][0-9]*|[A-Z].*"
        SAYS "runtime error: ${sanitized}")
    else()
      tut_add_failing_test(${name} ${prefix}_versions ${number} ${kind} SAYS "${words}")
    endif()
    tut_choose_version(${name} ${why})
  endif()
endfunction()

# A right answer of another shape: what the solution must pass, it must pass. Watched, it is the same
# test: it runs by itself only where nothing can watch.
function(tut_add_right_version prefix exercise right number modes)
  tut_why_of("${right}" why)
  set(name ${number}.${exercise}.right.${why})
  if("checked" IN_LIST modes)
    tut_want_version(${prefix} "${right}" checked)
    tut_add_test(${name}.checked ${prefix}_versions_checked ${number})
    tut_choose_version(${name}.checked ${why})
  else()
    tut_want_version(${prefix} "${right}" plain)
    tut_add_test(${name} ${prefix}_versions ${number})
    tut_choose_version(${name} ${why})
  endif()
  if("counted" IN_LIST modes)
    tut_want_version(${prefix} "${right}" counted)
    tut_add_budget_test(${name}.budget ${prefix}_versions_counted ${number})
    tut_choose_version(${name}.budget ${why})
  endif()
endfunction()

# The test of a version runs the program that has them all.
function(tut_choose_version test why)
  set_tests_properties(${test} PROPERTIES ENVIRONMENT TUT_VERSION=${why})
endfunction()

# Notes that a version is to be in the program `prefix`_versions of this mode; the first call for a mode
# creates the program, for tests to name. What is checked and what is counted is one object.
function(tut_want_version prefix source mode)
  tut_version_targets(${prefix}_versions ${mode} program kernel)
  if(NOT TARGET ${program})
    add_executable(${program})
  endif()
  set_property(GLOBAL APPEND PROPERTY TUT_VERSIONS_${kernel} "${source}")
endfunction()

# tut_add_versions(PREFIX EXERCISE SOLUTION EDITS NUMBER ALONE)
#
# The wrong and right versions of an exercise that tut_want_version noted, in one program for each mode;
# they are compiled in one source, since most of the time of each goes into the same headers. There each
# version has a namespace of its own: what it defines in `chNN` is in `chNN_WHY`, which sees `chNN`. What
# the test calls is a jump into the version that the environment's TUT_VERSION names
# (choose_version.cmake). So that this can be, a version includes files only at its beginning, defines
# no macros, and has nothing outside tut::chNN. Where a test has the line `// versions: each alone,
# because REASON`, each is a source of its own, in which the exercise's function has another name.
function(tut_add_versions prefix exercise solution edits number alone)
  foreach(mode IN ITEMS plain checked counted)
    tut_version_targets(${prefix}_versions ${mode} program kernel)
    if(NOT TARGET ${program})
      continue()
    endif()
    if(NOT TARGET ${kernel})
      get_property(sources GLOBAL PROPERTY TUT_VERSIONS_${kernel})
      list(REMOVE_DUPLICATES sources)
      set(folder "${CMAKE_CURRENT_BINARY_DIR}/${kernel}")
      tut_join_versions("${sources}" ${exercise} "${solution}" "${edits}" ch${number} "${folder}"
        "${alone}" joined names)
      add_custom_command(OUTPUT "${folder}/choose.cpp"
        COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} "-DTEST=$<TARGET_OBJECTS:${prefix}_check>"
          "-DVERSIONS=$<TARGET_OBJECTS:${kernel}>" -DNAMESPACE=ch${number} "-DNAMES=${names}"
          "-DOUTPUT=${folder}/choose.cpp" -P "${PROJECT_SOURCE_DIR}/cmake/choose_version.cmake"
        DEPENDS "$<TARGET_OBJECTS:${prefix}_check>" "$<TARGET_OBJECTS:${kernel}>"
          "${PROJECT_SOURCE_DIR}/cmake/choose_version.cmake"
        VERBATIM COMMENT "Versions of ${prefix}")
      add_library(${kernel}_choice OBJECT "${folder}/choose.cpp")
    endif()
    tut_add_exercise_version(${prefix}_versions "${joined}" ${number} ${prefix}_check ${mode})
    target_link_libraries(${kernel} PRIVATE tut_unused_allowed)  # as a learner's file is
    target_link_libraries(${program} PRIVATE ${kernel}_choice)
  endforeach()
endfunction()

# One source of several versions, or one of each alone, and the versions' names. make_versions.py makes it
# at build time: what an edit does not fit any more ends the build.
function(tut_join_versions sources exercise solution edits namespace folder alone result names)
  if(NOT Python3_FOUND)
    message(FATAL_ERROR "wrong versions need Python 3; install it, or configure with -DTUT_WRONG_VERSIONS=OFF")
  endif()
  get_filename_component(extension "${solution}" LAST_EXT)
  set(files "")
  set(edited "")
  set(made "")
  set(joined "")
  set(whys "")
  foreach(source IN LISTS sources)
    tut_why_of("${source}" why)
    list(APPEND whys ${why})
    if(source MATCHES "^EDITED/")
      list(APPEND edited ${why})
      list(APPEND made "${folder}/${exercise}.${why}${extension}")
    else()
      list(APPEND files "${source}")
    endif()
    if(alone)
      list(APPEND joined "${folder}/${why}${extension}")
    endif()
  endforeach()
  set(different "${whys}")
  list(REMOVE_DUPLICATES different)
  if(NOT different STREQUAL whys)
    message(FATAL_ERROR "of ${sources}, two have the same name")
  endif()
  set(arguments --folder "${folder}" --namespace ${namespace} --exercise ${exercise} --files ${files})
  set(tool "${PROJECT_SOURCE_DIR}/tests/versions/make_versions.py")
  set(inputs "${tool}" "${PROJECT_SOURCE_DIR}/tests/versions/edits.py" ${files})
  if(edited)
    list(APPEND arguments --solution "${solution}" --edits "${edits}" --edited ${edited})
    list(APPEND inputs "${solution}" "${edits}")
  endif()
  if(alone)
    list(APPEND arguments --alone)
  else()
    set(joined "${folder}/versions${extension}")
  endif()
  add_custom_command(OUTPUT ${joined} ${made} COMMAND Python3::Interpreter "${tool}" ${arguments}
    DEPENDS ${inputs} VERBATIM COMMENT "Edits of ${exercise}")
  set(${result} "${joined}" PARENT_SCOPE)
  set(${names} "${whys}" PARENT_SCOPE)
endfunction()

# What watches this exercise's kernels in this build: a list of `checked` and `counted`.
function(tut_watched_modes source test_source result)
  set(modes "")
  if(source MATCHES "\\.cu$" AND TUT_CAN_WATCH)
    list(APPEND modes checked)
    file(STRINGS "${test_source}" budget REGEX "^TEST_CASE\\(\"budget\"\\)")
    if(budget)
      list(APPEND modes counted)
    endif()
  endif()
  set(${result} "${modes}" PARENT_SCOPE)
endfunction()

# The names of a version's program and of the library with its kernel.
function(tut_version_targets version mode program kernel)
  if(mode STREQUAL "plain")
    set(${program} ${version} PARENT_SCOPE)
    set(${kernel} ${version}_kernel PARENT_SCOPE)
  elseif(mode MATCHES "^debug")
    set(${program} ${version}_${mode} PARENT_SCOPE)
    set(${kernel} ${version}_${mode}_kernel PARENT_SCOPE)
  else()
    set(${program} ${version}_${mode} PARENT_SCOPE)
    set(${kernel} ${version}_watched_kernel PARENT_SCOPE)
  endif()
endfunction()

# tut_add_exercise_version(VERSION SOURCE NUMBER CHECK plain|checked|counted|debug|debug_checked)
function(tut_add_exercise_version version source number check mode)
  tut_version_targets(${version} ${mode} program kernel)
  if(NOT TARGET ${kernel})
    tut_add_kernel(${kernel} OBJECT SOURCES "${source}" DEPENDS ch${number})
    tut_see_contracts(${kernel})
    if(TUT_BACKEND STREQUAL "cpu" AND source MATCHES "\\.cu$")
      # Whole kernels, a thread after the other up to each barrier: a split kernel would run as if
      # it had a barrier at the end of a loop where the learner forgot it.
      set_target_properties(${kernel} PROPERTIES CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND};-E;env;CUCC_SPLIT=off;${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cucc;--launcher")
    endif()
    if(mode MATCHES "^debug")
      tut_debug_kernels(${kernel} ${mode})
    elseif(NOT mode STREQUAL "plain")
      tut_watch_kernels(${kernel})
    endif()
    # What nvcc would refuse of a learner's file is refused here, too, and must not be of a right version.
    # To find it is half of a small kernel's compilation: the rest goes without.
    get_target_property(launcher ${kernel} CXX_COMPILER_LAUNCHER)
    if(launcher MATCHES "cucc" AND kernel MATCHES "_exercise_|_versions_watched_kernel$")
      set_property(TARGET ${kernel} APPEND PROPERTY CXX_COMPILER_LAUNCHER --strict-device)
    endif()
  endif()
  if(NOT TARGET ${program})
    add_executable(${program})
  endif()
  target_link_libraries(${program} PRIVATE ${check} ${kernel} ch${number} tut_test_main)
  if(TUT_CAN_WATCH AND source MATCHES "\\.cpp$")
    # Of code without kernels, check mode watches integers that overflow.
    target_compile_options(${kernel} PRIVATE -fsanitize=signed-integer-overflow)
    if(NOT mode MATCHES "^debug")
      target_compile_options(${kernel} PRIVATE -g1)
    endif()
    target_link_libraries(${program} PRIVATE simt_check)
  elseif(mode MATCHES "checked$")
    target_link_libraries(${program} PRIVATE simt_check)
  elseif(mode STREQUAL "counted")
    target_link_libraries(${program} PRIVATE simt_count)
  endif()
  set_target_properties(${program} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# tut_add_watched_programs(NAME SOURCES a.cu ...): NAME_checked and NAME_counted from the same objects,
# where this build can watch.
function(tut_add_watched_programs name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  if(NOT TUT_CAN_WATCH)
    return()
  endif()
  foreach(mode IN ITEMS checked counted)
    add_executable(${name}_${mode})
    tut_link_watched(${name}_${mode} ${mode} ${arg_SOURCES})
  endforeach()
endfunction()

# tut_add_output_test(NAME TARGET LABEL FILE [arguments...])
# What the program prints must be what FILE in the current folder holds: prose quotes it, so it is the
# maintainers' test. With TUT_UPDATE_OUTPUT=1 in the environment the test writes the file.
function(tut_add_output_test name target label file)
  if(NOT TARGET ${target} OR NOT TUT_MAINTAINER)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${target}>
    "-DARGUMENTS=${ARGN}" "-DFILE=${CMAKE_CURRENT_SOURCE_DIR}/${file}"
    "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}" -P "${PROJECT_SOURCE_DIR}/cmake/expect_output.cmake")
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${TUT_TEST_TIMEOUT})
  tut_check_needs(${label} ${target})
endfunction()

# tut_add_debugger_output_test(NAME LABEL FILE SOURCES a.cu ... [ARGUMENTS arguments...])
# The same of a session in gdb: FILE.gdb has its commands, FILE.txt what it looks like. Where there is no
# gdb there is no such test.
function(tut_add_debugger_output_test name label file)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "SOURCES;ARGUMENTS")
  find_package(Python3 COMPONENTS Interpreter)
  find_program(TUT_GDB gdb)
  if(NOT TUT_CAN_WATCH OR NOT TUT_MAINTAINER OR NOT Python3_FOUND OR NOT TUT_GDB)
    return()
  endif()
  string(REPLACE "." "_" target "ch${name}")
  tut_add_kernel(${target}_kernels OBJECT SOURCES ${arg_SOURCES})
  tut_debug_kernels(${target}_kernels debug_checked)
  add_executable(${target})
  target_link_libraries(${target} PRIVATE ${target}_kernels simt_check)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  set(session "${PROJECT_SOURCE_DIR}/docs/tools/gdb_transcript.py"
    "${PROJECT_SOURCE_DIR}/common/learn/debug/cuda_gdb.py" "${CMAKE_CURRENT_SOURCE_DIR}/${file}.gdb"
    $<TARGET_FILE:${target}> ${arg_ARGUMENTS})
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -DPROGRAM=${Python3_EXECUTABLE}
    "-DARGUMENTS=${session}" "-DFILE=${CMAKE_CURRENT_SOURCE_DIR}/${file}.txt"
    "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}" -P "${PROJECT_SOURCE_DIR}/cmake/expect_output.cmake")
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${TUT_TEST_TIMEOUT})
  tut_check_needs(${label} ${target})
endfunction()

# The test case "budget" of a counted program. A test that found nothing to check would pass.
function(tut_add_budget_test name target label)
  add_test(NAME ${name} COMMAND ${target} --test-case=budget)
  tut_tests_need(${target})
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${TUT_TEST_TIMEOUT}
    FAIL_REGULAR_EXPRESSION "budget not checked;test cases: +0")
  tut_check_needs(${label} ${target})
endfunction()

# tut_add_failing_test(NAME TARGET LABEL KIND [ARGUMENTS arguments...] [SAYS MESSAGE])
# A program that must fail by an ordinary failure: exit code 1, no crash, and the line `kind: KIND`,
# or what check mode says. With SAYS the message must be part of its output.
function(tut_add_failing_test name target label kind)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "" "SAYS;ARGUMENTS")
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND}
    -DPROGRAM=$<TARGET_FILE:${target}> "-DARGUMENTS=${arg_ARGUMENTS}" -DKIND=${kind}
    "-DSAYS=${arg_SAYS}" -P "${PROJECT_SOURCE_DIR}/cmake/expect_failure.cmake")
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${TUT_TEST_TIMEOUT})
  tut_check_needs(${label} ${target})
endfunction()
