// What CUDA has and the CPU backend does not is named by file and line, and no name of a program's
// own.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cucc_folder.hpp"

namespace {

const std::string kHead =
    "#include <cublasLt.h>\n#include <cublas_v2.h>\n#include <cuda.h>\n"
    "#include <cudaTypedefs.h>\n#include <curand.h>\n#include <curand_kernel.h>\n";

/// What cucc says of a program behind the headers; empty if it compiles.
std::string said_of(const Folder& folder, const std::string& code,
                    const std::string& name = "k.cu") {
  const std::string file = folder.write(name, code);
  int status = 0;
  std::string text = capture_errors(folder, [&] {
    status = simt::rewrite::drive({"-c", "-O0", file, "-o", folder.path("k.o")}, installation());
  });
  CHECK((status == 0) == text.empty());
  return text;
}

struct Case {
  std::string name;  ///< of CUDA's
  std::string code;  ///< one line that uses it as @, wherever names stand
};

const std::vector<Case> kMissing = {
    {"curandStateSobol32_t", "__global__ void k0(@* s, float* o) { *o = curand_normal(s); }"},
    {"curandStateScrambledSobol32_t", "__device__ @ states[4];"},
    {"curandStateSobol64_t", "struct Holder { @ state; };"},
    {"curandStateScrambledSobol64_t", "template <class T> struct Taker {}; Taker<@> taker;"},
    {"curandStateMtgp32", "__global__ void k1(int* o) { __shared__ @ s; *o = sizeof s; }"},
    {"curandStateMtgp32_t", "using State = @;"},
    {"curandDirectionVectors32_t", "void f2(const @* vectors);"},
    {"curandDirectionVectors64_t", "typedef @ Vectors;"},
    {"curandDiscreteDistribution_t", "void f3() { @ d = nullptr; (void)d; }"},
    {"curandGeneratePoisson", "int f4() { return @(nullptr, nullptr, 1, 2.0); }"},
    {"curand_poisson_weighted", "__device__ float f5(float* s) { return 2 * @(s); }"},
    {"cublasSsymm", "template <class T> void f6(T x) { if (@(1, 2)) x = 3; }"},
    {"cublasXtHandle_t", "void f7() { @ handle; }"},
    {"cublasXtSgemm", "void f8() { ::@(nullptr, 1); }"},
    {"cublasLtMatmulAlgoGetIds", "auto f9() { return &@; }"},
    {"CUexternalMemory", "__global__ void k2(const __grid_constant__ @ map, int* o) { *o = 1; }"},
    {"cuMemAllocManaged", "bool f10() { return @(nullptr) == CUDA_SUCCESS; }"},
    {"PFN_cuMemAllocManaged", "@ encode = nullptr;"},
    {"cudaGraphicsResource_t", "void f11(@ resource) {}"},
    {"cudaGraphicsResourceSetMapFlags", "void f12() { @(nullptr, 0); }"},
    {"cudaIpcMemHandle_t", "@ handle_of_mine;"},
    {"cudaUserObjectCreate", "void f13() { const auto f = [] { @(nullptr); }; f(); }"},
    {"cudaAtomicCapabilityScalar32", "int f14() { return static_cast<int>(@); }"},
    {"CUBLAS_GEMM_ALGO10", "int f15() { return @; }"},
};

std::string with_name(std::string code, const std::string& name) {
  return code.replace(code.find('@'), 1, name);
}

/// The messages of `text` about line `number` of the file.
std::string about(const std::string& text, std::size_t number) {
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t place = line.find("k.cu:" + std::to_string(number) + ": error: ");
    if (place != std::string::npos) return line.substr(line.find("error: ", place) + 7);
  }
  return {};
}

}  // namespace

TEST_CASE("cucc: names of CUDA's that are missing are named by file and line") {
  const Folder folder;
  std::string code = kHead;
  for (const Case& one : kMissing) code += with_name(one.code, one.name) + '\n';
  const std::string text = said_of(folder, code);
  for (std::size_t i = 0; i < kMissing.size(); ++i) {
    const std::string line = about(text, i + 7);
    INFO(kMissing[i].name, "\n", text);
    CHECK(line.starts_with(kMissing[i].name + " is not supported on the CPU backend: "));
  }
  CHECK(text.find("k.cu:7:") != std::string::npos);
  CHECK(text.find("expected") == std::string::npos);  // nothing of the compiler's own
}

TEST_CASE("cucc: calls that are known to be missing are named with the reason") {
  const Folder folder;
  CHECK(said_of(folder,
                "static void share() {\n  struct cudaGraphicsResource* r = nullptr;\n"
                "  cudaGraphicsMapResources(1, &r, 0);\n}\nvoid f() { share(); }\n") ==
        folder.path("k.cu") +
            ":3: error: graphics are not supported on the CPU backend "
            "(cudaGraphicsMapResources)\n");
}

TEST_CASE("cucc: all that is missing is told at once, in the order of the lines") {
  const Folder folder;
  const std::string text = said_of(folder, R"(#include <cudnn.h>
#include <cuda.h>
#include <cub/cub.cuh>
__global__ void k(float* o) {
  asm volatile("foo.bar %0;\n brx.idx %0, x;" ::"r"(1));
  o[0] = tex1Dfetch<float>(0, 0);
}
int main() {
  cuModuleLoad(nullptr, "x");
  cudaIpcMemHandle_t handle;
  cudaArray_t array;
  cudaMallocArray(&array, nullptr, 1, 1);
  ordinary(1);
}
)");
  std::vector<std::string> told;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    told.push_back(line.substr(folder.path("k.cu").size()));
  }
  const std::string missing = " is not supported on the CPU backend";
  CHECK(told ==
        std::vector<std::string>{
            ":1: error: <cudnn.h>" + missing + " (cuDNN)",
            ":3: error: <cub/cub.cuh>" + missing + " (CUB)",
            ":5: error: PTX instruction 'foo.bar'" + missing,
            ":5: error: PTX instruction 'brx.idx'" + missing,
            ":6: error: texture objects are not supported on the CPU backend (tex1Dfetch)",
            ":9: error: loading modules is not supported on the CPU backend (cuModuleLoad)",
            told.size() > 6 ? told[6] : "",  // with the compiler's suggestion
            ":12: error: CUDA arrays are not supported on the CPU backend (cudaMallocArray)"});
  CHECK(
      (told.size() > 6 &&
       told[6].starts_with(":10: error: cudaIpcMemHandle_t is not supported on the CPU backend")));
}

TEST_CASE("cucc: calls of what is missing are told beside names, and not where nothing calls") {
  const Folder folder;
  const std::string calls =
      "#include <cuda.h>\n"
      "namespace mine { inline int cuModuleUnload(int n) { return n; } }\n"
      "struct Own { int cuModuleLoadData(int n) { return n; } };\n"
      "template <class T> void unused(T) { cudaMallocArray(nullptr, nullptr, 1); }\n"
      "int main() { if (false) cuModuleLoad(nullptr, \"x\"); Own own;\n"
      "  return mine::cuModuleUnload(0) + own.cuModuleLoadData(0); }\n";
  CHECK(said_of(folder, calls) == "");
  const std::string text = said_of(folder, calls + "cudaIpcMemHandle_t handle;\n");
  CHECK(text.find("k.cu:7: error: cudaIpcMemHandle_t") != std::string::npos);
  CHECK(text.find("k.cu:5: error: loading modules is not supported on the CPU backend "
                  "(cuModuleLoad)\n") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}

TEST_CASE("cucc: a C++ source's missing names are named, too") {
  const Folder folder;
  CHECK(said_of(folder, "#include <cuda_runtime.h>\ncudaIpcMemHandle_t h;\n", "host.cpp")
            .starts_with(folder.path("host.cpp") +
                         ":2: error: cudaIpcMemHandle_t is not supported on the CPU backend"));
}

TEST_CASE("cucc: all that a C++ source misses is told at once, too") {
  const Folder folder;
  const std::string calls =
      "#include <cuda.h>\nint main() { if (false) cuModuleLoad(nullptr, \"x\"); }\n";
  CHECK(said_of(folder, calls, "calls.cpp") == "");
  const std::string text = said_of(folder, R"(#include <cudnn.h>
#include <cuda_runtime.h>
#include <nvml.h>
#include <cuda.h>
cudnnHandle_t theirs;
int main() {
  cuModuleLoad(nullptr, "x");
  cudaIpcMemHandle_t handle;
  return ordinary(1);
}
)",
                                   "host.cpp");
  const std::string missing = " is not supported on the CPU backend";
  std::vector<std::string> told;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.starts_with(folder.path("host.cpp") + ":"));
    told.push_back(line.substr(folder.path("host.cpp").size()));
  }
  REQUIRE(told.size() == 4);
  CHECK(told[0] == ":1: error: <cudnn.h>" + missing + " (cuDNN)");
  CHECK(told[1] == ":3: error: <nvml.h>" + missing + " (NVML)");
  CHECK(told[2] == ":7: error: loading modules is not supported on the CPU backend (cuModuleLoad)");
  CHECK(told[3].starts_with(":8: error: cudaIpcMemHandle_t" + missing));
}

TEST_CASE("cucc: a program's own names like CUDA's are its own") {
  const Folder folder;
  CHECK(said_of(folder, kHead + R"(
#define CUDA_CHECK(call) cudaCheck((call), __LINE__)
#define CUBLAS_LIMIT 4
namespace mine {
using cublasSsymm = int;
enum class curandKind { cudaFast, cudaSlow };
inline int cuTensorMapEncodeTiled(int n) { return n; }
template <class CUtensorMap> CUtensorMap curand_twice(CUtensorMap x) { return x + x; }
}  // namespace mine
struct cudaGraphicsResource_t { int cudaIpcMemHandle = CUBLAS_LIMIT; };
static void cudaCheck(cudaError_t error, int line) { if (error != cudaSuccess) exit(line); }
static bool cublasCheck(cublasStatus_t status) { return status == CUBLAS_STATUS_SUCCESS; }
enum { CU_LEFT, CU_RIGHT };
__global__ void fill(curandState* curandStates, int cudaCount) {
  int cublasXtHandle_t = cudaCount, cuOther{2};
  auto cudaStep = [=](int cudaIndex) { return cudaIndex + cublasXtHandle_t + cuOther; };
  curand_init(1, cudaStep(CU_RIGHT), 0, &curandStates[threadIdx.x]);
}
int main() {
  auto [cudaFirst, cudaSecond] = cudaGraphicsResource_t{1}.cudaIpcMemHandle > 0
                                     ? dim3(1).x > 0 ? float2{1, 2} : float2{} : float2{};
  const mine::cublasSsymm cuda_error = mine::cuTensorMapEncodeTiled(mine::curand_twice(1));
  CUDA_CHECK(cudaGetLastError());
  using mine::curandKind;
  return static_cast<int>(curandKind::cudaSlow) + cuda_error + static_cast<int>(cudaFirst) +
         static_cast<int>(cudaSecond) + cublasCheck(CUBLAS_STATUS_SUCCESS) + CU_LEFT;
}
)") == "");
}

TEST_CASE("cucc: of names that a header of its own has, and of macros, the compiler speaks") {
  const Folder folder;
  for (const char* code : {"void f() { cublasSgemm(1); }\n", "void f() { CUDA_CHECK(1); }\n",
                           "curandState states;\n", "void f() { ordinary(1); }\n"}) {
    const std::string text = said_of(folder, code);
    CHECK(text.find("CPU backend") == std::string::npos);
    CHECK(text.find("k.cu:1:") != std::string::npos);
  }
}
