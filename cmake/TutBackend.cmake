# The one place that knows the two backends. Everything else links `tut_cuda` (the CUDA runtime)
# and `tut_cublas` and compiles kernels with tut_add_kernel.

include(TutLibraries)

add_library(tut_cuda INTERFACE)
add_library(tut_cublas INTERFACE)
target_link_libraries(tut_cublas INTERFACE tut_cuda)

if(TUT_BACKEND STREQUAL "cpu")
  target_include_directories(tut_cuda SYSTEM INTERFACE "${PROJECT_SOURCE_DIR}/common/simt/include")
  target_link_libraries(tut_cuda INTERFACE simt)
  target_link_libraries(tut_cublas INTERFACE simt_cublas)
  target_compile_definitions(tut_cuda INTERFACE TUT_BACKEND_CPU)
  add_library(tut_cuda_driver ALIAS tut_cuda)
else()
  # CUDA 13 knows nothing below 75, and `native` fails where there is no GPU.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE capabilities RESULT_VARIABLE status ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(status EQUAL 0 AND capabilities MATCHES "^[0-9]+\\.[0-9]")
      string(REPLACE "." "" capabilities "${capabilities}")
      string(REGEX REPLACE "[\r\n]+" ";" capabilities "${capabilities}")
      list(REMOVE_DUPLICATES capabilities)
      list(TRANSFORM capabilities REPLACE "^90$" "90a")
      set(architectures "${capabilities}")
    else()
      set(architectures "75;80;90a")
    endif()
    set(CMAKE_CUDA_ARCHITECTURES "${architectures}" CACHE STRING "CUDA architectures")
  endif()
  enable_language(CUDA)
  # CMake looks for libcudart.so, which packages for pip leave out.
  get_filename_component(nvcc_folder "${CMAKE_CUDA_COMPILER}" DIRECTORY)
  find_library(CUDA_CUDART NAMES cudart libcudart.so.13 libcudart.so.12
    HINTS "${nvcc_folder}/../lib64" "${nvcc_folder}/../lib" "${nvcc_folder}/../../cuda_runtime/lib")
  find_package(CUDAToolkit 12.4 REQUIRED)
  tut_find_toolkit_library(cublas "libcublas.so.13;libcublas.so.12")
  tut_find_toolkit_library(cublasLt "libcublasLt.so.13;libcublasLt.so.12")
  # Programs find them also where the loader does not look. (CMake leaves folders out that nvcc
  # links from by itself.)
  tut_library_folders(CMAKE_BUILD_RPATH CUDA::cudart CUDA::cublas)
  target_link_libraries(tut_cuda INTERFACE CUDA::cudart)
  target_link_libraries(tut_cublas INTERFACE CUDA::cublas CUDA::cublasLt)
  target_compile_definitions(tut_cuda INTERFACE TUT_BACKEND_CUDA)
  add_library(tut_cuda_driver INTERFACE)
  target_link_libraries(tut_cuda_driver INTERFACE CUDA::cuda_driver)
  message(STATUS "CUDA ${CUDAToolkit_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
endif()
