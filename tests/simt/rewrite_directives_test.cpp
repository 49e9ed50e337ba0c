// cucc's driver: directives, and the headers that an #include finds.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cucc_folder.hpp"
#include "driver/driver.hpp"

TEST_CASE("cucc: a directive keeps a line of its own, in any column and in every mode") {
  const Folder folder;
  folder.write("loops.cuh", R"(#pragma once
  #pragma GCC diagnostic push
#define EACH _Pragma("unroll") for
#define QUIET(x) _Pragma("GCC diagnostic push") x _Pragma("GCC diagnostic pop")
template <class T>
  #pragma nv_exec_check_disable
__host__ __device__ T twice(T x) {
    #pragma GCC diagnostic push
#ifdef __CUDA_ARCH__
    # pragma unroll
    for (int i = 0; i < 1; ++i) x += x;
      #pragma GCC diagnostic pop
    return x;
#else
    #pragma GCC diagnostic pop
    return x + x;
#endif
}
struct Sum {
    #pragma GCC diagnostic push
  float value;
    #pragma GCC diagnostic pop
};
	#pragma GCC diagnostic pop
)");
  const std::string file = folder.write("k.cu", R"(#include "loops.cuh"
__global__ void k(float* x, int n) {
  __shared__ float tile[64];
    #pragma unroll 4
  for (int j = 0; j < n; ++j) x[j] += j;
	#	pragma unroll
  EACH (int j = 0; j < 4; ++j) { QUIET(tile[threadIdx.x] = twice(x[j]);) }
  __syncthreads();
    #pragma GCC ivdep
  for (int j = 0; j < n; ++j) {
    #pragma GCC diagnostic push
    x[j] = tile[63 - threadIdx.x];
    #pragma GCC diagnostic pop
  }
  if (n > 3)
      #pragma unroll
      for (int j = 0; j < 4; ++j) x[j] += 1;
}
void host(float* x, int n) {
    #pragma omp parallel for
  for (int j = 0; j < n; ++j) x[j] = j;
  QUIET((k<<<1, 64>>>(x, n));) k<<<1, 64>>>(x, n); _Pragma("GCC diagnostic push")
    #pragma GCC diagnostic pop
}
)");
  for (const char* mode : {"-O1", "--check", "--count"}) {
    int status = 0;
    const std::string text = capture_errors(folder, [&] {
      status = simt::rewrite::drive({mode, "-c", file, "-o", folder.path("k.o")}, installation());
    });
    CHECK_MESSAGE(status == 0, mode, ": ", text);
  }
}

TEST_CASE("cucc: a header brings the headers that CUDA's brings") {
  const Folder folder;
  const std::pair<const char*, const char*> programs[] = {
      {"cuda_runtime.h", "cudaDataType type = CUDA_R_16F; assert(type == 2); printf(\"\");"},
      {"cublas_v2.h", "__half x; __nv_bfloat16 y; cuComplex z; uint64_t n; cudaDataType t;"},
      {"cublasLt.h", "__half x; __nv_bfloat16 y; fprintf(stderr, \"\");"},
      {"cuda_bf16.h", "__half x;"},
      {"cooperative_groups/reduce.h", "__half x; __nv_bfloat16 y;"},
      {"cooperative_groups/memcpy_async.h", "__nv_bfloat16 y; __pipeline_commit();"},
      {"cuda/pipeline",
       "__half x; cuda::atomic<int> a; cuda::barrier<cuda::thread_scope_block> b;"},
      {"curand_kernel.h", "curandState s; curandGenerator_t g; cudaDataType t;"},
      {"cudaTypedefs.h", "PFN_cuInit start = cuInit;"},
      {"nvtx3/nvToolsExtCudaRt.h", "CUdevice device;"},
  };
  for (const auto& [header, body] : programs) {
    const std::string file = folder.write(
        "k.cu", std::string("#include <") + header + ">\n__device__ void f() { " + body + " }\n");
    CAPTURE(header);
    CHECK(simt::rewrite::drive({"-c", "-O0", file, "-o", folder.path("k.o")}, installation()) == 0);
  }
}

TEST_CASE("cucc: a CUDA toolkit's headers on the command line stay behind the backend's own") {
  const Folder folder;
  std::filesystem::create_directory(folder.path("toolkit"));
  for (const char* name : {"cuda_runtime.h", "cuda_runtime_api.h", "driver_types.h"}) {
    folder.write(std::string("toolkit/") + name, "#error a toolkit's header\n");
  }
  folder.write("toolkit/cufft.h", "");
  const std::string file = folder.write("k.cu", "#include <cuda_runtime.h>\n#include HEADER\n");
  const auto compile = [&](const std::string& header, std::vector<std::string> options) {
    options.insert(options.end(),
                   {"-c", "-DHEADER=<" + header + ">", file, "-o", folder.path("k.o")});
    return simt::rewrite::drive(options, installation());
  };
  CHECK(compile("cstdio", {"-I" + folder.path("toolkit")}) == 0);
  CHECK(compile("cstdio", {"-I", folder.path("toolkit")}) == 0);
  CHECK(compile("cstdio", {"-isystem", folder.path("toolkit")}) == 0);
  int status = 0;
  const std::string text =
      capture_errors(folder, [&] { status = compile("cufft.h", {"-I" + folder.path("toolkit")}); });
  CHECK(status != 0);
  const std::string message =
      "k.cu:2: error: <cufft.h> is not supported on the CPU backend (cuFFT)";
  CHECK(text.find(message) != std::string::npos);
}
