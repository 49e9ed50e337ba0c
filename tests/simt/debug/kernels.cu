// What gdb_test.py stops in: kernels of every form that `cucc -G` treats by itself.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

namespace shapes {

struct Scale {
  float factor;
  __device__ float operator()(float value) const { return factor * value; }
};

__device__ float doubled(float value) {
  const float result = value * 2;
  return result;
}

__global__ void scale(int n, Scale by, const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = in[i];
  value = by(value);
  value += doubled(value);
  out[i] = value;
}

template <int TILE>
__global__ void reverse(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float tile[TILE / 8][8];
  extern __shared__ float copy[];
  const int tx = threadIdx.x;
  tile[tx / 8][tx % 8] = in[tx];
  copy[tx] = in[tx];
  __syncthreads();  // reverse
  const int from = TILE - 1 - tx;
  out[tx] = tile[from / 8][from % 8] + 0 * copy[tx];
}

template <class... Terms>
__global__ void add_all(float* out, Terms... terms) {
  const float sum = (static_cast<float>(terms) + ...);
  out[threadIdx.y] = sum;
}

__device__ int meet_in_function(int value) {
  __syncthreads();  // in a function
  return value;
}

__global__ void meet(float* out, int) {
  const int mine = threadIdx.x + 100 * threadIdx.y;
  const int same = meet_in_function(mine);
  const int next = __shfl_down_sync(0xffffffffu, same, 1);
  atomicAdd(out, static_cast<float>(next));
}

__global__ void all_blocks(int* count) {
  if (threadIdx.x == 0) atomicAdd(count, 1);
  cg::this_grid().sync();
  const int all = *count;
  count[1 + blockIdx.x] = all;
}

}  // namespace shapes

int main() {
  using namespace shapes;
  const int n = 64;
  float *in, *out;
  int* count;
  cudaMallocManaged(&in, n * sizeof(float));
  cudaMallocManaged(&out, n * sizeof(float));
  cudaMallocManaged(&count, 8 * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i);
  out[0] = 0;
  count[0] = 0;
  scale<<<2, 32>>>(n, Scale{3}, in, out);
  reverse<32><<<1, 32, 32 * sizeof(float)>>>(in, out);
  add_all<<<1, dim3(1, 2)>>>(out, 1, 2.5f);
  meet<<<1, dim3(16, 2)>>>(out, 0);
  void* arguments[] = {&count};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(all_blocks), dim3(3), dim3(2), arguments, 0,
                              nullptr);
  cudaDeviceSynchronize();
  std::printf("%d\n", count[3]);
}
