// cuRAND's generators in kernels. The numbers expected are those that cuRAND 10.4 gives.
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <cmath>

#include "expect.cuh"

/// What one state gives: words, a word far away, and one number of each distribution.
struct Draws {
  unsigned words[4];
  unsigned far_away;
  float uniform;
  double uniform_double;
  float normal[2];
  double normal_double;
  float log_normal;
};

template <class State>
__global__ void draw(State* states, Draws* out) {
  State state;
  curand_init(1234ULL, 5ULL, 7ULL, &state);
  for (int i = 0; i < 4; ++i) out->words[i] = curand(&state);
  curand_init(0xFEDCBA9876543210ULL, 1000000ULL, (1ULL << 35) + 3, &state);
  out->far_away = curand(&state);
  curand_init(1234ULL, 5ULL, 0ULL, states);
  state = *states;
  out->uniform = curand_uniform(&state);
  out->uniform_double = curand_uniform_double(&state);
  out->normal[0] = curand_normal(&state);
  out->normal[1] = curand_normal(&state);
  out->normal_double = curand_normal_double(&state);
  out->log_normal = curand_log_normal(&state, 1.0F, 0.5F);
  *states = state;
}

static void expect_near(const char* what, double got, double want, double bound) {
  expect(what, std::fabs(got - want) <= bound, true);
}

template <class State>
static void test(const Draws& want) {
  State* states;
  Draws* out;
  cudaMalloc(&states, sizeof(State));
  cudaMallocManaged(&out, sizeof(Draws));
  draw<<<1, 1>>>(states, out);
  expect("the kernel ran", cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < 4; ++i) expect("a word", out->words[i], want.words[i]);
  expect("far away", out->far_away, want.far_away);
  expect("uniform", out->uniform == want.uniform, true);
  expect("uniform double", out->uniform_double == want.uniform_double, true);
  for (int i = 0; i < 2; ++i) expect_near("normal", out->normal[i], want.normal[i], 1e-5);
  expect_near("normal double", out->normal_double, want.normal_double, 1e-13);
  expect_near("log-normal", out->log_normal, want.log_normal, 1e-4);
  cudaFree(states);
  cudaFree(out);
}

__global__ void four(uint4* out) {
  curandStatePhilox4_32_10_t state;
  curand_init(1234ULL, 5ULL, 7ULL, &state);
  *out = curand4(&state);
  const float4 uniform = curand_uniform4(&state);
  if (!(uniform.x > 0 && uniform.w <= 1)) out->x = 0;
}

/// Every thread has a subsequence of its own: the usual Monte Carlo program.
__global__ void inside_circle(curandState* states, int* count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(7, i, 0, &states[i]);
  curandState local = states[i];
  int inside = 0;
  for (int k = 0; k < 100; ++k) {
    const float x = curand_uniform(&local), y = curand_uniform(&local);
    inside += x * x + y * y <= 1.0F ? 1 : 0;
  }
  states[i] = local;
  atomicAdd(count, inside);
}

int main() {
  test<curandStateXORWOW_t>({{0xC7C04273u, 0xD8577152u, 0x18C2F892u, 0x45EBFBE1u},
                             0x249D8398u,
                             0.868978858F,
                             0.21408208798414113,
                             {1.26772416F, -0.571430326F},
                             -0.71463196684702635,
                             7.91942644F});
  test<curandStatePhilox4_32_10_t>({{0x72C26332u, 0x26A9BD1Bu, 0xD88ECB0Du, 0x088F2111u},
                                    0x3FEC6D0Fu,
                                    0.973670244F,
                                    0.7173020530026406,
                                    {-1.10222578F, -0.0654175356F},
                                    0.53238551568240233,
                                    1.22033608F});
  test<curandStateMRG32k3a_t>({{0x7B4FE4E9u, 0x1BFC281Du, 0x28A56DE6u, 0x3765D63Cu},
                               0xC874D7B0u,
                               0.304492921F,
                               0.66333536026931617,
                               {1.07150137F, -1.71040165F},
                               -0.53641509596532666,
                               2.9491539F});
  uint4* words;
  cudaMallocManaged(&words, sizeof(uint4));
  four<<<1, 1>>>(words);
  cudaDeviceSynchronize();
  expect("curand4", words->x == 0x72C26332u && words->y == 0x26A9BD1Bu, true);
  expect("its rest", words->z == 0xD88ECB0Du && words->w == 0x088F2111u, true);
  curandState* states;
  int* count;
  cudaMalloc(&states, 256 * sizeof(curandState));
  cudaMallocManaged(&count, sizeof(int));
  *count = 0;
  inside_circle<<<4, 64>>>(states, count);
  cudaDeviceSynchronize();
  expect_near("pi", 4.0 * *count / 25600, 3.14159, 0.05);
  cudaFree(words);
  cudaFree(states);
  cudaFree(count);
  return report();
}
