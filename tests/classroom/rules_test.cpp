#include "learn/classroom/rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "learn/classroom/recipe.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"

using namespace tut::learn;
namespace fs = std::filesystem;

namespace {

ObjectFacts calls(std::initializer_list<const char*> names) {
  ObjectFacts facts;
  for (const char* name : names) facts.symbols.push_back({'U', name, false});
  return facts;
}

ObjectFacts includes(std::initializer_list<const char*> files) {
  ObjectFacts facts;
  for (const char* file : files) facts.files.emplace_back(file);
  return facts;
}

}  // namespace

TEST_CASE("no file of the course says what a graded file must not") {
  for (const char* folder : {"solutions", "exercises", "tests/right"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(TUT_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cu" && entry.path().extension() != ".cpp") continue;
      const std::string text = read_file(entry.path()).value_or("");
      const std::vector<std::string> wrong = wrong_words(text);
      INFO(entry.path().string(), ": ", wrong.empty() ? "" : wrong[0]);
      CHECK(wrong.empty());
    }
  }
}

TEST_CASE(
    "words that tell builds apart or reach around the language are found wherever they hide") {
  for (const char* text : {"#ifdef __SIMT_WATCHED__\n",
                           "__SI\\\nMT__",
                           "__SI\\ \t\nMT__",
                           "int a = 1'000; __SIMT__; int b = 1'000;",
                           "#if 0\ndon't\n#endif\n__SIMT__",
                           "'\\'' ; __SIMT__",
                           "\"/*\"; __SIMT__ /* */",
                           "simt::Launch x;",
                           "__attribute__((constructor)) void f();",
                           "[[gnu::constructor]] void f();",
                           "a ## b",
                           "a %:%: b",
                           "R\"(x)\"",
                           "extern char** environ;",
                           "void __tsan_init();",
                           "#line 1 \"x.h\"\n",
                           "  %: /* */ line 7\n",
                           "# 1 \"/usr/include/x.h\" 3\n",
                           "#li\\\nne 7 \"x.h\"\n",
                           "_Pragma(\"GCC optimize(0)\")",
                           "_Pragma(L\"GCC push_options\")",
                           "#define PRAGMA _Pragma\n",
                           "syscall(1);"}) {
    CAPTURE(text);
    CHECK_FALSE(wrong_words(text).empty());
  }
  for (const char* text :
       {"// __SIMT_WATCHED__\n", "/* simt */", "\"simt\"", "int simpler = 1'000'000;",
        "my_constructor();", "const float x = 1e+5f; // ## a heading\n", "#define A(x) #x\n",
        "#pragma unroll\n", "_Pragma(\"unroll 4\") for (;;) {}", "int line = 1;  // # line\n",
        "#define S(linear) #linear\n"}) {
    CAPTURE(text);
    CHECK(wrong_words(text).empty());
  }
}

TEST_CASE("assembly is looked for in the file's own lines, behind the preprocessor") {
  CHECK(mentions_assembly("asm(\"nop\");"));
  CHECK(mentions_assembly("a\\\nsm(\"nop\");"));
  CHECK(mentions_assembly("x; __asm__(\"nop\");"));
  CHECK_FALSE(mentions_assembly("plasma(1);"));
  const std::string header = "# 1 \"/usr/include/x.h\" 1 3\nasm(\"nop\");\n";
  CHECK_FALSE(has_assembly(header + "# 2 \"/c/own.cu\" 2\nint a;\n", "/c/own.cu"));
  CHECK(has_assembly(header + "# 2 \"/c/own.cu\" 2\nint a; __asm__(\"nop\");\n", "/c/own.cu"));
  CHECK_FALSE(has_assembly("# 2 \"/c/own.cu\" 2\nf(\"asm\");\n", "/c/own.cu"));
  CHECK(has_assembly("# 2 \"/c/../c/./own.cu\" 2\nasm(\"nop\");\n", "/c/own.cu"));
}

TEST_CASE("a call is allowed if the solution makes it, or if it can do no harm") {
  const std::set<std::string> solution = {"std::thread::join"};
  for (const char* name : {"std::thread::join",
                           "cudaMalloc",
                           "sqrtf",
                           "exp",
                           "memcpy",
                           "operator new",
                           "operator delete[]",
                           "std::runtime_error::runtime_error",
                           "__tsan_read4",
                           "simt::configure",
                           "threadIdx",
                           "printf",
                           "fprintf",
                           "stderr",
                           "fflush",
                           "exit",
                           "__printf_chk",
                           "std::cout",
                           "std::ios_base::Init::Init",
                           "std::operator<< <std::char_traits<char> >"}) {
    CAPTURE(name);
    CHECK(is_allowed_call(name, solution));
  }
  for (const char* name : {"_exit",
                           "quick_exit",
                           "std::cin",
                           "stdout",
                           "std::basic_filebuf<char, std::char_traits<char> >::open",
                           "doctest::detail::g_cs",
                           "fork",
                           "ptrace",
                           "open",
                           "read",
                           "write",
                           "dlsym",
                           "system",
                           "syscall",
                           "signal",
                           "longjmp",
                           "getenv",
                           "clock",
                           "time",
                           "environ",
                           "fopen",
                           "mmap",
                           "pthread_create",
                           "std::basic_ofstream<char>::open",
                           "std::thread::detach",
                           "std::set_terminate",
                           "std::chrono::_V2::system_clock::now",
                           "cudart",
                           "getpid",
                           "atexit",
                           "kill",
                           "tut::expect"}) {
    CAPTURE(name);
    CHECK_FALSE(is_allowed_call(name, solution));
  }
  // Work is shared among threads where there is no GPU to do it; nobody leaves one behind.
  CHECK_FALSE(is_allowed_call("std::thread::_M_start_thread", {}));
  CHECK(is_allowed_call("std::thread::_M_start_thread", {}, true));
  CHECK_FALSE(is_allowed_call("std::thread::detach", {}, true));
  CHECK_FALSE(is_allowed_call("fork", {}, true));
  const auto lines = forbidden_calls(calls({"fork", "sqrtf", "fork"}), calls({}));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with("it calls or uses fork, which an answer may not; expected CUDA's"));
  // All of a file stream is one thing, and the rule is told once.
  const auto many = forbidden_calls(
      calls({"std::basic_ofstream<char>::close", "std::basic_filebuf<char>::open", "fork"}),
      calls({}));
  REQUIRE(many.size() == 2);
  CHECK(many[0] == "it calls or uses files (<fstream>), which an answer may not");
  CHECK(many[1].starts_with("it calls or uses fork, which an answer may not; expected CUDA's"));
  // What students often write has its own reason.
  for (const auto& [name, reason] :
       {std::pair("stdout", "nothing that is printed has to be flushed"),
        std::pair("clock", "no clock decides a mark"),
        std::pair("std::chrono::_V2::system_clock::now", "no clock decides a mark")}) {
    const auto told = forbidden_calls(calls({name}), calls({}));
    REQUIRE(told.size() == 1);
    CHECK(told[0].find(reason) != std::string::npos);
  }
  CHECK(forbidden_calls(calls({"fork"}), calls({"fork"})).empty());
}

TEST_CASE("a file includes its own headers, CUDA's and the language's") {
  const auto wrong = [](const char* file) {
    return forbidden_files(includes({file}), includes({"/c/common/tut/compare/known.hpp"}), "/c",
                           "exercises/03_first/reverse.cu");
  };
  for (const char* file :
       {"/c/exercises/03_first/reverse.cu", "/c/chapters/03_first/reverse.hpp",
        "/c/common/simt/include/cuda_runtime.h", "/usr/include/c++/12/vector",
        "/usr/include/stdio.h", "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h",
        "/c/common/tut/compare/known.hpp", "/c/common/tut/errors/check.hpp"}) {
    CAPTURE(file);
    CHECK(wrong(file).empty());
  }
  for (const char* file :
       {"/c/solutions/03_first/reverse.cu", "/c/exercises/03_first/clamp.cu",
        "/c/chapters/04_next/matmul.hpp", "/c/chapters/03_first/reverse.cu", "/etc/passwd",
        "/dev/zero", "/usr/include/eigen3/Eigen/Core", "/usr/include/doctest/doctest.h",
        "/c/common/tut/testing/verdict.hpp", "/c/common/tut/compare/compare.hpp",
        "/c/chapters/03_first/../../solutions/03_first/x.hpp"}) {
    CAPTURE(file);
    CHECK(wrong(file).size() == 1);
  }
}

TEST_CASE("functions of C, weak or not, and those that run by themselves are named") {
  ObjectFacts facts;
  facts.raw_names = {"_ZN3tut4ch037reverseEPfi", "DW.ref.__gxx_personality_v0"};
  facts.initialisers = facts.compilers_initialisers = 2;
  CHECK(forbidden_definitions(facts).empty());
  facts.raw_names.insert("memcmp");
  CHECK(forbidden_definitions(facts).size() == 1);
  facts.initialisers = 3;
  CHECK(forbidden_definitions(facts).size() == 2);
  // A table outside of all namespaces, unless something else goes by that name.
  facts.raw_names = facts.raw_data = {"weights"};
  facts.initialisers = 2;
  CHECK(forbidden_definitions(facts, {"width"}).empty());
  CHECK(forbidden_definitions(facts, {"weights"}).size() == 1);
  facts.raw_names = facts.raw_data = {"__malloc_hook"};
  CHECK(forbidden_definitions(facts).size() == 1);
  CHECK(count_initialisers(
            "  [ 9] .init_array INIT_ARRAY 0000000000000000 0018d8 000008 08 WA 0 0 8\n"
            "  [10] .rela.init_array RELA 0000000000000000 00a7f0 000018 18 I 79 46 8\n"
            "  [11] .init_array.00099 INIT_ARRAY 0000000000000000 001b28 000010 08 WA 0 0 8\n"
            "  [12] .text PROGBITS 0000000000000000 000040 000300 00 AX 0 0 1\n") == 3);
}

TEST_CASE("dependency files are read as make reads them") {
  CHECK(parse_dependencies("x.o: a.cu \\\n b\\ c.hpp d$$.h\n\nd.h:\n") ==
        std::vector<std::string>{"a.cu", "b c.hpp", "d$.h"});
}

TEST_CASE("a program's recipe is what the build says") {
  CHECK(shell_words("a 'b c' \"d\\\"e\" f\\ g") ==
        std::vector<std::string>{"a", "b c", "d\"e", "f g"});
  const ProgramRecipe recipe = parse_recipe(
      "g++ -o t.o -c /c/tests/t.cpp\n"
      "cucc --launcher --check g++ -MD -MF k/x.cu.o.d -o k/x.cu.o -c /c/exercises/x.cu\n"
      ": && g++ -O2 t.o k/x.cu.o -o bin/x l/libt.a /usr/lib/libz.so && :\n",
      "/c/exercises/x.cu");
  CHECK(recipe.object == "k/x.cu.o");
  CHECK(recipe.program == "bin/x");
  CHECK(recipe.watched);
  CHECK(recipe.inputs == std::vector<std::string>{"t.o", "l/libt.a"});
  CHECK(recipe.link.front() == "g++");
  CHECK(recipe.link.back() == "/usr/lib/libz.so");
  CHECK(redirected(recipe.link, {{"bin/x", "/grade/x"}})[5] == "/grade/x");
  CHECK_THROWS_AS((void)parse_recipe("g++ -o y -c z\n", "/c/exercises/x.cu"), UsageError);
}
