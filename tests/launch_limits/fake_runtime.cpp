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

cudaError_t note(const void* function, dim3 grid, dim3 block, std::size_t dynamic,
                 dim3 cluster = {1, 1, 1}) {
  Launch launch{runtime().symbols[function], grid, block, dynamic, 0, cluster};
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
  const dim3& c = launch.cluster;
  constexpr unsigned CLUSTER = 8;  // the largest that every GPU takes
  if (c.x * c.y * c.z > CLUSTER) return text("blocks of a cluster", c.x * c.y * c.z, CLUSTER);
  if (g.x % c.x != 0 || g.y % c.y != 0 || g.z % c.z != 0) return "a grid of no whole clusters";
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

std::string refusal(const TensorMapRequest& r) {
  constexpr std::uint64_t PIECE = 16, BOX = 256, STEP = 8;
  if (r.rank < 1 || r.rank > 5) return text("dimensions", r.rank, 5);
  if (r.interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) return "an interleaved tensor";
  if (r.address % PIECE != 0) return "an address that is no multiple of 16";
  std::size_t element = 0;
  switch (r.type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8:
      element = 1;
      break;
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
      element = 2;
      break;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
      element = 4;
      break;
    default:
      return "a type that no chapter uses";
  }
  for (cuuint32_t d = 0; d < r.rank; ++d) {
    if (r.sizes[d] == 0 || r.sizes[d] > std::uint64_t{1} << 32)
      return "a size of " + std::to_string(r.sizes[d]);
    if (r.box[d] == 0 || r.box[d] > BOX) return text("elements of a box", r.box[d], BOX);
    if (r.steps[d] == 0 || r.steps[d] > STEP) return text("a step of", r.steps[d], STEP);
    if (d == 0) continue;
    const std::uint64_t stride = r.strides[d - 1];
    if (stride % PIECE != 0) return "a stride that is no multiple of 16";
    if (stride >= std::uint64_t{1} << 40)
      return text("a stride of", stride, (std::size_t{1} << 40) - 1);
  }
  const std::size_t row = r.box[0] * element;
  if (row % PIECE != 0) return "a box whose rows are no multiple of 16 bytes";
  std::size_t widest = 256 * element;
  if (r.swizzle == CU_TENSOR_MAP_SWIZZLE_32B) widest = 32;
  if (r.swizzle == CU_TENSOR_MAP_SWIZZLE_64B) widest = 64;
  if (r.swizzle == CU_TENSOR_MAP_SWIZZLE_128B) widest = 128;
  if (row > widest) return text("bytes of a swizzled row", row, widest);
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

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void**) {
  dim3 cluster(1, 1, 1);
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& one = config->attrs[i];
    if (one.id == cudaLaunchAttributeClusterDimension) {
      cluster = {one.val.clusterDim.x, one.val.clusterDim.y, one.val.clusterDim.z};
    }
  }
  return tut::test::note(function, config->gridDim, config->blockDim, config->dynamicSmemBytes,
                         cluster);
}

static CUresult encode_tensor_map(CUtensorMap*, CUtensorMapDataType type, cuuint32_t rank,
                                  void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                                  const cuuint32_t* box, const cuuint32_t* steps,
                                  CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                  CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  const std::string why = tut::test::refusal(
      tut::test::TensorMapRequest{type, rank, reinterpret_cast<std::uintptr_t>(address), sizes,
                                  strides, box, steps, interleave, swizzle});
  return why.empty() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
#else
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
#endif
  const bool known = std::string(name) == "cuTensorMapEncodeTiled";
  *function = known ? reinterpret_cast<void*>(&encode_tensor_map) : nullptr;
  *result = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
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
