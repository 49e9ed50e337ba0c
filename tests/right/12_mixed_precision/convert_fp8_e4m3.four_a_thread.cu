// Four floats a thread, a block apart; a product moves the exponent.
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
  // A float's exponent is 2^120 times as large once the bits are where float has them.
  if ((code & 0x7F) == 0x7F) return __uint_as_float(0x7FFFFFFFu);
  const unsigned bits = (code & 0x80u) << 24 | (code & 0x7Fu) << 20;
  return __uint_as_float(bits) * 0x1p120f;
}

__global__ void narrow(const float* in, std::uint8_t* out, std::size_t size) {
  const std::size_t first = std::size_t{blockIdx.x} * 4 * blockDim.x + threadIdx.x;
  for (unsigned part = 0; part < 4; ++part) {
    const std::size_t i = first + part * blockDim.x;
    if (i < size) out[i] = code_of(in[i]);
  }
}

__global__ void widen(const std::uint8_t* in, float* out, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) out[i] = value_of_code(in[i]);
}

}  // namespace

void to_fp8_e4m3(std::span<const float> in, std::span<std::uint8_t> out, cudaStream_t stream) {
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  narrow<<<static_cast<unsigned>(ceil_div(in.size(), std::size_t{512})), 128, 0, stream>>>(
      in.data(), out.data(), in.size());
  check_launch();
}

void from_fp8_e4m3(std::span<const std::uint8_t> in, std::span<float> out, cudaStream_t stream) {
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  widen<<<static_cast<unsigned>(ceil_div(in.size(), std::size_t{256})), 256, 0, stream>>>(
      in.data(), out.data(), in.size());
  check_launch();
}

}  // namespace tut::ch12
