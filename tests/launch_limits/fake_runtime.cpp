#include "fake_runtime.hpp"

namespace tut::test {
namespace {

constexpr std::size_t SHARED = 48 << 10, SHARED_OPTED_IN = 227 << 10, RESERVED = 1 << 10;
constexpr std::size_t REGISTERS = 65536;

struct Runtime {
  std::map<const void*, std::string> symbols;
  std::map<const void*, std::size_t> opted_in;
  cudaError_t last_error = cudaSuccess;
};

Runtime& runtime() {
  static Runtime state;
  return state;
}

/// Registers come to a warp in pieces of 256.
std::size_t registers_of(std::size_t each, std::size_t threads) {
  return (threads + 31) / 32 * ((each * 32 + 255) / 256 * 256);
}

std::string text(const char* what, std::size_t got, std::size_t most) {
  return std::string(what) + " " + std::to_string(got) + ", at most " + std::to_string(most);
}

cudaError_t note(const void* function, dim3 grid, dim3 block, std::size_t dynamic) {
  Launch launch{runtime().symbols[function], grid, block, dynamic, 0};
  if (const auto found = runtime().opted_in.find(function); found != runtime().opted_in.end()) {
    launch.opted_in = found->second;
  }
  launches().push_back(launch);
  if (refusal(launch, all_resources()).empty()) return cudaSuccess;
  return runtime().last_error = cudaErrorInvalidConfiguration;
}

}  // namespace

std::string refusal(const Launch& launch, const AllResources& resources) {
  const dim3 &g = launch.grid, &b = launch.block;
  if (g.x == 0 || g.y == 0 || g.z == 0) return "an empty grid";
  if (g.x > 0x7FFFFFFFu) return text("grid.x", g.x, 0x7FFFFFFF);
  if (g.y > 65535) return text("grid.y", g.y, 65535);
  if (g.z > 65535) return text("grid.z", g.z, 65535);
  if (b.x == 0 || b.y == 0 || b.z == 0) return "an empty block";
  if (b.z > 64) return text("block.z", b.z, 64);
  const std::size_t threads = std::size_t{b.x} * b.y * b.z;
  KernelResources kernel;
  if (const auto found = resources.find(launch.symbol); found != resources.end()) {
    kernel = found->second;
  }
  if (threads > kernel.threads) return text("threads", threads, kernel.threads);
  const std::size_t registers = registers_of(kernel.registers, threads);
  if (registers > REGISTERS) return text("registers of a block", registers, REGISTERS);
  // The compiler's figure has what the system takes of each block.
  const std::size_t fixed = kernel.shared > RESERVED ? kernel.shared - RESERVED : 0;
  if (launch.dynamic > SHARED - fixed && launch.dynamic > launch.opted_in) {
    return text("shared bytes", launch.dynamic + fixed, SHARED);
  }
  if (launch.dynamic + fixed > SHARED_OPTED_IN) {
    return text("shared bytes", launch.dynamic + fixed, SHARED_OPTED_IN);
  }
  return "";
}

std::vector<Launch>& launches() {
  static std::vector<Launch> all;
  return all;
}

}  // namespace tut::test

// In the place of those of libcudart.
extern "C" {

using tut::test::runtime;

void __cudaRegisterFunction(void**, const char* host, char*, const char* symbol, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  runtime().symbols[host] = symbol;
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void**, std::size_t bytes,
                             cudaStream_t) {
  return tut::test::note(function, grid, block, bytes);
}

// nvcc 13 asks for the kernel first.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void**,
                               std::size_t bytes, cudaStream_t) {
  return tut::test::note(reinterpret_cast<const void*>(kernel), grid, block, bytes);
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    runtime().opted_in[function] = static_cast<std::size_t>(value);
  }
  return cudaSuccess;
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = runtime().last_error;
  runtime().last_error = cudaSuccess;
  return error;
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = 132;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = 2048;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = 227 << 10;
      break;
    default:
      *value = 0;
  }
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void*, int, std::size_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t) {
  return cudaSuccess;
}
}
