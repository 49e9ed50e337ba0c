// cucc's command lines, dependency files and error messages.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "driver.hpp"
#include "options.hpp"
#include "spacing.hpp"

namespace {

using simt::rewrite::CommandLine;
using simt::rewrite::Installation;
using simt::rewrite::parse_compiler;
using simt::rewrite::parse_nvcc;
using simt::rewrite::Stage;
namespace fs = std::filesystem;

/// A folder of its own for each test case.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("cucc_test_" + std::to_string(getpid()))) {
    fs::remove_all(path_);
    fs::create_directory(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& content) const {
    std::string path = (path_ / name).string();
    std::ofstream(path) << content;
    return path;
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string read(const std::string& name) const {
    std::stringstream content;
    content << std::ifstream(path(name)).rdbuf();
    return content.str();
  }

 private:
  fs::path path_;
};

Installation installation() { return {TUT_SOURCE_DIR "/common/simt/include", {}, {}, {}}; }

/// Runs `run` with standard error, its children's too, in a file; returns what was written.
template <class Run>
std::string capture_errors(const Folder& folder, Run run) {
  const std::string file = folder.path("stderr");
  const int saved = dup(2);
  const int capture = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(capture, 2);
  run();
  dup2(saved, 2);
  close(saved);
  close(capture);
  return folder.read("stderr");
}

/// The compiler's messages about a source file, compiled without linking.
std::string messages(const Folder& folder, const std::string& code) {
  const std::string file = folder.write("k.cu", code);
  int status = 0;
  std::string text = capture_errors(folder, [&] {
    status = simt::rewrite::drive({"-c", "-O0", file, "-o", folder.path("k.o")}, installation());
  });
  CHECK(status != 0);
  return text;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool says(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
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
}

TEST_CASE("cucc: a wrong command line is named") {
  CHECK_THROWS_WITH(parse_nvcc({"--no-such-option", "a.cu"}), "unknown option --no-such-option");
  CHECK_THROWS_WITH(parse_nvcc({"a.cu", "-o"}), "option -o expects a value");
  CHECK_THROWS_WITH(simt::rewrite::drive({"-O2"}, installation()), "no input files");
  CHECK_THROWS_WITH(simt::rewrite::drive({"-c", "-o", "x", "a.cu", "b.cu"}, installation()),
                    "-o names one file, but 2 inputs are compiled");
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
        messages(folder, "__device__ void f() {\n  asm(\"wgmma.fence.sync.aligned;\");\n}\n");
    CHECK(says(text,
               "k.cu:2: error: PTX instruction 'wgmma.fence.sync.aligned' is not supported on "
               "the CPU backend"));
    CHECK(text.find("assembler") == std::string::npos);
  }
  SUBCASE("a library that the CPU backend has not") {
    const std::string text = messages(folder, "int i;\n#include <thrust/sort.h>\n");
    CHECK(says(text, "k.cu:2:10: fatal error: thrust/sort.h"));
    CHECK(says(text, "cucc: error: Thrust is not supported on the CPU backend\n"));
    CHECK(messages(folder, "#include <none.h>\n").find("CPU backend") == std::string::npos);
  }
}

TEST_CASE("cucc: a kernel that does not compile once split at its barriers is compiled whole") {
  const Folder folder;
  // The call changes `rng`, which the split takes for the same in all threads.
  const std::string code =
      "struct Rng { unsigned s; __device__ unsigned operator()() { return s *= 3u; } };\n"
      "__global__ void k(unsigned* out) {\n"
      "  __shared__ unsigned x[64];\n  Rng rng{7};\n  unsigned v = rng();\n"
      "  x[threadIdx.x] = v;\n  __syncthreads();\n  out[threadIdx.x] = x[63 - threadIdx.x];\n}\n";
  const auto compile = [&](const char* policy, const std::string& text, int& status) {
    const std::string file = folder.write("k.cu", text);
    setenv("CUCC_SPLIT", policy, 1);
    std::string said = capture_errors(folder, [&] {
      status = simt::rewrite::drive({"-c", "-O0", file, "-o", folder.path("k.o")}, installation());
    });
    unsetenv("CUCC_SPLIT");
    return said;
  };
  int status = 0;
  CHECK(compile("on", code, status).empty());
  CHECK(status == 0);
  CHECK(says(compile("strict", code, status), "k.cu:5:19: error: no match for call"));
  CHECK(status != 0);
  CHECK(compile("off", code, status).empty());
  CHECK(status == 0);
  // What fails either way is told once.
  const std::string text = compile("on", code + "int broken = missing;\n", status);
  CHECK(status != 0);
  CHECK(says(text, "k.cu:10:14: error: ‘missing’ was not declared"));
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
