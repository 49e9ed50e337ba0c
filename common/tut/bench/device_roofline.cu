#include "tut/bench/device_roofline.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <algorithm>
#include <string>
#include <type_traits>

#include "tut/bench/bench_timer.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/device/multiprocessors.hpp"
#include "tut/device/tensor_cores.hpp"
#include "tut/errors/check.hpp"

namespace tut {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int CHAINS = ROOFLINE_CHAINS, THREADS = ROOFLINE_THREADS;
constexpr int FRAGMENTS = ROOFLINE_FRAGMENTS;

template <class T>
constexpr int DEPTH = std::is_same_v<T, Tf32> ? 8 : 16;

// Before compute capability 8.0 the compiler knows neither TF32 nor fragments of bfloat16.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
template <class T>
constexpr bool SUPPORTED = true;
template <class T>
using Element = std::conditional_t<std::is_same_v<T, Tf32>, wmma::precision::tf32, T>;
#else
template <class T>
constexpr bool SUPPORTED = std::is_same_v<T, __half>;
template <class T>
using Element = T;
#endif

/// Each thread: CHAINS sums, which go from c to c * factor + term with each step.
__global__ void multiply_adds_kernel(float* sums, int steps, float factor, float term) {
  float chain[CHAINS];
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) chain[i] = static_cast<float>(i);
#pragma unroll 4
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) chain[i] = fmaf(chain[i], factor, term);
  }
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) sum += chain[i];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Each warp: FRAGMENTS sums of products of fragments of ones, which do not wait for one another.
template <class T>
__global__ void tensor_multiply_adds_kernel(float* sums, int steps) {
  if constexpr (SUPPORTED<T>) {
    wmma::fragment<wmma::matrix_a, 16, 16, DEPTH<T>, Element<T>, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, DEPTH<T>, Element<T>, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, DEPTH<T>, float> c[FRAGMENTS];
    wmma::fill_fragment(a, 1.0f);
    wmma::fill_fragment(b, 1.0f);
#pragma unroll
    for (int i = 0; i < FRAGMENTS; ++i) wmma::fill_fragment(c[i], static_cast<float>(i));
    for (int step = 0; step < steps; ++step) {
#pragma unroll
      for (int i = 0; i < FRAGMENTS; ++i) wmma::mma_sync(c[i], a, b, c[i]);
    }
    // All elements are used, or the compiler would leave their products out.
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < FRAGMENTS; ++i) {
#pragma unroll
      for (int e = 0; e < c[i].num_elements; ++e) sum += c[i].x[e];
    }
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread % 32 == 0) sums[thread / 32] = sum;
  }
}

/// Blocks that fill every multiprocessor with as many threads as it holds.
int blocks_for_all() {
  int device = 0, threads = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  return multiprocessor_count() * std::max(1, threads / THREADS);
}

template <class T>
double tensor_rate(int steps) {
  require_tensor_cores<T>("the tensor cores' rate");
  const int blocks = blocks_for_all();
  const DeviceBuffer<float> sums(static_cast<std::size_t>(blocks) * THREADS / 32);
  const double seconds = best_seconds([&](cudaStream_t stream) {
    run_tensor_multiply_adds<T>(sums.data(), blocks, steps, stream);
  });
  const double warps = 1.0 * blocks * THREADS / 32;
  return 2.0 * 16 * 16 * DEPTH<T> * FRAGMENTS * warps * steps / seconds;
}

}  // namespace

void run_multiply_adds(float* sums, int blocks, int steps, cudaStream_t stream) {
  multiply_adds_kernel<<<blocks, THREADS, 0, stream>>>(sums, steps, 0.5f, 1.0f);
  check_launch();
}

template <class T>
void run_tensor_multiply_adds(float* sums, int blocks, int steps, cudaStream_t stream) {
  tensor_multiply_adds_kernel<T><<<blocks, THREADS, 0, stream>>>(sums, steps);
  check_launch();
}
template void run_tensor_multiply_adds<__half>(float*, int, int, cudaStream_t);
template void run_tensor_multiply_adds<__nv_bfloat16>(float*, int, int, cudaStream_t);
template void run_tensor_multiply_adds<Tf32>(float*, int, int, cudaStream_t);

template <class T>
int tensor_depth() {
  return DEPTH<T>;
}
template int tensor_depth<__half>();
template int tensor_depth<__nv_bfloat16>();
template int tensor_depth<Tf32>();

double measure_copy_rate(std::size_t bytes) {
  if (bytes == 0) {
    std::size_t available = 0, total = 0;
    check(cudaMemGetInfo(&available, &total));
    bytes = std::min(std::size_t{512} << 20, available / 4);
  }
  DeviceBuffer<unsigned char> from(bytes), to(bytes);
  from.fill_bytes(1);
  const double seconds = best_seconds([&](cudaStream_t stream) {
    check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, stream));
  });
  return 2.0 * static_cast<double>(bytes) / seconds;
}

double measure_flop_rate(const std::string& arithmetic, int steps) {
  if (arithmetic == "fp16") return tensor_rate<__half>(steps);
  if (arithmetic == "bf16") return tensor_rate<__nv_bfloat16>(steps);
  if (arithmetic == "tf32") return tensor_rate<Tf32>(steps);
  if (arithmetic != "fp32") {
    throw_invalid({"no rate of arithmetic '", arithmetic,
                   "' is measured; expected fp32, fp16, bf16 or tf32"});
  }
  const int blocks = blocks_for_all();
  const DeviceBuffer<float> sums(static_cast<std::size_t>(blocks) * THREADS);
  const double seconds = best_seconds(
      [&](cudaStream_t stream) { run_multiply_adds(sums.data(), blocks, steps, stream); });
  return 2.0 * CHAINS * blocks * THREADS * steps / seconds;
}

}  // namespace tut
