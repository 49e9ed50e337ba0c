// Lanes of one warp that go different ways: which of their accesses are one request.
#include <cuda_runtime.h>

// clang-format off
// Lane i goes i times around: as long as one lane is in the loop there is a request, of those lanes.
__global__ void different_trip_counts(const float* in, float* out) {
  const int lane = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < lane; ++i) sum += in[i * 32 + lane];  // counts: global_load requests=31 lanes=496
  out[lane] = sum;  // counts: global_store requests=1 lanes=32 sectors=4
}

// Lane i goes around the inner loop (i + k) % 4 times. In every round of the outer loop the inner one
// has three requests, and all lanes are together again for the last line. Counting the n-th access of
// each lane as one request would mix rounds.
__global__ void nested(const float* in, float* out) {
  const int lane = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    for (int i = 0; i < (lane + k) % 4; ++i) {
      sum += in[i * 32 + lane];  // counts: global_load requests=24 lanes=384 sectors=96
    }
    out[k * 32 + lane] = sum;  // counts: global_store requests=8 lanes=256 sectors=32
  }
}

__global__ void early_return(const float* in, float* out) {
  if (threadIdx.x % 2 == 1) return;
  out[threadIdx.x] = in[threadIdx.x];  // counts: global_load requests=1 lanes=16 sectors=4 bytes_used=64; global_store requests=1 lanes=16
}

__global__ void leaves_the_loop(const int* in, int* out) {
  const int lane = threadIdx.x;
  int found = -1;
  for (int i = 0; i < 8; ++i) {
    if (in[i * 32 + lane] == i + lane) {  // counts: global_load requests=8 lanes=249
      found = i;
      break;
    }
  }
  out[lane] = found;  // counts: global_store requests=1 lanes=32
}

// Only some lanes load, on one line with a store that all do.
__global__ void guarded(const float* in, float* out, int n) {
  __shared__ float tile[64];
  const int i = threadIdx.x;
  tile[i] = i < n ? in[i] : 0.0f;  // counts: global_load requests=2 lanes=40; shared_store requests=2 lanes=64
  __syncthreads();
  out[i] = tile[63 - i];  // counts: shared_load requests=2 lanes=64; global_store requests=2 lanes=64
}

__device__ __noinline__ float element(const float* in, int i) {
  return in[i];  // counts: global_load requests=34 lanes=560
}

// The function is called in a loop of different length for every lane, and once for all behind it.
__global__ void calls(const float* in, float* out) {
  const int lane = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < lane; ++i) sum += element(in, i * 32 + lane);
  out[lane] = sum;  // counts: global_store requests=1 lanes=32
  out[lane + 32] = element(in, lane);  // counts: global_store requests=1 lanes=32
  if (lane < 16) {
    out[lane + 64] = element(in, lane) + element(in, lane + 1);  // counts: global_store requests=1 lanes=16
    return;
  }
  out[lane + 96] = 0;  // counts: global_store requests=1 lanes=16
}

__global__ void meets(const float* in, float* out) {
  const int lane = threadIdx.x;
  float sum = in[lane];  // counts: global_load requests=1 lanes=32
  if (lane < 8) {
    for (int k = 0; k < 3; ++k) {
      sum += in[lane + k * 32];  // counts: global_load requests=3 lanes=24
      sum += __shfl_xor_sync(0xFF, sum, 1);
    }
  }
  sum += in[lane + 96];  // counts: global_load requests=1 lanes=32
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xFFFFFFFF, sum, step);
  if (lane == 0) out[0] = sum;  // counts: global_store requests=1 lanes=1 sectors=1
}

// Lanes that meet by fours, in a loop, and then end: the fours stay together although nothing makes
// them. The last four meet when all others have ended.
__global__ void fours(const float* in, float* out, int rounds) {
  const int lane = threadIdx.x;
  const unsigned four = 0xFU << (lane - lane % 4);
  for (int k = 0; k < rounds; ++k) {
    float v = in[k * 32 + lane];  // counts: global_load requests=3 lanes=96 sectors=12
    v += __shfl_xor_sync(four, v, 1);
    v += __shfl_xor_sync(four, v, 2);
    out[k * 32 + lane] = v;  // counts: global_store requests=3 lanes=96 sectors=12
  }
}

// Here lanes end that have met nobody, and the others go on together.
__global__ void some_end(const float* in, float* out) {
  const int lane = threadIdx.x;
  if (lane >= 24) return;
  float v = in[lane];  // counts: global_load requests=1 lanes=24
  for (int k = 0; k < 3; ++k) {
    v += in[k * 32 + lane];  // counts: global_load requests=3 lanes=72
    v += __shfl_down_sync(0xFFFFFF, v, 1);
  }
  out[lane] = v;  // counts: global_store requests=1 lanes=24
}

// A loop with barriers: 64 threads, four rounds.
__global__ void rounds(const float* in, float* out) {
  __shared__ float tile[64];
  const int i = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    tile[i] = in[k * 64 + i];  // counts: global_load requests=8 lanes=256 sectors=32; shared_store requests=8
    __syncthreads();
    for (int j = 0; j < 64; ++j) sum += tile[j];  // counts: shared_load requests=512 wavefronts=512
    __syncthreads();
  }
  out[i] = sum;  // counts: global_store requests=2 sectors=8
}
// clang-format on

int main() {
  float *in, *out;
  cudaMalloc(&in, 4096 * sizeof(float));
  cudaMalloc(&out, 4096 * sizeof(float));
  cudaMemset(in, 0, 4096 * sizeof(float));
  different_trip_counts<<<1, 32>>>(in, out);
  nested<<<1, 32>>>(in, out);
  early_return<<<1, 32>>>(in, out);
  leaves_the_loop<<<1, 32>>>(reinterpret_cast<int*>(in), reinterpret_cast<int*>(out));
  guarded<<<1, 64>>>(in, out, 40);
  calls<<<1, 32>>>(in, out);
  meets<<<1, 32>>>(in, out);
  fours<<<1, 32>>>(in, out, 3);
  some_end<<<1, 32>>>(in, out);
  rounds<<<1, 64>>>(in, out);
  const bool ok = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(in);
  cudaFree(out);
  return ok ? 0 : 1;
}
