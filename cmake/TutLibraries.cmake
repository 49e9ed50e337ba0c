# Where the CUDA Toolkit's shared libraries are: in one folder of a toolkit, or, as pip installs
# them, in several, .../nvidia/cublas/lib beside .../nvidia/cudnn/lib.

# tut_pip_folders(FOLDER RESULT): FOLDER, and all .../nvidia/*/lib if it is one of these.
function(tut_pip_folders folder result)
  set(folders "${folder}")
  if(folder MATCHES "^(.*/nvidia)/[^/]+/lib$")
    file(GLOB beside LIST_DIRECTORIES true "${CMAKE_MATCH_1}/*/lib")
    list(APPEND folders ${beside})
    list(REMOVE_DUPLICATES folders)
  endif()
  set(${result} "${folders}" PARENT_SCOPE)
endfunction()

# tut_toolkit_hints(RESULT): where to look for a library of the toolkit, or for one that goes with it.
function(tut_toolkit_hints result)
  tut_pip_folders("${CUDAToolkit_LIBRARY_DIR}" folders)
  set(${result} ${folders} ${CUDAToolkit_LIBRARY_ROOT}/lib PARENT_SCOPE)
endfunction()

# tut_find_toolkit_library(NAME FILES): the target CUDA::NAME. Packages for pip have libNAME.so.N
# without the libNAME.so that CMake looks for.
function(tut_find_toolkit_library name files)
  if(TARGET CUDA::${name})
    return()
  endif()
  tut_toolkit_hints(folders)
  find_library(TUT_CUDA_${name} NAMES ${name} ${files} HINTS ${folders} REQUIRED)
  add_library(CUDA::${name} SHARED IMPORTED GLOBAL)
  set_target_properties(CUDA::${name} PROPERTIES IMPORTED_LOCATION "${TUT_CUDA_${name}}")
  target_include_directories(CUDA::${name} SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
endfunction()

# tut_library_folders(RESULT LIBRARIES...): the folders, for a program's RPATH, that the libraries
# (files, or imported targets) are in, and of pip's all. Stubs are for linking only.
function(tut_library_folders result)
  set(all "")
  foreach(library IN LISTS ARGN)
    if(TARGET ${library})
      get_target_property(library ${library} IMPORTED_LOCATION)
    endif()
    get_filename_component(given "${library}" DIRECTORY)
    get_filename_component(real "${library}" REALPATH)
    get_filename_component(real "${real}" DIRECTORY)
    foreach(folder IN ITEMS "${given}" "${real}")
      tut_pip_folders("${folder}" folders)
      list(APPEND all ${folders})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES all)
  list(FILTER all EXCLUDE REGEX "/stubs$")
  set(${result} "${all}" PARENT_SCOPE)
endfunction()
