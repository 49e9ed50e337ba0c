// The host reads managed memory that a library fills, and has not waited for it.
#include <cuda_runtime.h>
#include <curand.h>

int main() {
  float* values;
  cudaMallocManaged(&values, 64 * sizeof(float));
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW);
  curandGenerateUniform(generator, values, 64);
#ifdef MENDED
  cudaStreamSynchronize(nullptr);
#endif
  const bool inside = values[63] > 0;  // finds: race
  curandDestroyGenerator(generator);
  cudaFree(values);
  return inside ? 0 : 1;
}
// says: which curand_generate writes; the host has not waited for it
