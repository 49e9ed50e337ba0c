# cmake -DNM=... -DTEST=a.o -DVERSIONS=b.o;... -DNAMESPACE=chNN -DNAMES=w1;w2 -DOUTPUT=choose.cpp
#   -P choose_version.cmake
# Writes a source that defines what the test's object calls in tut::chNN: each function jumps to the one
# of the same signature in tut::chNN_WHY, where the environment's TUT_VERSION is WHY. The signatures are
# those of the objects' symbols, whatever the exercise's functions are.

# `symbols`: MANGLED|DEMANGLED of an object's symbols of these types.
function(read_symbols object types result)
  execute_process(COMMAND "${NM}" -p "${object}" OUTPUT_VARIABLE mangled COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${NM}" -p -C "${object}" OUTPUT_VARIABLE demangled COMMAND_ERROR_IS_FATAL ANY)
  # Signatures may have what ends or groups a list's elements in CMake.
  foreach(text IN ITEMS mangled demangled)
    string(REPLACE ";" "<semicolon>" ${text} "${${text}}")
    string(REPLACE "[" "<bracket>" ${text} "${${text}}")
    string(REPLACE "]" "<closing>" ${text} "${${text}}")
    string(REPLACE "\n" ";" ${text} "${${text}}")
  endforeach()
  set(symbols "")
  foreach(symbol signature IN ZIP_LISTS mangled demangled)
    if(symbol MATCHES " [${types}] (.+)$")
      set(symbol "${CMAKE_MATCH_1}")
      string(REGEX REPLACE "^[0-9a-f ]+ [${types}] " "" signature "${signature}")
      list(APPEND symbols "${symbol}|${signature}")
    endif()
  endforeach()
  set(${result} "${symbols}" PARENT_SCOPE)
endfunction()

read_symbols("${TEST}" U called)
list(FILTER called INCLUDE REGEX "[|].*tut::${NAMESPACE}::")
set(defined "")
foreach(object IN LISTS VERSIONS)
  read_symbols("${object}" T symbols)
  list(APPEND defined ${symbols})
endforeach()

# Where a version's function is, by its signature.
foreach(entry IN LISTS defined)
  string(REGEX MATCH "^([^|]+)[|](.+)$" ignored "${entry}")
  set(symbol "${CMAKE_MATCH_1}")
  string(MD5 key "${CMAKE_MATCH_2}")
  set(symbol_${key} "${symbol}")
endforeach()

set(declarations "")
set(jumps "")
set(rows "")
set(wanted "")
foreach(entry IN LISTS called)
  string(REGEX MATCH "^([^|]+)[|](.+)$" ignored "${entry}")
  set(symbol "${CMAKE_MATCH_1}")
  set(signature "${CMAKE_MATCH_2}")
  # Only the name is the version's: the types of its arguments are the contract's.
  string(FIND "${signature}" "tut::${NAMESPACE}::" at)
  string(SUBSTRING "${signature}" 0 ${at} before)
  string(SUBSTRING "${signature}" ${at} -1 rest)
  foreach(why IN LISTS NAMES)
    string(REGEX REPLACE "^tut::${NAMESPACE}::" "tut::${NAMESPACE}_${why}::" joined "${rest}")
    string(REGEX REPLACE "^(tut::${NAMESPACE}::[a-zA-Z0-9_]+)" "\\1_${why}" alone "${rest}")
    foreach(own IN ITEMS "${before}${joined}" "${before}${alone}")
      string(MD5 key "${own}")
      if(DEFINED symbol_${key})
        list(APPEND wanted "${symbol}")
        set(target_${why}_${symbol} "${symbol_${key}}")
      endif()
    endforeach()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES wanted)
list(LENGTH wanted count)
if(count EQUAL 0)
  message(FATAL_ERROR "${VERSIONS} defines nothing that ${TEST} calls in tut::${NAMESPACE}; expected the exercise's functions in each version")
endif()

set(number 0)
foreach(symbol IN LISTS wanted)
  string(APPEND jumps ".globl ${symbol}\n.type ${symbol}, @function\n${symbol}:\n"
    "jmp *tut_chosen + 8 * ${number}(%rip)\n.size ${symbol}, . - ${symbol}\n")
  math(EXPR number "${number} + 1")
endforeach()
set(number 0)
foreach(why IN LISTS NAMES)
  set(functions "")
  foreach(symbol IN LISTS wanted)
    if(NOT DEFINED target_${why}_${symbol})
      message(FATAL_ERROR "version ${why} of ${VERSIONS} does not define ${symbol}, as others do")
    endif()
    string(APPEND declarations "extern \"C\" void version_${number}() asm(\"${target_${why}_${symbol}}\");\n")
    string(APPEND functions "version_${number}, ")
    math(EXPR number "${number} + 1")
  endforeach()
  string(APPEND rows "    {\"${why}\", {${functions}}},\n")
endforeach()

file(WRITE "${OUTPUT}" "#include <cstdio>
#include <cstdlib>
#include <cstring>

${declarations}
using Function = void (*)();
constexpr int kFunctions = ${count};

struct Version {
  const char* name;
  Function functions[kFunctions];
};

const Version kVersions[] = {
${rows}};

extern \"C\" {
__attribute__((visibility(\"hidden\"), used)) Function tut_chosen[kFunctions];
}

// Before any other, so that a version may be called while static objects are made.
__attribute__((constructor(101))) void choose() {
  const char* name = std::getenv(\"TUT_VERSION\");
  for (const Version& version : kVersions) {
    if (name != nullptr && std::strcmp(version.name, name) == 0) {
      std::memcpy(tut_chosen, version.functions, sizeof tut_chosen);
      return;
    }
  }
  std::fprintf(stderr, \"TUT_VERSION is '%s'; expected one of:\", name == nullptr ? \"\" : name);
  for (const Version& version : kVersions) std::fprintf(stderr, \" %s\", version.name);
  std::fputc('\\n', stderr);
  std::_Exit(2);
}

asm(R\"(.text
${jumps})\");
")
