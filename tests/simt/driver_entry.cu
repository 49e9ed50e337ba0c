// Calls of the driver API that a program gets by their names, as libraries do that are not linked
// with the driver.
// reports: memcheck, because calls are refused on purpose
#include <cudaTypedefs.h>

#include <cstring>

#include "expect.cuh"

#pragma nv_diag_suppress 1444  // CUDA 13 would rather be told a version
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

template <class Function>
static Function entry(const char* name) {
  void* function = nullptr;
  auto result = cudaDriverEntryPointSymbolNotFound;
  expect(name, cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &result), cudaSuccess);
  expect("is found", result, cudaDriverEntryPointSuccess);
  return reinterpret_cast<Function>(function);
}

static void test_calls() {
  const auto count_devices = entry<PFN_cuDeviceGetCount_v2000>("cuDeviceGetCount");
  const auto name_of = entry<PFN_cuGetErrorName_v6000>("cuGetErrorName");
  const auto allocate = entry<PFN_cuMemAlloc_v3020>("cuMemAlloc");
  const auto fill = entry<PFN_cuMemsetD32_v3020>("cuMemsetD32");
  const auto copy = entry<PFN_cuMemcpyDtoH_v3020>("cuMemcpyDtoH");
  const auto release = entry<PFN_cuMemFree_v3020>("cuMemFree");
  int count = 0, wanted = 0, out[4] = {};
  cudaGetDeviceCount(&wanted);
  expect("count_devices", count_devices(&count), CUDA_SUCCESS);
  expect("devices", count, wanted);
  const char* text = nullptr;
  expect("name_of", name_of(CUDA_ERROR_NOT_FOUND, &text), CUDA_SUCCESS);
  expect("a name", std::strcmp(text, "CUDA_ERROR_NOT_FOUND"), 0);
  CUdeviceptr memory = 0;
  cudaFree(nullptr);
  expect("allocate", allocate(&memory, sizeof(out)), CUDA_SUCCESS);
  expect("fill", fill(memory, 7, 4), CUDA_SUCCESS);
  expect("copy", copy(out, memory, sizeof(out)), CUDA_SUCCESS);
  expect("filled", out[3], 7);
  expect("release", release(memory), CUDA_SUCCESS);
}

static void test_refusals() {
  void* function = &function;
  auto result = cudaDriverEntryPointSuccess;
  expect("none", cudaGetDriverEntryPoint("cuNone", &function, 0, &result), cudaSuccess);
  expect("not found", result, cudaDriverEntryPointSymbolNotFound);
  expect("nothing", function == nullptr, true);
#ifdef TUT_BACKEND_CPU  // driver 580 crashes on the first
  expect("no name", cudaGetDriverEntryPoint(nullptr, &function, 0), cudaErrorInvalidValue);
  expect("no place", cudaGetDriverEntryPoint("cuInit", nullptr, 0), cudaErrorInvalidValue);
#endif
}

#if CUDART_VERSION >= 13000
static void test_versions() {
  void* function = nullptr;
  auto result = cudaDriverEntryPointSymbolNotFound;
  const auto ask = [&](const char* name, unsigned int version) {
    expect(name, cudaGetDriverEntryPointByVersion(name, &function, version, 0, &result),
           cudaSuccess);
    return result;
  };
  expect("too old", ask("cuGetErrorName", 5000), cudaDriverEntryPointVersionNotSufficent);
  expect("nothing", function == nullptr, true);
  expect("just new enough", ask("cuGetErrorName", 6000), cudaDriverEntryPointSuccess);
  expect("without a context", ask("cuCtxSynchronize", 12000), cudaDriverEntryPointSuccess);
  const auto old_form = reinterpret_cast<PFN_cuCtxSynchronize_v2000>(function);
  expect("with one", ask("cuCtxSynchronize", 13000), cudaDriverEntryPointSuccess);
  const auto new_form = reinterpret_cast<PFN_cuCtxSynchronize_v13000>(function);
  expect("two forms", reinterpret_cast<void*>(old_form) != reinterpret_cast<void*>(new_form), true);
  expect("old form", old_form(), CUDA_SUCCESS);
  expect("new form", new_form(nullptr), CUDA_SUCCESS);
  expect("of each thread", ask("cuStreamSynchronize", 13000), cudaDriverEntryPointSuccess);
  const auto wait = reinterpret_cast<PFN_cuStreamSynchronize_v7000_ptsz>(function);
  expect("wait", wait(nullptr), CUDA_SUCCESS);
}
#else
static void test_versions() {}
#endif

int main() {
  test_calls();
  test_refusals();
  test_versions();
  return report();
}
