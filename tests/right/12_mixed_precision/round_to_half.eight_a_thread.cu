// Eight elements a thread, by two loads and one store of 16 bytes where both begin at such a place.
#include "12_mixed_precision/round_to_half.hpp"

#include <cuda_fp16.h>

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

constexpr std::size_t EACH = 8, THREADS = 256;

__device__ unsigned pair(float low, float high) {
  const __half2 two = __floats2half2_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&two);
}

__device__ std::uint16_t single(float x) { return __half_as_ushort(__float2half_rn(x)); }

__global__ void round_kernel(const float* in, std::uint16_t* out, std::size_t size, bool vectors) {
  const std::size_t first = EACH * (std::size_t{blockIdx.x} * THREADS + threadIdx.x);
  if (vectors && first + EACH <= size) {
    const auto* from = reinterpret_cast<const float4*>(in + first);
    const float4 a = from[0], b = from[1];
    *reinterpret_cast<uint4*>(out + first) =
        make_uint4(pair(a.x, a.y), pair(a.z, a.w), pair(b.x, b.y), pair(b.z, b.w));
    return;
  }
  const std::size_t begin = EACH * THREADS * blockIdx.x;
  const std::size_t end = begin + EACH * THREADS < size ? begin + EACH * THREADS : size;
  if (vectors) {
    for (std::size_t i = first; i < end; ++i) out[i] = single(in[i]);
  } else {
    for (std::size_t i = begin + threadIdx.x; i < end; i += THREADS) out[i] = single(in[i]);
  }
}

bool begins_at_16_bytes(const void* place) {
  return reinterpret_cast<std::uintptr_t>(place) % 16 == 0;
}

}  // namespace

void round_to_half(std::span<const float> in, std::span<std::uint16_t> out, cudaStream_t stream) {
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  const bool vectors = begins_at_16_bytes(in.data()) && begins_at_16_bytes(out.data());
  const auto blocks = static_cast<unsigned>(ceil_div(in.size(), EACH * THREADS));
  round_kernel<<<blocks, THREADS, 0, stream>>>(in.data(), out.data(), in.size(), vectors);
  check_launch();
}

}  // namespace tut::ch12
