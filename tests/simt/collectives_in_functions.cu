// Shuffles and votes in functions, in conditions and behind returns: kernels that the CPU backend
// can run as loops over the threads of a block. Checks itself. needs: sm_80
#include <cstdio>
#include <vector>

namespace {

constexpr unsigned kAll = 0xFFFFFFFFu;
int failures = 0;

void expect(const char* what, int place, float got, float expected) {
  if (got == expected) return;
  std::printf("%s: at %d is %g; expected %g\n", what, place, got, expected);
  ++failures;
}

struct Pair {
  float sum, most;
};
struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Join {
  __device__ Pair operator()(const Pair& a, const Pair& b) const {
    return {a.sum + b.sum, fmaxf(a.most, b.most)};
  }
};

// Overloads, of which one calls the other.
__device__ float from_lane_xor(float value, int bit) { return __shfl_xor_sync(kAll, value, bit); }
__device__ Pair from_lane_xor(const Pair& value, int bit) {
  return {from_lane_xor(value.sum, bit), from_lane_xor(value.most, bit)};
}

template <int LANES = 32, class T, class Op>
__device__ T reduce(T value, Op op) {
#pragma unroll
  for (int bit = LANES / 2; bit > 0; bit /= 2) value = op(value, from_lane_xor(value, bit));
  return value;
}

template <int THREADS, class T, class Op>
__device__ T reduce_block(T value, Op op) {
  value = reduce(value, op);
  if constexpr (THREADS > 32) {
    __shared__ T parts[THREADS / 32];
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = reduce<THREADS / 32>(parts[threadIdx.x % (THREADS / 32)], op);
    __syncthreads();
  }
  return value;
}

// The classic: one warp adds up what the warps have found.
__device__ float classic_sum(float value) {
  __shared__ float parts[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(kAll, value, delta);
  if (lane == 0) parts[warp] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? parts[lane] : 0.0f;
  if (warp == 0) {
    for (int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(kAll, value, delta);
  }
  return value;
}

template <int THREADS>
__global__ void sums(const float* in, float* out) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const Pair pair = reduce_block<THREADS>(Pair{in[i], in[i]}, Join());
  const float sum = reduce_block<THREADS>(in[i], Add());
  const float again = classic_sum(in[i]);
  if (threadIdx.x == 0) {
    out[4 * blockIdx.x] = pair.sum;
    out[4 * blockIdx.x + 1] = pair.most;
    out[4 * blockIdx.x + 2] = sum;
    out[4 * blockIdx.x + 3] = again;
  }
}

// A warp for each row, in a loop; the last rows have fewer blocks than warps.
__global__ void rows(const float* in, float* out, int count, int cols) {
  const int lane = threadIdx.x;
  for (int row = blockIdx.x * blockDim.y + threadIdx.y; row < count;
       row += gridDim.x * blockDim.y) {
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32) sum += in[row * cols + c];
    sum = reduce(sum, Add());
    if (lane == 0) out[row] = sum;
  }
}

// Whole warps leave before the others meet, and half of each of these before the last meeting.
__global__ void leaving(const float* in, float* out, int warps) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp >= warps) return;
  float value = in[threadIdx.x];
  value += __shfl_sync(kAll, value, 3);
  __syncwarp();
  if (lane >= 16) return;
  value += __shfl_xor_sync(0xFFFFu, value, 1);
  out[threadIdx.x] = value;
}

// Each branch has its own lanes, and masks that name just them.
__global__ void branches(const float* in, float* out) {
  const int lane = threadIdx.x % 32;
  float value = in[threadIdx.x];
  if (lane < 8) {
    value = __shfl_sync(0xFFu, value, 7 - lane);
  } else if (lane % 2 == 0) {
    const unsigned even = __ballot_sync(0x55555500u, value > 4.0f);
    value = static_cast<float>(__popc(even));
  } else {
    value = -value;
  }
  __syncwarp();
  out[threadIdx.x] = value;
}

// Votes in conditions; shuffles within groups of eight.
__global__ void votes(const float* in, float* out, float limit) {
  const float value = in[threadIdx.x];
  float result = __shfl_up_sync(kAll, value, 1, 8) + __shfl_down_sync(kAll, value, 2, 8);
  if (__any_sync(kAll, value > limit)) result += 100.0f;
  result += __all_sync(kAll, value > limit) ? 1000.0f : 2000.0f;
  out[threadIdx.x] = result;
}

}  // namespace

int main() {
  constexpr int n = 1024;
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i * 7 % 13);
  float *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  const auto fetch = [&](const char* what) {
    if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
      std::printf("%s: %s\n", what, cudaGetErrorString(error));
      ++failures;
    }
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  };

  sums<256><<<4, 256>>>(d_in, d_out);
  fetch("sums");
  for (int block = 0; block < 4; ++block) {
    float sum = 0.0f, most = 0.0f;
    for (int i = 0; i < 256; ++i) {
      sum += in[block * 256 + i];
      most = most < in[block * 256 + i] ? in[block * 256 + i] : most;
    }
    expect("sum of pairs", block, out[4 * block], sum);
    expect("most of pairs", block, out[4 * block + 1], most);
    expect("sum", block, out[4 * block + 2], sum);
    expect("classic sum", block, out[4 * block + 3], sum);
  }

  rows<<<2, dim3(32, 3)>>>(d_in, d_out, 13, 70);
  fetch("rows");
  for (int row = 0; row < 13; ++row) {
    float sum = 0.0f;
    for (int c = 0; c < 70; ++c) sum += in[row * 70 + c];
    expect("row", row, out[row], sum);
  }

  cudaMemset(d_out, 0, n * sizeof(float));
  leaving<<<1, 160>>>(d_in, d_out, 3);
  fetch("leaving");
  for (int t = 0; t < 160; ++t) {
    const auto first = [&](int i) { return in[i] + in[i / 32 * 32 + 3]; };
    expect("leaving", t, out[t], t < 96 && t % 32 < 16 ? first(t) + first(t ^ 1) : 0.0f);
  }

  branches<<<1, 64>>>(d_in, d_out);
  fetch("branches");
  for (int t = 0; t < 64; ++t) {
    const int lane = t % 32, first = t - lane;
    float above = 0.0f;
    for (int i = 8; i < 32; i += 2) above += in[first + i] > 4.0f ? 1.0f : 0.0f;
    expect("branches", t, out[t], lane < 8 ? in[first + 7 - lane] : lane % 2 == 0 ? above : -in[t]);
  }

  for (const float limit : {-1.0f, 5.0f, 50.0f}) {
    votes<<<1, 48>>>(d_in, d_out, limit);  // the second warp is half a one
    fetch("votes");
    for (int t = 0; t < 48; ++t) {
      const int end = t < 32 ? 32 : 48;
      bool any = false, all = true;
      for (int i = t < 32 ? 0 : 32; i < end; ++i) {
        any = any || in[i] > limit;
        all = all && in[i] > limit;
      }
      const float up = t % 8 >= 1 ? in[t - 1] : in[t], down = t % 8 < 6 ? in[t + 2] : in[t];
      expect("votes", t, out[t], up + down + (any ? 100.0f : 0.0f) + (all ? 1000.0f : 2000.0f));
    }
  }
  cudaFree(d_in);
  cudaFree(d_out);
  std::puts(failures == 0 ? "ok" : "failed");
  return failures == 0 ? 0 : 1;
}
