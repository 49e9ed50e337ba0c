// cucc's command lines, dependency files and error messages.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cucc_folder.hpp"
#include "driver/driver.hpp"
#include "driver/options.hpp"
#include "driver/process.hpp"
#include "frontend/spacing.hpp"

namespace {

using simt::rewrite::CommandLine;
using simt::rewrite::parse_compiler;
using simt::rewrite::parse_nvcc;
using simt::rewrite::Stage;
namespace fs = std::filesystem;

/// The compiler's messages about a source file, compiled without linking.
std::string messages(const Folder& folder, const std::string& code, bool is_refused = true) {
  const std::string file = folder.write("k.cu", code);
  int status = 0;
  std::string text = capture_errors(folder, [&] {
    status = simt::rewrite::drive({"-c", "-O0", file, "-o", folder.path("k.o")}, installation());
  });
  CHECK((status != 0) == is_refused);
  return text;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// With the quotation marks of compilers in the locale C, whatever this one is.
std::string plain_quotes(std::string text) {
  for (const std::string_view mark : {"‘", "’"}) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; ++at) {
      text.replace(at, mark.size(), "'");
    }
  }
  return text;
}

bool says(const std::string& text, const std::string& part) {
  const bool found = plain_quotes(text).find(plain_quotes(part)) != std::string::npos;
  if (!found) MESSAGE("not found: ", part, "\nin: ", text);
  return found;
}

}  // namespace

TEST_CASE("cucc: options that learners paste are accepted") {
  const CommandLine line = parse_nvcc({"-arch=sm_80",
                                       "-gencode",
                                       "arch=compute_90,code=sm_90",
                                       "-gencode=arch=compute_75,code=sm_75",
                                       "-Xcompiler",
                                       "-Wall,-fopenmp",
                                       "--expt-relaxed-constexpr",
                                       "--extended-lambda",
                                       "-lineinfo",
                                       "-use_fast_math",
                                       "-lcublas",
                                       "-lm",
                                       "-Xptxas",
                                       "-v",
                                       "-Xptxas=-O3",
                                       "--ptxas-options=-v",
                                       "-maxrregcount=32",
                                       "-t",
                                       "4",
                                       "-std=c++17",
                                       "-DN=3",
                                       "-D",
                                       "M",
                                       "-I",
                                       "inc",
                                       "-Iother",
                                       "-diag-suppress",
                                       "177,550",
                                       "-Werror",
                                       "all-warnings",
                                       "-cudart",
                                       "static",
                                       "-ccbin",
                                       "g++-12",
                                       "-O3",
                                       "-g",
                                       "-G",
                                       "-o",
                                       "prog",
                                       "a.cu",
                                       "b.cpp",
                                       "c.o",
                                       "-L/usr/local/cuda/lib64"});
  CHECK(line.inputs == std::vector<std::string>{"a.cu", "b.cpp", "c.o"});
  CHECK(line.output == "prog");
  CHECK(line.compiler == "g++-12");
  CHECK(line.stage == Stage::link);
  CHECK(has(line.compiler_flags, "-fopenmp"));
  CHECK(has(line.compiler_flags, "-std=gnu++20"));
  CHECK(has(line.compiler_flags, "-Werror"));
  CHECK(has(line.compiler_flags, "-O3"));
  CHECK(has(line.preprocessor_flags, "-DN=3"));
  CHECK(has(line.preprocessor_flags, "M"));
  CHECK(has(line.preprocessor_flags, "inc"));
  CHECK(has(line.linker_flags, "-lm"));
  CHECK_FALSE(has(line.linker_flags, "-lcublas"));
  CHECK_FALSE(line.separate_compilation);
  CHECK(line.device_debug);
}

TEST_CASE("cucc: separate compilation and the stages") {
  CHECK(parse_nvcc({"-rdc=true", "a.cu"}).separate_compilation);
  CHECK(parse_nvcc({"-dc", "a.cu"}).separate_compilation);
  CHECK(parse_nvcc({"-dc", "a.cu"}).stage == Stage::compile);
  CHECK(parse_nvcc({"-rdc", "false", "a.cu"}).separate_compilation == false);
  CHECK(parse_nvcc({"--compile", "a.cu"}).stage == Stage::compile);
  CHECK(parse_nvcc({"-E", "a.cu"}).stage == Stage::preprocess);
  CHECK(parse_nvcc({"--check", "a.cu"}).mode == simt::rewrite::Mode::check);
  CHECK(parse_nvcc({"--count", "a.cu"}).mode == simt::rewrite::Mode::count);
  CHECK(parse_nvcc({"--device-debug", "a.cu"}).device_debug);
  CHECK_FALSE(parse_nvcc({"-g", "a.cu"}).device_debug);
}

TEST_CASE("cucc: what CMake's CUDA language writes") {
  const CommandLine line =
      parse_nvcc({"-isystem=a folder", "-x", "cu", "-cudart=shared", "-c", "a.cu", "-o", "a.cu.o"});
  CHECK(line.preprocessor_flags == std::vector<std::string>{"-isystem", "a folder"});
  CHECK(line.shared_runtime);
  CHECK(parse_nvcc({"a.o", "-lcudart"}).shared_runtime);
  CHECK_FALSE(parse_nvcc({"a.o", "-lcudart_static"}).shared_runtime);

  const simt::rewrite::TemporaryFile file(".rsp");
  simt::rewrite::write_file(file.path(), "-I\"a folder\" 'b c.cu'\n -D\\\"x\\\"\n");
  CHECK(simt::rewrite::read_response_files({"-c", "--options-file", file.path(), "d.cu"}) ==
        std::vector<std::string>{"-c", "-Ia folder", "b c.cu", "-D\"x\"", "d.cu"});
  CHECK_THROWS_WITH(parse_nvcc({"-ptx", "a.cu"}),
                    "option -ptx asks for code of a GPU, which cucc does not make");
}

TEST_CASE("cucc: a wrong command line is named") {
  CHECK_THROWS_WITH(parse_nvcc({"--no-such-option", "a.cu"}), "unknown option --no-such-option");
  CHECK_THROWS_WITH(parse_nvcc({"a.cu", "-o"}), "option -o expects a value");
  CHECK_THROWS_WITH(simt::rewrite::drive({"-O2"}, installation()), "no input files");
  CHECK_THROWS_WITH(simt::rewrite::drive({"-c", "-o", "x", "a.cu", "b.cu"}, installation()),
                    "-o names one file, but 2 inputs are compiled");
}

// g++ loads such an offset by whatever instruction suits it, and linkers take but two.
TEST_CASE("cucc: no kernel asks the linker for an offset of thread-local memory") {
  const Folder folder;
  const std::string file =
      folder.write("k.cu",
                   "__device__ int number() { return threadIdx.x + blockDim.x * blockIdx.x; }\n"
                   "__global__ void k(int* out) { __syncthreads(); out[number()] = threadIdx.x + "
                   "gridDim.x; }\n");
  struct Case {
    std::vector<std::string> options;
    const char* way;
  };
  for (const auto& [options, way] :
       {Case{{}, "@tlsgd"}, Case{{"-Xcompiler", "-fPIC"}, "@tlsgd"},
        Case{{"-D__SIMT_STATIC__"}, "@tpoff"}, Case{{"-G"}, "@tlsgd"}}) {
    std::vector<std::string> command{"-S", "-O2", file, "-o", folder.path("k.s")};
    command.insert(command.end(), options.begin(), options.end());
    REQUIRE(simt::rewrite::drive(command, installation()) == 0);
    const std::string text = simt::rewrite::read_file(folder.path("k.s"));
    CHECK(text.find("@gottpoff") == std::string::npos);
    CHECK(text.find(way) != std::string::npos);
  }
}

TEST_CASE("cucc --launcher: a compiler command as CMake writes it") {
  const CommandLine line = parse_compiler(
      {"/usr/bin/c++", "-DX", "-I/inc", "-isystem", "/sys", "-O3", "-std=gnu++20", "-MD", "-MT",
       "o/a.cu.o", "-MF", "o/a.cu.o.d", "-x", "c++", "-o", "o/a.cu.o", "-c", "/src/a.cu"});
  CHECK(line.compiler == "/usr/bin/c++");
  CHECK(line.inputs == std::vector<std::string>{"/src/a.cu"});
  CHECK(line.preprocessor_flags == std::vector<std::string>{"-DX", "-I/inc", "-isystem", "/sys"});
  CHECK(line.compiler_flags == std::vector<std::string>{"-O3", "-std=gnu++20"});
  CHECK(line.dependency_targets == std::vector<std::string>{"-MT", "o/a.cu.o"});
  CHECK(line.dependency_file == "o/a.cu.o.d");
  CHECK(line.stage == Stage::compile);
}

TEST_CASE("cucc --launcher: the dependency file lists the headers of both passes") {
  const Folder folder;
  folder.write("always.cuh", "inline __device__ int always() { return 1; }\n");
  folder.write("device.cuh", "inline __device__ int device() { return 2; }\n");
  const std::string source = folder.write("k.cu",
                                          "#include \"always.cuh\"\n"
                                          "#ifdef __CUDA_ARCH__\n#include \"device.cuh\"\n#endif\n"
                                          "__global__ void k(int* p) {\n"
                                          "#ifdef __CUDA_ARCH__\n*p = device();\n#endif\n}\n");
  const int status = simt::rewrite::launch_compiler(
      {"g++", "-std=gnu++20", "-O0", "-MD", "-MT", "my_target", "-MF", folder.path("k.d"), "-x",
       "c++", "-o", folder.path("k.o"), "-c", source},
      installation());
  CHECK(status == 0);
  CHECK(fs::exists(folder.path("k.o")));
  const std::string rules = folder.read("k.d");
  CHECK(rules.starts_with("my_target:"));
  CHECK(rules.find(':') == rules.rfind(':'));
  CHECK(says(rules, "k.cu"));
  CHECK(says(rules, "always.cuh"));
  CHECK(says(rules, "device.cuh"));
  CHECK(says(rules, "common/simt/include/cuda_runtime.h"));
  CHECK_FALSE(rules.find("cucc-") != std::string::npos);
}

TEST_CASE("cucc --check: a missing semicolon is told as one, and no lambda that nobody wrote") {
  const Folder folder;
  const std::string source = folder.write("k.cu",
                                          "__global__ void k(int* x, int n) {\n"
                                          "  x[0] = x[n - 1]\n  x[1] = 2;\n}\n");
  const std::string text = capture_errors(folder, [&] {
    CHECK(simt::rewrite::launch_compiler({"--check", "g++", "-std=gnu++20", "-x", "c++", "-o",
                                          folder.path("k.o"), "-c", source},
                                         installation()) != 0);
  });
  CHECK(says(text, "k.cu:2:18: error: expected ‘;’"));
  CHECK_FALSE(text.find("lambda") != std::string::npos);
}

TEST_CASE("cucc: the compiler's messages point at the learner's lines and columns") {
  const Folder folder;
  SUBCASE("a type error in a kernel") {
    const std::string text = messages(folder,
                                      "__global__ void k(float* p) {\n"
                                      "  int i = threadIdx.x;   int  j = p;\n"
                                      "  p[i]   =   undefined;  // a comment\n}\n");
    CHECK(says(text, "k.cu:2:35: error: invalid conversion"));
    CHECK(says(text, "k.cu:3:14: error: ‘undefined’ was not declared"));
  }
  SUBCASE("a syntax error in a kernel") {
    CHECK(says(messages(folder, "__global__ void k(float* p) {\n  int i = 1\n  p[i] = 1;\n}\n"),
               "k.cu:3:3: error: expected"));
  }
  SUBCASE("in a kernel that is cut at its barriers") {
    const std::string text = messages(folder,
                                      "__global__ void k(float* p, int n) {\n"
                                      "  __shared__ float s[32];\n  float sum = 0;\n"
                                      "  for (int i = 0; i < n; ++i) {\n"
                                      "    s[threadIdx.x] = p[i];\n    __syncthreads();\n"
                                      "    sum += s[j];\n    __syncthreads();\n  }\n"
                                      "  p[0] = sum;\n}\n");
    CHECK(says(text, "k.cu:7:14: error: ‘j’ was not declared"));
  }
  SUBCASE("in a launch's arguments") {
    const std::string text = messages(folder,
                                      "__global__ void k(float*, int);\n"
                                      "void f(float* p) {\n"
                                      "  k<<<1, 32>>>(p, \"text\");\n"
                                      "  k<<<1,\n       32>>>(p,\n             nothing);\n}\n");
    CHECK(says(text, "k.cu:3:19: error: invalid conversion"));
    CHECK(says(text, "k.cu:6:14: error: ‘nothing’ was not declared"));
  }
  SUBCASE("in a launch's configuration and behind a launch") {
    const std::string text = messages(folder,
                                      "__global__ void k(float*);\n"
                                      "void f(float* p) {\n"
                                      "  k<<<blocks, 32>>>(p); more();\n}\n");
    CHECK(says(text, "k.cu:3:7: error: ‘blocks’ was not declared"));
    CHECK(says(text, "k.cu:3:25: error: ‘more’ was not declared"));
  }
  SUBCASE("in a shared declaration") {
    CHECK(says(messages(folder, "__global__ void k() {\n  __shared__ float a[N];\n}\n"),
               "k.cu:2:22: error: ‘N’ was not declared"));
  }
  SUBCASE("a missing brace") {
    CHECK(says(messages(folder, "__global__ void k() {\n  if (threadIdx.x) {\n}\n"),
               "error: expected ‘}’ at end of input"));
  }
  SUBCASE("what the CPU backend cannot run") {
    const std::string text =
        messages(folder, "__device__ void f() {\n  asm(\"tcgen05.wait::ld.sync.aligned;\");\n}\n");
    CHECK(says(text,
               "k.cu:2: error: PTX instruction 'tcgen05.wait::ld.sync.aligned' is not supported on "
               "the CPU backend"));
    CHECK(text.find("assembler") == std::string::npos);
  }
  SUBCASE("an instruction in a header's function, where the program uses the function") {
    const std::string said =
        "wrap.cuh:2: error: PTX instruction 'mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16' is "
        "not supported on the CPU backend: factors of f16 are multiplied in m16n8k8 and m16n8k16\n";
    const std::string instruction = "asm(\"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 %0;\")";
    const std::string include = "#include \"wrap.cuh\"\n";
    const std::string use = include + "__global__ void k() { f(); }\n";
    for (const std::string head :
         {"__device__ inline void f()", "__forceinline__ __device__ void f()",
          "template <int = 0> __device__ void f()"}) {
      folder.write("wrap.cuh", head + " {\n" + instruction + "; }\n");
      CHECK(messages(folder, include, false) == "");
      CHECK(says(messages(folder, use), said));
    }
    folder.write("wrap.cuh",
                 "struct S { __host__ __device__ static void go() {\n" + instruction + "; } };\n");
    CHECK(messages(folder, include, false) == "");
    CHECK(says(messages(folder, include + "__global__ void k() { S::go(); }\n"), said));
    // What becomes code in any case is refused at once, and so is the program's own.
    for (const std::string head : {"__device__ void f()", "__device__ static void f()"}) {
      folder.write("wrap.cuh", head + " {\n" + instruction + "; }\n");
      CHECK(says(messages(folder, include), said));
    }
    CHECK(says(messages(folder, "__device__ inline void f() {\n" + instruction + "; }\n"),
               "k.cu:2: error: PTX"));
  }
  SUBCASE("a library that the CPU backend has not") {
    const std::string text = messages(folder, "int i;\n  #include <thrust/sort.h>\n");
    CHECK(
        says(text, "k.cu:2: error: <thrust/sort.h> is not supported on the CPU backend (Thrust)"));
    CHECK(text.find("fatal") == std::string::npos);
    folder.write("inner.cuh", "\n#include <cufft.h>\n");
    CHECK(says(messages(folder, "#include \"inner.cuh\"\n"),
               "inner.cuh:2: error: <cufft.h> is not supported on the CPU backend (cuFFT)"));
    CHECK(messages(folder, "#include <none.h>\n").find("CPU backend") == std::string::npos);
  }
}

TEST_CASE(
    "cucc: a kernel of which the compiler does not confirm what a split relies on stays whole") {
  const Folder folder;
  // By its tokens `start` could be a number, and the same in all threads.
  const std::string code =
      "struct Start { int t; __device__ Start() : t(threadIdx.x) {} };\nusing Number = Start;\n"
      "__global__ void k(int* out) {\n"
      "  Number start{};\n  __syncthreads();\n  out[threadIdx.x] = start.t;\n}\n"
      "__global__ void other(int* out) {\n"
      "  out[threadIdx.x] = 1;\n  __syncthreads();\n  out[threadIdx.x + 64] = out[0];\n}\n";
  const auto compile = [&](const char* policy, const std::string& text, int& status) {
    const std::string file = folder.write("k.cu", text);
    setenv("CUCC_SPLIT", policy, 1);
    std::string said = capture_errors(folder, [&] {
      status = simt::rewrite::drive({"-c", "-O0", "--split-report", file, "-o", folder.path("k.o")},
                                    installation());
    });
    unsetenv("CUCC_SPLIT");
    return said;
  };
  int status = 0;
  for (const char* policy : {"on", "strict"}) {
    const std::string report = compile(policy, code, status);
    CHECK(status == 0);
    CHECK(says(report,
               "k.cu:3: note: k runs whole, on fibers: it has a type or a constant that "
               "the compiler does not confirm"));
    CHECK(says(report, "k.cu:8: note: other runs cut at its barriers"));
  }
  const std::string alone = code.substr(0, code.find("__global__ void other"));
  CHECK(says(compile("strict", alone, status), "k.cu:3: note: k runs whole, on fibers"));
  CHECK(status == 0);
  CHECK(says(compile("off", code, status), "k.cu:8: note: other runs whole, on fibers\n"));
  CHECK(status == 0);
  // What fails either way is told once.
  const std::string text = compile("on", code + "int broken = missing;\n", status);
  CHECK(status != 0);
  CHECK(says(text, "k.cu:13:14: error: ‘missing’ was not declared"));
  CHECK(text.find("no match") == std::string::npos);
  setenv("CUCC_SPLIT", "perhaps", 1);
  CHECK_THROWS_AS(
      simt::rewrite::drive({"-c", folder.path("k.cu"), "-o", folder.path("k.o")}, installation()),
      simt::rewrite::UsageError);
  unsetenv("CUCC_SPLIT");
}

TEST_CASE("cucc: spacing is restored only where the line is the same") {
  using simt::rewrite::respace;
  CHECK(respace("int a = 1;", "int   a =\t1;  // one") == "int   a =\t1;");
  CHECK(respace("  f(a, b);", "  f(a, /* two */ b);") == "  f(a,           b);");
  CHECK(respace("f(3);", "f(N);").empty());
  CHECK(respace("int ab;", "int a;").empty());
  CHECK(respace("s = \"a  b\";", "s   = \"a  b\";") == "s   = \"a  b\";");
}
