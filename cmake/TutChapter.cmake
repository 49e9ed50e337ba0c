# tut_add_chapter(05_shared_memory_tiling
#   KERNELS matmul_tiled.cu ...     library ch05
#   [DEPENDS ch04 ...]              earlier chapters, never later ones
#   [LIBS targets ...]              other libraries
#   [DEMO demo.cpp] [BENCH bench.cpp]
#   [ALONE a ...]                   sources that lean programs are made of, without their endings
#   [COUNT a.cu ...]                kernels that the benchmark launches; all, unless it says which
#   [SLOW_COUNTS])                  to count them takes long: no test does
#
# Besides ch05, ch05_demo, ch05_bench and ch05_counts, which counts where the benchmark times, this
# adds, by file name, the chapter's exercises
# (tut_add_exercise), ch05_test from the remaining tests/05_*/*_test.cpp, and check_05, which builds
# and runs everything of the chapter that must pass.
function(tut_add_chapter chapter)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SLOW_COUNTS" "DEMO;BENCH" "KERNELS;DEPENDS;LIBS;ALONE;COUNT")
  string(SUBSTRING "${chapter}" 0 2 number)
  set(library ch${number})
  foreach(earlier IN LISTS arg_DEPENDS)
    if(NOT earlier STRLESS library)
      message(FATAL_ERROR "${library} depends on ${earlier}: a chapter may only use earlier ones")
    endif()
  endforeach()

  tut_add_kernel(${library} SOURCES ${arg_KERNELS} DEPENDS ${arg_DEPENDS} ${arg_LIBS}
    ALONE ${arg_ALONE})
  if(arg_DEMO)
    tut_add_program(${library}_demo ${library} "${arg_DEMO}")
  endif()
  if(arg_BENCH)
    tut_add_program(${library}_bench ${library} "${arg_BENCH}")
    target_link_libraries(${library}_bench PRIVATE tut_bench_main)
    tut_name_chapter(${library}_bench ${chapter})
    if(TUT_BACKEND STREQUAL "cuda")
      # Nothing asks the device for anything before there is a main program: it starts without one.
      add_test(NAME ${number}.bench.starts COMMAND ${library}_bench --help)
      set_tests_properties(${number}.bench.starts PROPERTIES LABELS "${number};host" TIMEOUT ${TUT_TEST_TIMEOUT})
    endif()
  endif()

  # The kernels of this chapter, and of all that it depends on.
  set(kernels ${arg_KERNELS})
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  list(TRANSFORM kernels PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  tut_kernels_of("${arg_DEPENDS}" TUT_ALL_KERNELS all_kernels)
  list(PREPEND all_kernels ${kernels})
  list(REMOVE_DUPLICATES all_kernels)
  set_target_properties(${library} PROPERTIES TUT_KERNELS "${kernels}" TUT_ALL_KERNELS "${all_kernels}")

  add_custom_target(check_${number}
    COMMAND ${CMAKE_CTEST_COMMAND} --test-dir "${PROJECT_BINARY_DIR}" -L "^${number}$"
      --output-on-failure
    USES_TERMINAL COMMENT "Chapter ${number}: tests")
  if(arg_BENCH)
    tut_add_counts(${chapter} "${arg_BENCH}" "${kernels}" "${arg_DEPENDS}" "${arg_COUNT}"
      ${arg_SLOW_COUNTS})
  endif()

  file(GLOB solutions CONFIGURE_DEPENDS "${TUT_COURSE_ROOT}/solutions/${chapter}/*.c*")
  file(GLOB given CONFIGURE_DEPENDS "${TUT_COURSE_ROOT}/exercises/given/${chapter}/*.cpp"
    "${TUT_COURSE_ROOT}/exercises/given/${chapter}/*.cu")
  list(APPEND solutions ${given})
  list(SORT solutions)
  set(exercises "")
  foreach(solution IN LISTS solutions)
    get_filename_component(exercise "${solution}" NAME_WE)
    list(APPEND exercises ${exercise})
    tut_add_exercise(${chapter} ${exercise} "${solution}")
  endforeach()

  file(GLOB tests CONFIGURE_DEPENDS "${TUT_COURSE_ROOT}/tests/${chapter}/*_test.cpp")
  foreach(exercise IN LISTS exercises)
    list(FILTER tests EXCLUDE REGEX "/${exercise}_test\\.cpp$")
  endforeach()
  if(tests)
    add_library(${library}_tests OBJECT EXCLUDE_FROM_ALL ${tests})
    target_link_libraries(${library}_tests PUBLIC ${library} tut_test_main_headers
      PRIVATE tut_warnings)
    tut_share_test_headers(${library}_tests)
    # Who learns need not wait for the long ones.
    set(leave_out "")
    if(NOT TUT_MAINTAINER)
      set(leave_out "--test-suite-exclude=long")
    endif()
    tut_add_test_program(${library}_test ${library})
    tut_add_test(${number}.test ${library}_test ${number} ${leave_out})
    # The longest begin first: they are the last chapters'.
    set_tests_properties(${number}.test PROPERTIES COST ${number})
    # The same with every kernel watched, but not trainings of many steps, which then take half an hour,
    # not the studies of accuracy, and not the suite `unwatched`, which takes as long; of two formats that
    # differ in nothing else one is enough.
    tut_is_in_part(CHAPTERS tried)
    if(tried AND TUT_CAN_WATCH AND TUT_MAINTAINER AND all_kernels)
      tut_add_test_program(${library}_test_checked ${library})
      tut_link_watched(${library}_test_checked checked ${all_kernels})
      tut_add_test(${number}.test.checked ${library}_test_checked ${number}
        --test-suite-exclude=long,unwatched "--test-case-exclude=trainer: *,*<__nv_bfloat16>"
        "--source-file-exclude=*accuracy_test.cpp,*trainer_test.cpp")
      set_tests_properties(${number}.test.checked PROPERTIES COST ${number})
    endif()
  endif()
endfunction()

# The .cu files of these chapters' libraries: TUT_KERNELS, or with those of the chapters that they depend
# on TUT_ALL_KERNELS.
function(tut_kernels_of libraries property result)
  set(kernels "")
  foreach(library IN LISTS libraries)
    get_target_property(theirs ${library} ${property})
    if(theirs)
      list(APPEND kernels ${theirs})
    endif()
  endforeach()
  set(${result} "${kernels}" PARENT_SCOPE)
endfunction()

# A program with the tests of a chapter.
function(tut_add_test_program target library)
  add_executable(${target})
  target_link_libraries(${target} PRIVATE ${library}_tests ${library} tut_test_main)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# chNN_counts: a chapter's benchmark with its kernels watched. `count` names these; if it is empty,
# they are the .cu files of the chapter and of those it depends on. What it counts must be what
# docs/results/cpu_backend/NN.json holds, where there is such a file and it does not take long; of
# another compiler than that one's, as far as compilers must agree (check_counts.py).
function(tut_add_counts chapter bench kernels depends count slow)
  string(SUBSTRING "${chapter}" 0 2 number)
  set(library ch${number})
  if(NOT kernels OR NOT TUT_CAN_WATCH)
    return()
  endif()
  if(NOT count)
    tut_kernels_of("${depends}" TUT_KERNELS count)
    list(PREPEND count ${kernels})
  endif()
  tut_add_program(${library}_counts tut_counts_main "${bench}")
  tut_link_watched(${library}_counts counted ${count})
  target_link_libraries(${library}_counts PRIVATE ${library})
  tut_name_chapter(${library}_counts ${chapter})
  set(kept docs/results/cpu_backend/${number}.json)
  if(TUT_MAINTAINER AND Python3_FOUND AND NOT slow AND EXISTS "${PROJECT_SOURCE_DIR}/${kept}")
    add_test(NAME ${number}.counts COMMAND Python3::Interpreter
      "${PROJECT_SOURCE_DIR}/docs/tools/check_counts.py" $<TARGET_FILE:${library}_counts>
      "${PROJECT_SOURCE_DIR}/${kept}")
    set_tests_properties(${number}.counts PROPERTIES LABELS "${number}"
      TIMEOUT ${TUT_TEST_TIMEOUT})
    tut_check_needs(${number} ${library}_counts)
  else()
    set_target_properties(${library}_counts PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endif()
endfunction()

# The program's results say of which chapter they are.
function(tut_name_chapter program chapter)
  target_sources(${program} PRIVATE "${PROJECT_SOURCE_DIR}/common/tut/bench/bench_chapter.cpp")
  target_compile_definitions(${program} PRIVATE "TUT_CHAPTER=\"${chapter}\"")
endfunction()

# tut_add_program(TARGET LIBRARY sources...): an executable beside a chapter's library.
function(tut_add_program target library)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE ${library} tut_warnings)
  tut_compile_cuda(${target} ${ARGN})
endfunction()

# tut_add_lean_program(TARGET SOURCES a.cpp ... OBJECTS ch13_conv2d_implicit ... [LIBS targets...])
# A program that is linked with these sources of chapters (ALONE in tut_add_chapter), and not with the
# chapters' libraries: to build it compiles no other kernel. The tour consists of such programs.
function(tut_add_lean_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;OBJECTS;LIBS")
  list(TRANSFORM arg_OBJECTS REPLACE "(.+)" "$<TARGET_OBJECTS:\\1_object>")
  add_executable(${target} ${arg_SOURCES} ${arg_OBJECTS})
  target_include_directories(${target} PRIVATE
    "${PROJECT_SOURCE_DIR}/chapters" "${PROJECT_SOURCE_DIR}/common")
  target_link_libraries(${target} PRIVATE ${arg_LIBS} tut_text Threads::Threads tut_warnings)
endfunction()

# tut_add_test(NAME TARGET LABEL [arguments...]): a program that must exit 0.
function(tut_add_test name target label)
  add_test(NAME ${name} COMMAND ${target} ${ARGN})
  tut_tests_need(${target})
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${TUT_TEST_TIMEOUT}
    SKIP_RETURN_CODE 77)
  list(GET label 0 first)
  tut_check_needs(${first} ${target})
endfunction()

# tut_add_text_test(NAME TARGET LABEL STATUS N SAYS REGEX [SAYS_NOT REGEX] [ARGUMENTS arguments...])
# A program that must end with this status (a regular expression, too) and print what matches SAYS,
# and nothing that matches SAYS_NOT.
function(tut_add_text_test name target label)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "STATUS;SAYS;SAYS_NOT" "ARGUMENTS")
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${target}>
    "-DARGUMENTS=${arg_ARGUMENTS}" "-DSTATUS=${arg_STATUS}" "-DSAYS=${arg_SAYS}"
    "-DSAYS_NOT=${arg_SAYS_NOT}" -P "${PROJECT_SOURCE_DIR}/cmake/expect_text.cmake")
  tut_tests_need(${target})
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${TUT_TEST_TIMEOUT}
    SKIP_REGULAR_EXPRESSION "skipped: ended with 77")
  list(GET label 0 first)
  tut_check_needs(${first} ${target})
endfunction()

# tut_check_needs(LABEL targets...): what a chapter's tests need, which `check_NN` builds and runs. `tested_NN`
# only builds it: of a copy that comes with an assignment `learn test` tries the chapters assigned.
function(tut_check_needs label)
  if(TARGET check_${label})
    add_dependencies(check_${label} ${ARGN})
    if(NOT TARGET tested_${label})
      add_custom_target(tested_${label})
    endif()
    add_dependencies(tested_${label} ${ARGN})
  endif()
endfunction()

# tut_tests_need(targets...): what `learn test` builds for who learns; maintainers build all there is.
function(tut_tests_need)
  if(NOT TUT_MAINTAINER)
    if(NOT TARGET tested)
      add_custom_target(tested)
    endif()
    add_dependencies(tested ${ARGN})
  endif()
endfunction()

# tut_add_same_kernels_test(NAME TARGET LABEL MINIMUM N SOURCES chapters/... [LIBRARIES targets...])
# See tests/same_kernels.cmake. Without LIBRARIES the whole program must be free of linear algebra.
function(tut_add_same_kernels_test name target label)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "MINIMUM" "SOURCES;LIBRARIES")
  set(objects "$<TARGET_FILE:${target}>")
  if(arg_LIBRARIES)
    list(TRANSFORM arg_LIBRARIES REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE objects)
  endif()
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} "-DPROGRAM=$<TARGET_FILE:${target}>"
    "-DSOURCES=${arg_SOURCES}" -DMINIMUM=${arg_MINIMUM} "-DOBJECTS=${objects}" -DNM=${CMAKE_NM}
    -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DBUILD_DIR=${PROJECT_BINARY_DIR}
    -P ${PROJECT_SOURCE_DIR}/tests/same_kernels.cmake)
  set_tests_properties(${name} PROPERTIES LABELS "${label};host" TIMEOUT ${TUT_TEST_TIMEOUT})
endfunction()
