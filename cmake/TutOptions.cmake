# What a build can be told, and the defaults.

set(TUT_BACKEND "cpu" CACHE STRING "Where kernels run: cpu (any x86-64 machine) or cuda (nvcc, a GPU)")
set_property(CACHE TUT_BACKEND PROPERTY STRINGS cpu cuda)
if(NOT TUT_BACKEND MATCHES "^(cpu|cuda)$")
  message(FATAL_ERROR "TUT_BACKEND is '${TUT_BACKEND}'; expected cpu or cuda")
endif()

option(TUT_MAINTAINER "Stubs, wrong versions and prose are checked" OFF)
option(TUT_WERROR "Warnings are errors: for compilers that are known, since every new one warns anew" OFF)
option(TUT_WRONG_VERSIONS
  "With TUT_MAINTAINER: the stubs and wrong versions of the exercises are built, and must fail" ON)
option(TUT_WATCH_WRONG_VERSIONS
  "Wrong values are looked for where kernels are watched, as learn check does: in three times the time" OFF)
set(TUT_PART "all" CACHE STRING
  "The third of what there is most of that is tested, so that three builds test all of it: 0, 1, 2, or all")
set_property(CACHE TUT_PART PROPERTY STRINGS all 0 1 2)
if(NOT TUT_PART MATCHES "^(all|0|1|2)$")
  message(FATAL_ERROR "TUT_PART is '${TUT_PART}'; expected all, 0, 1 or 2")
endif()
include(TutPart)
set(TUT_COURSE_PATH "" CACHE PATH
  "A folder with an instructor's own exercises, laid out as this project; the environment's LEARN_COURSE_PATH")
if(DEFINED ENV{LEARN_COURSE_PATH})
  set(TUT_COURSE_PATH "$ENV{LEARN_COURSE_PATH}" CACHE PATH "" FORCE)
endif()
if(TUT_COURSE_PATH AND NOT IS_DIRECTORY "${TUT_COURSE_PATH}")
  if(DEFINED ENV{LEARN_COURSE_PATH})
    message(FATAL_ERROR "LEARN_COURSE_PATH is '${TUT_COURSE_PATH}', which is no folder; expected one laid out as the course is")
  endif()
  message(WARNING "${TUT_COURSE_PATH} is gone: its exercises are left out")
  set(TUT_COURSE_PATH "" CACHE PATH "" FORCE)
endif()
if(TUT_COURSE_PATH)
  file(REAL_PATH "${TUT_COURSE_PATH}" TUT_COURSE_PATH)
endif()
set(TUT_SANITIZE "" CACHE STRING "Sanitizers for host code, e.g. address,undefined")

set(TUT_MARCH "native" CACHE STRING
  "The processor that host code is for: native, or x86-64-v3 where it runs on another machine")

# As a part of another project, this one decides for itself only.
if(NOT CMAKE_BUILD_TYPE)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  else()
    set(CMAKE_BUILD_TYPE Release)
  endif()
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS ON)
# CMake 3.25 knows no C++20 flag for nvcc 13; tut_compile_cuda passes it.
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TUT_CCACHE ccache)
  if(TUT_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${TUT_CCACHE}")
  endif()
endif()

# Release without NDEBUG: assertions are part of what a learner sees.
set(TUT_HOST_OPTIMIZATION "-O2" CACHE STRING "Optimization of what runs on the host, with nvcc, too")
set(CMAKE_CXX_FLAGS_RELEASE "${TUT_HOST_OPTIMIZATION}")
set(CMAKE_CUDA_FLAGS_RELEASE "${TUT_HOST_OPTIMIZATION}")

add_library(tut_warnings INTERFACE)
target_compile_options(tut_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra>"
  "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${TUT_WERROR}>>:-Werror>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>"
  "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${TUT_WERROR}>>:-Werror=all-warnings>")

# For stubs. A library of its own, as clang heeds the last option: link it after tut_warnings.
add_library(tut_unused_allowed INTERFACE)
target_compile_options(tut_unused_allowed INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wno-unused;-Wno-unused-parameter>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-diag-suppress=177,550;-Xcompiler=-Wno-unused,-Wno-unused-parameter>")

# Seconds after which a test is taken to hang. No test comes near: a slow or busy machine passes, too.
set(TUT_TEST_TIMEOUT 3600)
if(TUT_SANITIZE)
  set(TUT_TEST_TIMEOUT 14400)
endif()
if(TUT_SANITIZE)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TUT_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=undefined>")
  add_link_options("-fsanitize=${TUT_SANITIZE}")
endif()

# tut_share_test_headers(TARGET): the headers that nearly all tests include are compiled once. Builds for
# a GPU go without, and show where a test leaves out an include.
set(TUT_SHARED_TEST_HEADERS FALSE)
if(TUT_BACKEND STREQUAL "cpu" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(TUT_SHARED_TEST_HEADERS TRUE)
endif()
function(tut_share_test_headers target)
  tut_share_headers(${target} tut_test_main)
endfunction()

# The same for an exercise's test, for which maintainers' headers are other ones.
function(tut_share_exercise_headers target)
  if(TUT_MAINTAINER)
    tut_share_headers(${target} tut_exercise_headers)
  else()
    tut_share_headers(${target} tut_test_main)
  endif()
endfunction()

function(tut_share_headers target owner)
  if(TUT_SHARED_TEST_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    # Of a std::string that comes from precompiled headers g++ 12 warns where it does not otherwise.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endfunction()

# tut_join_sources(TARGET): most of the time of a small source goes into its headers, and who begins waits
# for the first build: a library's sources are compiled many at a time. Names in anonymous namespaces
# must therefore differ within such a library.
option(TUT_JOIN_SOURCES "Libraries compile many sources at a time" ON)
function(tut_join_sources target)
  if(TUT_JOIN_SOURCES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
endfunction()
