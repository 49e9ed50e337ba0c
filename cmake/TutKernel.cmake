# tut_add_kernel(NAME [OBJECT] SOURCES a.cu b.cpp ... [DEPENDS targets...] [ALONE a ...])
#
# A library of kernels and their launchers for whichever backend is configured: .cu files go
# through cucc (cpu) or nvcc (cuda), .cpp files are ordinary C++. STATIC unless OBJECT is given;
# without sources it is an interface library. Sources that ALONE names, without their endings, can be
# compiled without the rest: see tut_add_lean_program.
function(tut_add_kernel name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OBJECT" "" "SOURCES;DEPENDS;ALONE")
  foreach(alone IN LISTS arg_ALONE)
    set(source ${arg_SOURCES})
    list(FILTER source INCLUDE REGEX "^${alone}[.]")
    list(REMOVE_ITEM arg_SOURCES ${source})
    list(APPEND arg_SOURCES "$<TARGET_OBJECTS:${name}_${alone}_object>")
    tut_add_object(${name}_${alone}_object ${source})
  endforeach()
  set(scope PUBLIC)
  if(NOT arg_SOURCES)
    set(scope INTERFACE)
    add_library(${name} INTERFACE)
  elseif(arg_OBJECT)
    add_library(${name} OBJECT ${arg_SOURCES})
  else()
    add_library(${name} STATIC ${arg_SOURCES})
  endif()
  target_link_libraries(${name} ${scope} tut ${arg_DEPENDS})
  target_include_directories(${name} ${scope}
    "${PROJECT_SOURCE_DIR}/chapters" "${PROJECT_SOURCE_DIR}/common")
  if(arg_SOURCES)
    target_link_libraries(${name} PRIVATE tut_warnings)
    tut_compile_cuda(${name} ${arg_SOURCES})
  endif()
endfunction()

# tut_add_object(NAME SOURCE): one source as a library that depends on no other chapter's.
function(tut_add_object name source)
  add_library(${name} OBJECT "${source}")
  target_link_libraries(${name} PRIVATE tut_warnings)
  target_include_directories(${name} PRIVATE
    "${PROJECT_SOURCE_DIR}/chapters" "${PROJECT_SOURCE_DIR}/common")
  tut_compile_cuda(${name} "${source}")
  if(TUT_BACKEND STREQUAL "cpu")
    target_compile_definitions(${name} PRIVATE TUT_BACKEND_CPU)
  else()
    target_compile_definitions(${name} PRIVATE TUT_BACKEND_CUDA)
  endif()
endfunction()

# tut_compile_cuda(TARGET sources...): how the .cu files among the sources of a target compile.
function(tut_compile_cuda target)
  set(cuda_sources ${ARGN})
  list(FILTER cuda_sources INCLUDE REGEX "\\.cu$")
  if(NOT cuda_sources)
    return()
  endif()
  target_link_libraries(${target} PUBLIC tut_cuda)
  if(TUT_BACKEND STREQUAL "cpu")
    set(launcher "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cucc;--launcher")
    if(TUT_MAINTAINER)
      # A kernel that does not compile once split at its barriers would be compiled whole.
      list(PREPEND launcher "${CMAKE_COMMAND}" -E env CUCC_SPLIT=strict)
    endif()
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
    # Tuning for a model of processor is off: for some, g++ takes multiply-adds apart.
    set_source_files_properties(${cuda_sources} PROPERTIES
      LANGUAGE CXX
      OBJECT_DEPENDS "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cucc"
      COMPILE_OPTIONS "-O3;-march=${TUT_MARCH};-mtune=generic;-fno-math-errno;-fno-trapping-math;-fopenmp-simd;-D__SIMT_STATIC__")
    add_dependencies(${target} cucc)
  else()
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--expt-relaxed-constexpr;--extended-lambda;-lineinfo>")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()

# Whether this build can watch kernels. clang leaves out some of the accesses, and sanitizers are in the
# way.
set(TUT_CAN_WATCH FALSE)
if(TUT_BACKEND STREQUAL "cpu" AND NOT TUT_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(TUT_CAN_WATCH TRUE)
endif()

# tut_watch_kernels(TARGET): the kernels of a tut_add_kernel library tell of every access. Linked with
# simt_check or simt_count they are checked or counted: what is watched is compiled alike for both.
function(tut_watch_kernels target)
  set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS FALSE
    CXX_COMPILER_LAUNCHER "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cucc;--launcher;--check")
endfunction()

# tut_link_watched(TARGET checked|counted a.cu ...): a program with these sources watched, in the place of
# those of a chapter's library. Each is compiled once for all programs that ask.
function(tut_link_watched target mode)
  foreach(source IN LISTS ARGN)
    get_filename_component(source "${source}" ABSOLUTE)
    file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}" "${source}")
    string(MAKE_C_IDENTIFIER "watched_${name}" name)
    if(NOT TARGET ${name})
      tut_add_kernel(${name} OBJECT SOURCES "${source}" DEPENDS tut_cublas)
      tut_watch_kernels(${name})
      set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    endif()
    target_link_libraries(${target} PRIVATE ${name})
  endforeach()
  string(REGEX REPLACE "ed$" "" library simt_${mode})
  target_link_libraries(${target} PRIVATE ${library})
  # It may have no other sources.
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# tut_debug_kernels(TARGET debug|debug_checked): a tut_add_kernel library is compiled for a debugger. The
# options come last, so that those for speed do not count.
function(tut_debug_kernels target mode)
  set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS FALSE)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-O0;-g>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-G;-g>")
  get_target_property(launcher ${target} CXX_COMPILER_LAUNCHER)
  if(launcher MATCHES "cucc")
    set(check "")
    if(mode STREQUAL "debug_checked")
      set(check ";--check")
    endif()
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cucc;--launcher${check};-G")
  endif()
endfunction()

# tut_architectures_from(MINIMUM RESULT): the CUDA architectures of this build from MINIMUM on; all
# if it is empty. On the CPU backend, which stands for sm_90, the list is only never empty.
function(tut_architectures_from minimum result)
  set(kept "")
  if(TUT_BACKEND STREQUAL "cpu")
    set(kept 90)
  else()
    foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
      string(REGEX MATCH "^[0-9]+" number "${architecture}")
      if(NOT minimum OR number STREQUAL "" OR number GREATER_EQUAL minimum)
        list(APPEND kept "${architecture}")
      endif()
    endforeach()
  endif()
  set(${result} "${kept}" PARENT_SCOPE)
endfunction()
