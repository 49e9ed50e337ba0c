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
set(TUT_SANITIZE "" CACHE STRING "Sanitizers for host code, e.g. address,undefined")

set(TUT_INSPECT "" CACHE STRING
  "CPU backend: what watches all kernels of this build: nothing, or check (for races and other bugs)")
set_property(CACHE TUT_INSPECT PROPERTY STRINGS "" check)
if(NOT TUT_INSPECT MATCHES "^(check)?$" OR (TUT_INSPECT AND NOT TUT_BACKEND STREQUAL "cpu"))
  message(FATAL_ERROR "TUT_INSPECT is '${TUT_INSPECT}' and TUT_BACKEND is '${TUT_BACKEND}'; "
    "expected nothing, or check on the cpu backend")
endif()

set(TUT_MARCH "native" CACHE STRING
  "The processor that host code is for: native, or x86-64-v3 where it runs on another machine")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
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
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CUDA_FLAGS_RELEASE "-O3")

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
if(TUT_INSPECT OR TUT_SANITIZE)
  set(TUT_TEST_TIMEOUT 14400)
endif()
if(TUT_SANITIZE)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TUT_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=undefined>")
  add_link_options("-fsanitize=${TUT_SANITIZE}")
endif()

# tut_share_test_headers(TARGET): the headers that nearly all tests include are compiled once, for who
# learns. Maintainers' tests are compiled without, so that none leaves out an include.
set(TUT_SHARED_TEST_HEADERS FALSE)
if(TUT_BACKEND STREQUAL "cpu" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT TUT_MAINTAINER)
  set(TUT_SHARED_TEST_HEADERS TRUE)
endif()
function(tut_share_test_headers target)
  if(TUT_SHARED_TEST_HEADERS)
    target_precompile_headers(${target} REUSE_FROM tut_test_main)
  endif()
endfunction()

# tut_join_sources(TARGET): who learns waits for the first build, and most of the time of a small source
# goes into its headers: they are compiled many at a time. Names in anonymous namespaces must therefore
# differ within a library, which maintainers see because they build as learners do. Their CUDA build
# compiles each source alone: each includes what it uses.
set(TUT_JOIN_SOURCES "" CACHE STRING
  "Whether libraries compile many sources at a time: ON, OFF, or empty, which is ON but for maintainers' CUDA builds")
function(tut_join_sources target)
  if(TUT_JOIN_SOURCES OR (TUT_JOIN_SOURCES STREQUAL "" AND NOT (TUT_MAINTAINER AND TUT_BACKEND STREQUAL "cuda")))
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
endfunction()
