// Statements that send lanes different ways, and where they are together again. `in` holds zeros.
#include <cuda_runtime.h>

// clang-format off
__global__ void continues(const float* in, float* out) {
  const int lane = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    if ((lane + i) % 2 == 0) continue;
    sum += in[i * 32 + lane];  // counts: global_load requests=4 lanes=64
  }
  out[lane] = sum;  // counts: global_store requests=1 lanes=32
}

// The condition of the loop loads, and the body is for half of the lanes.
__global__ void condition_loads(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = 0;
  int i = 0;
  while (in[i * 32 + lane] + i < 5) {  // counts: global_load requests=6 lanes=192
    if (lane % 2 == 0) {
      sum += in[lane + 32];  // counts: global_load requests=5 lanes=80
    }
    out[i * 32 + lane] = sum;  // counts: global_store requests=5 lanes=160
    ++i;
  }
  out[lane] = sum;  // counts: global_store requests=1 lanes=32
}

__global__ void switches(const float* in, float* out) {
  const int lane = threadIdx.x;
  float value = 0;
  switch (lane % 4) {
    case 0:
      value = in[lane];  // counts: global_load requests=1 lanes=8
      break;
    case 1:
      value = in[lane + 32];  // counts: global_load requests=1 lanes=8
      break;
    case 2:
      value = in[lane + 64] * 2;  // counts: global_load requests=1 lanes=8
      break;
    default:
      break;
  }
  out[lane] = value;  // counts: global_store requests=1 lanes=32
}

__global__ void if_else_chain(const float* in, float* out) {
  const int lane = threadIdx.x;
  float value;
  if (lane < 4) {
    value = in[lane];  // counts: global_load requests=1 lanes=4
  } else if (lane < 12) {
    value = in[lane] + 1;  // counts: global_load requests=1 lanes=8
    if (lane < 8) value += in[lane + 32];  // counts: global_load requests=1 lanes=4
  } else {
    value = 3;
  }
  value += in[lane + 64];  // counts: global_load requests=1 lanes=32
  out[lane] = value;  // counts: global_store requests=1 lanes=32
}

__global__ void do_while(const float* in, float* out) {
  const int lane = threadIdx.x;
  float sum = 0;
  int i = lane % 4;
  do {
    sum += in[i * 32 + lane];  // counts: global_load requests=4 lanes=80
  } while (++i < 4);
  out[lane] = sum;  // counts: global_store requests=1 lanes=32
}

__global__ void both_conditions(const float* in, float* out, int n) {
  const int lane = threadIdx.x;
  float value = 1;
  if (lane < n && in[lane] == 0.0f && lane % 2 == 0) {  // counts: global_load requests=1 lanes=20
    value = in[lane + 32];  // counts: global_load requests=1 lanes=10
  }
  out[lane] = lane < n ? value : lane % 2 == 0 ? in[lane + 64] : in[lane + 96];  // counts: global_load requests=2 lanes=12; global_store requests=1 lanes=32
}

// A stride of the grid: the last round is for some lanes.
__global__ void strided(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    out[i] = in[i] + 1;  // counts: global_load requests=4 lanes=100; global_store requests=4 lanes=100
  }
}

// Bounds inside the loop over a tile's rows, as a thread that has several.
__global__ void several_rows(const float* in, float* out, int rows) {
  float sums[4] = {};
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 4; ++i) {
      const int row = threadIdx.x % 8 + i * 8;
      if (row < rows) sums[i] += in[row * 2 + k];  // counts: global_load requests=6 lanes=160
    }
  }
  for (int i = 0; i < 4; ++i) {
    if (threadIdx.x + i < 32) out[threadIdx.x + i * 32] = sums[i];  // counts: global_store requests=4 lanes=122
  }
}
// clang-format on

int main() {
  float *in, *out;
  cudaMalloc(&in, 4096 * sizeof(float));
  cudaMalloc(&out, 4096 * sizeof(float));
  cudaMemset(in, 0, 4096 * sizeof(float));
  int* in_ints = reinterpret_cast<int*>(in);
  int* out_ints = reinterpret_cast<int*>(out);
  continues<<<1, 32>>>(in, out);
  condition_loads<<<1, 32>>>(in_ints, out_ints);
  switches<<<1, 32>>>(in, out);
  if_else_chain<<<1, 32>>>(in, out);
  do_while<<<1, 32>>>(in, out);
  both_conditions<<<1, 32>>>(in, out, 20);
  strided<<<1, 32>>>(in, out, 100);
  several_rows<<<1, 32>>>(in, out, 20);
  const bool ok = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(in);
  cudaFree(out);
  return ok ? 0 : 1;
}
