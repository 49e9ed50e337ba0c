# cmake -DSOURCE_DIR=... -DSCRATCH=FOLDER -P library_folders.cmake
# Which folders a program's RPATH gets, of a toolkit and of what pip installs.
include("${SOURCE_DIR}/cmake/TutLibraries.cmake")

function(expect what got expected)
  if(NOT got STREQUAL expected)
    message(SEND_ERROR "${what}: got ${got}; expected ${expected}")
  endif()
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")
file(REAL_PATH "${SCRATCH}" root)
foreach(file IN ITEMS toolkit/lib/libcublas.so.13 toolkit/lib/stubs/libcuda.so
    nvidia/cublas/lib/libcublas.so.12 nvidia/cudnn/lib/libcudnn.so.9 nvidia/cudnn/include/cudnn.h
    alone/lib/libcudnn.so.9)
  file(WRITE "${root}/${file}" "")
endforeach()
file(CREATE_LINK toolkit/lib "${root}/lib64" SYMBOLIC)

tut_library_folders(folders "${root}/toolkit/lib/libcublas.so.13")
expect("a toolkit" "${folders}" "${root}/toolkit/lib")
tut_library_folders(folders "${root}/lib64/libcublas.so.13")
expect("through a link" "${folders}" "${root}/lib64;${root}/toolkit/lib")
tut_library_folders(folders "${root}/nvidia/cublas/lib/libcublas.so.12")
expect("pip's" "${folders}" "${root}/nvidia/cublas/lib;${root}/nvidia/cudnn/lib")
tut_library_folders(folders "${root}/alone/lib/libcudnn.so.9")
expect("not pip's" "${folders}" "${root}/alone/lib")
tut_library_folders(folders "${root}/toolkit/lib/stubs/libcuda.so")
expect("a stub" "${folders}" "")
