// Floats as integers of the same order; a NaN above all and below all.
#include "08_reductions/min_max.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

struct Keys {
  int least, greatest;
};

/// Integers in the order of the floats; of NaN `of_nan`.
__device__ int key_of(float value, int of_nan) {
  const int bits = __float_as_int(value);
  return isnan(value) ? of_nan : bits >= 0 ? bits : bits ^ 0x7fffffff;
}
__device__ float value_of(int key, int of_nan) {
  return key == of_nan ? nanf("") : __int_as_float(key >= 0 ? key : key ^ 0x7fffffff);
}
constexpr int LOW = -2147483647 - 1, HIGH = 2147483647;

__device__ void join(Keys& keys, float value) {
  keys.least = min(keys.least, key_of(value, LOW));
  keys.greatest = max(keys.greatest, key_of(value, HIGH));
}

__device__ Keys block_keys(Keys keys) {
  __shared__ Keys warps[8];
  keys = {__reduce_min_sync(0xffffffff, keys.least), __reduce_max_sync(0xffffffff, keys.greatest)};
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = keys;
  __syncthreads();
  for (const Keys& other : warps) {
    keys = {min(keys.least, other.least), max(keys.greatest, other.greatest)};
  }
  return keys;
}

__global__ void blocks_kernel(const float* in, std::size_t size, float* scratch) {
  const std::size_t length = stretch_length(size), begin = blockIdx.x * length;
  const std::size_t end = begin + length < size ? begin + length : size;
  const bool fours = reinterpret_cast<std::uintptr_t>(in) % 16 == 0;
  Keys keys{HIGH, LOW};
  for (std::size_t i = begin + 4 * threadIdx.x; i < end; i += 4 * blockDim.x) {
    if (fours && i + 3 < end) {
      const float4 v = *reinterpret_cast<const float4*>(in + i);
      join(keys, v.x), join(keys, v.y), join(keys, v.z), join(keys, v.w);
    } else {
      for (std::size_t j = i; j < i + 4 && j < end; ++j) join(keys, in[j]);
    }
  }
  keys = block_keys(keys);
  if (threadIdx.x == 0) {
    scratch[2 * blockIdx.x] = value_of(keys.least, LOW);
    scratch[2 * blockIdx.x + 1] = value_of(keys.greatest, HIGH);
  }
}

__global__ void rest_kernel(const float* scratch, int blocks, MinMax* out) {
  Keys keys{HIGH, LOW};
  for (int i = threadIdx.x; i < blocks; i += blockDim.x) {
    keys.least = min(keys.least, key_of(scratch[2 * i], LOW));
    keys.greatest = max(keys.greatest, key_of(scratch[2 * i + 1], HIGH));
  }
  keys = block_keys(keys);
  if (threadIdx.x == 0) *out = {value_of(keys.least, LOW), value_of(keys.greatest, HIGH)};
}

}  // namespace

void min_max(std::span<const float> in, std::span<float> scratch, MinMax* out,
             cudaStream_t stream) {
  const std::size_t blocks = stretches(in.size());
  require(!in.empty() && in.data() != nullptr, "the input is empty");
  require(scratch.size() >= min_max_scratch(in.size()), "there is too little scratch memory");
  require(out != nullptr, "there is no place for the result");
  blocks_kernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(in.data(), in.size(),
                                                                   scratch.data());
  check_launch();
  rest_kernel<<<1, 256, 0, stream>>>(scratch.data(), static_cast<int>(blocks), out);
  check_launch();
}

}  // namespace tut::ch08
