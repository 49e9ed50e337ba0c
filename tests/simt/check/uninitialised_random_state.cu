// The states of the random numbers are never set up. What the library fills is written.
#include <cuda_runtime.h>
#include <curand.h>
#include <curand_kernel.h>

__global__ void set_up(curandState* states) {
  curand_init(1, threadIdx.x, 0, &states[threadIdx.x]);
}

__global__ void add_noise(curandState* states, const float* in, float* out) {
  curandState* own = &states[threadIdx.x];
  out[threadIdx.x] = in[threadIdx.x] + curand_uniform(own);  // finds: uninitialised
}

int main() {
  curandState* states;
  float *in, *out;
  cudaMalloc(&states, 64 * sizeof(curandState));
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandGenerateNormal(generator, in, 64, 0, 1);
#ifdef MENDED
  set_up<<<1, 64>>>(states);
#endif
  add_noise<<<1, 64>>>(states, in, out);
  cudaDeviceSynchronize();
  curandDestroyGenerator(generator);
  cudaFree(states);
  cudaFree(in);
  cudaFree(out);
}
