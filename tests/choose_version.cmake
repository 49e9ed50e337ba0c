# cmake -DSOURCE_DIR=... -DSCRATCH=FOLDER -DCXX=... -DNM=... -P choose_version.cmake
# Two versions of a function in one program: TUT_VERSION chooses, and what it can be is said.
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")

function(compile name)
  execute_process(COMMAND "${CXX}" -std=c++20 -c "${name}.cpp" -o "${name}.o"
    WORKING_DIRECTORY "${SCRATCH}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(write_choice versions status_variable said_variable)
  execute_process(COMMAND "${CMAKE_COMMAND}" "-DNM=${NM}" -DTEST=test.o "-DVERSIONS=${versions}"
    -DNAMESPACE=ch99 "-DNAMES=one;two" -DOUTPUT=choice.cpp -P "${SOURCE_DIR}/cmake/choose_version.cmake"
    WORKING_DIRECTORY "${SCRATCH}" RESULT_VARIABLE status ERROR_VARIABLE said)
  set(${status_variable} "${status}" PARENT_SCOPE)
  set(${said_variable} "${said}" PARENT_SCOPE)
endfunction()

function(expect_run version status said)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env "TUT_VERSION=${version}" ./program
    WORKING_DIRECTORY "${SCRATCH}" RESULT_VARIABLE got ERROR_VARIABLE output)
  if(NOT got STREQUAL status OR NOT output STREQUAL said)
    message(SEND_ERROR "TUT_VERSION=${version}: ended with ${got} and '${output}', expected ${status} and '${said}'")
  endif()
endfunction()

# The test calls two functions; one has an argument whose type is the contract's.
file(WRITE "${SCRATCH}/contract.hpp" "#pragma once
namespace tut::ch99 {
struct Pair { int first, second; };
int sum(const Pair* pair, int (&more)[2]);
int zero();
}
")
file(WRITE "${SCRATCH}/test.cpp" "#include \"contract.hpp\"
const int before_main = tut::ch99::zero();
int main() {
  const tut::ch99::Pair pair{3, 4};
  int more[2] = {10, 20};
  return tut::ch99::sum(&pair, more) + before_main;
}
")
set(both "int sum(const Pair* pair, int (&more)[2]) { return SUM; }\nint zero() { return 0; }\n")
string(REPLACE SUM "pair->first + more[0]" one "${both}")
string(REPLACE SUM "pair->second + more[1]" two "${both}")
foreach(name IN ITEMS one two)
  file(WRITE "${SCRATCH}/${name}.txt" "namespace tut::ch99 {\n${${name}}}\n")
  string(APPEND joined "namespace tut::ch99_${name} { using namespace tut::ch99; }
#define ch99 ch99_${name}\n#include \"${name}.txt\"\n#undef ch99\n")
  # The other way: a source for each, in which the functions have other names.
  file(WRITE "${SCRATCH}/${name}.cpp" "#define sum sum_${name}\n#define zero zero_${name}
#include \"contract.hpp\"\n#include \"${name}.txt\"\n")
  compile(${name})
endforeach()
file(WRITE "${SCRATCH}/joined.cpp" "#include \"contract.hpp\"\n${joined}")
compile(joined)
compile(test)

foreach(versions IN ITEMS "joined.o" "one.o;two.o")
  write_choice("${versions}" status said)
  if(NOT status EQUAL 0)
    message(SEND_ERROR "${versions}: ${said}")
  endif()
  compile(choice)
  execute_process(COMMAND "${CXX}" test.o ${versions} choice.o -o program WORKING_DIRECTORY "${SCRATCH}")
  expect_run(one 13 "")
  expect_run(two 24 "")
  expect_run(three 2 "TUT_VERSION is 'three'; expected one of: one two\n")
endforeach()

# A version that lacks a function would call nothing.
string(REPLACE "zero()" "none()" lacking "${two}")
file(WRITE "${SCRATCH}/two.txt" "namespace tut::ch99 {\n${lacking}}\n")
compile(joined)
write_choice(joined.o status said)
if(status EQUAL 0 OR NOT said MATCHES "version two of joined.o does not define")
  message(SEND_ERROR "a version without a function: ended with ${status}, and said: ${said}")
endif()
