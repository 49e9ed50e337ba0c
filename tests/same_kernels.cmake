# cmake -DPROGRAM=... -DSOURCES=a.cu;b.cu -DMINIMUM=N -DOBJECTS=files -DNM=... -DSOURCE_DIR=...
#   -DBUILD_DIR=... -P same_kernels.cmake
# A program runs the very .cu files that nvcc compiles: each is compiled once for it, each of the N
# kernels or more in them is part of the program, and the objects (the program, or the libraries that
# the kernels are in) use no library of linear algebra.
function(read_symbols result)
  execute_process(COMMAND "${NM}" -C ${ARGN} OUTPUT_VARIABLE symbols RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${NM} cannot read ${ARGN}")
  endif()
  set(${result} "${symbols}" PARENT_SCOPE)
endfunction()

file(READ "${BUILD_DIR}/compile_commands.json" commands)
read_symbols(symbols "${PROGRAM}")

set(kernels 0)
foreach(name IN LISTS SOURCES)
  # Into the chapter's own library; a program that counts has objects of its own. The name of the
  # object is not the last word of g++'s command, but of nvcc's.
  get_filename_component(folder "${name}" DIRECTORY)
  get_filename_component(file "${name}" NAME)
  string(REGEX MATCHALL "-o ${folder}/CMakeFiles/[^ /]+/${file}\\.o[ \"]" compiled "${commands}")
  list(LENGTH compiled count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "${name} is compiled ${count} times; expected once")
  endif()
  file(READ "${SOURCE_DIR}/${name}" text)
  string(REGEX REPLACE "__launch_bounds__\\(([^()]|\\([^()]*\\))*\\)[ \n]+" "" text "${text}")
  string(REGEX MATCHALL "__global__ void[ \n]+[a-z0-9_]+" found "${text}")
  foreach(definition IN LISTS found)
    string(REGEX REPLACE "__global__ void[ \n]+" "" kernel "${definition}")
    if(NOT symbols MATCHES "${kernel}")
      message(FATAL_ERROR "${kernel} of ${name} is not in ${PROGRAM}")
    endif()
    math(EXPR kernels "${kernels} + 1")
  endforeach()
endforeach()
if(kernels LESS MINIMUM)
  message(FATAL_ERROR "found ${kernels} kernels; expected at least ${MINIMUM}")
endif()

read_symbols(symbols ${OBJECTS})
foreach(library IN ITEMS "Eigen" "cublas" "cudnn" "cblas_")
  if(symbols MATCHES "[^\n]*${library}[^\n]*")
    message(FATAL_ERROR "${OBJECTS} uses ${library}: ${CMAKE_MATCH_0}")
  endif()
endforeach()
message(STATUS "${kernels} kernels, no library of linear algebra")
