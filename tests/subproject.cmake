# cmake -DSOURCE_DIR=... -DSCRATCH=FOLDER -DCXX=... -P subproject.cmake
# Another project takes this one in with add_subdirectory and uses a chapter's header: it compiles, and
# nothing of the other project changes.
file(REMOVE_RECURSE "${SCRATCH}")
file(WRITE "${SCRATCH}/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)
project(Other LANGUAGES CXX)
add_executable(program program.cpp)
add_subdirectory(\"${SOURCE_DIR}\" course EXCLUDE_FROM_ALL)
target_link_libraries(program PRIVATE ch05)
get_directory_property(options COMPILE_OPTIONS)
if(options OR CMAKE_BUILD_TYPE OR CMAKE_CXX_STANDARD OR CMAKE_RUNTIME_OUTPUT_DIRECTORY)
  message(FATAL_ERROR \"changed: '\${options}' '\${CMAKE_BUILD_TYPE}' '\${CMAKE_CXX_STANDARD}' '\${CMAKE_RUNTIME_OUTPUT_DIRECTORY}'\")
endif()
")
file(WRITE "${SCRATCH}/program.cpp" "#include \"05_shared_memory_tiling/matmul_tiled.hpp\"
int main() {}
")
execute_process(COMMAND "${CMAKE_COMMAND}" -G Ninja -S "${SCRATCH}" -B "${SCRATCH}/build"
  "-DCMAKE_CXX_COMPILER=${CXX}" COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${SCRATCH}/build"
  --target CMakeFiles/program.dir/program.cpp.o COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
