// The device converts, in loops over the grid.
#include "12_mixed_precision/convert_fp8_e4m3.hpp"

#include <cuda_fp8.h>

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__device__ std::uint8_t code_of(float x) {
  return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
}

__device__ float value_of_code(std::uint8_t code) {
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(code, __NV_E4M3)));
}

__global__ void narrow(const float* in, std::uint8_t* out, std::size_t size) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += step) {
    out[i] = code_of(in[i]);
  }
}

__global__ void widen(const std::uint8_t* in, float* out, std::size_t size) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += step) {
    out[i] = value_of_code(in[i]);
  }
}

}  // namespace

void to_fp8_e4m3(std::span<const float> in, std::span<std::uint8_t> out, cudaStream_t stream) {
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  narrow<<<8, 256, 0, stream>>>(in.data(), out.data(), in.size());
  check_launch();
}

void from_fp8_e4m3(std::span<const std::uint8_t> in, std::span<float> out, cudaStream_t stream) {
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  widen<<<8, 256, 0, stream>>>(in.data(), out.data(), in.size());
  check_launch();
}

}  // namespace tut::ch12
