// A warpgroup changes registers of A while a product that was given them is under way.
// says: a register of A of the product that it started at
// says: before its registers of A change
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kSteps = 4, kTile = 16 * 8;

__device__ std::uint64_t descriptor(const void* matrix) {
  const std::uint64_t at = static_cast<unsigned>(__cvta_generic_to_shared(matrix));
  return at >> 4 | std::uint64_t{128 >> 4} << 16 | std::uint64_t{128 >> 4} << 32;
}

__device__ void fill(__half* tile) {
  for (int i = threadIdx.x; i < kTile; i += 128) tile[i] = __float2half(1.0f);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kPending>
__device__ void wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

/// D += A B, A in registers.
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], const __half* b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor(b)));
}
/// The same with copies of them.
__device__ __forceinline__ void multiply_values(float (&d)[4], unsigned a0, unsigned a1,
                                                unsigned a2, unsigned a3, const __half* b) {
  const std::uint64_t matrix = descriptor(b);
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(matrix));
}

__device__ void load(unsigned (&a)[4], const unsigned* in, int step) {
  for (int i = 0; i < 4; ++i) a[i] = in[4 * step + i];  // finds: race
}

__device__ void store(float* out, const float (&d)[4]) {
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = d[i];
}

// The next fragment goes to the registers that are still read.
__global__ void loads_too_early(const unsigned* in, float* out) {
  __shared__ alignas(128) __half tile[kTile];
  fill(tile);
  float d[4] = {};
  unsigned a[4];
  load(a, in, 0);
  for (int step = 1; step <= kSteps; ++step) {
    fence();
    multiply(d, a, tile);
    commit();
#ifdef MENDED
    wait<0>();
#endif
    load(a, in, step % kSteps);
#ifndef MENDED
    wait<0>();
#endif
  }
  store(out, d);
}

// Two fragments in turn; the wait allows for as many products as leave one of them alone.
__global__ void loads_in_turn(const unsigned* in, float* out) {
  __shared__ alignas(128) __half tile[kTile];
  fill(tile);
  float d[4] = {};
  unsigned a[2][4];
  for (int step = 0; step < kSteps; ++step) {
    load(a[step % 2], in, step);
    fence();
    multiply(d, a[step % 2], tile);
    commit();
#ifdef MENDED
    wait<1>();
#else
    wait<2>();
#endif
  }
  wait<0>();
  store(out, d);
}

// The instruction stands in the kernel, and one of its operands is an expression.
__global__ void adds_to_factor(const unsigned* in, float* out) {
  __shared__ alignas(128) __half tile[kTile];
  fill(tile);
  float d[4] = {};
  unsigned a = in[0];
  const unsigned other = in[1];
  fence();
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a), "r"(other), "r"(other + 1), "r"(other), "l"(descriptor(tile)));
  commit();
#ifdef MENDED
  wait<0>();
#endif
  a += other;  // finds: race
  wait<0>();
  out[threadIdx.x] = d[0] + static_cast<float>(a);
}

__device__ __noinline__ void start(float (&d)[4], const unsigned* in, const __half* tile) {
  unsigned a[4];
  for (int i = 0; i < 4; ++i) a[i] = in[i];
  fence();
  multiply(d, a, tile);
  commit();
}
__device__ __noinline__ unsigned sum_of(const unsigned* in) {
  unsigned values[8], sum = 0;
  for (int i = 0; i < 8; ++i) values[i] = in[i];
  for (int i = 0; i < 8; ++i) sum += values[(i + sum) % 8];
  return sum;
}

// What a function calls a register is gone when it returns, and what a block calls one behind that.
__global__ void lets_go(const unsigned* in, float* out) {
  __shared__ alignas(128) __half tile[kTile];
  fill(tile);
  float d[4] = {}, e[4] = {};
  start(d, in, tile);
  unsigned sum = sum_of(in);
  {
    unsigned a[4];
    for (int i = 0; i < 4; ++i) a[i] = in[i];
    fence();
    multiply(e, a, tile);
    commit();
  }
  {
    unsigned values[4];
    for (int i = 0; i < 4; ++i) values[i] = in[4 + i];
    for (int i = 0; i < 4; ++i) sum += values[(i + sum) % 4];
  }
  wait<0>();
  out[threadIdx.x] = d[0] + e[0] + static_cast<float>(sum);
}

// Two fragments in turn, passed by value; and reading one does no harm.
__global__ void passes_values(const unsigned* in, float* out) {
  __shared__ alignas(128) __half tile[kTile];
  fill(tile);
  float d[4] = {};
  unsigned a[2][4], sum = 0;
  for (int step = 0; step < kSteps; ++step) {
    unsigned(&now)[4] = a[step % 2];
    for (int i = 0; i < 4; ++i) now[i] = in[4 * step + i];
    fence();
    multiply_values(d, now[0], now[1], now[2], now[3], tile);
    multiply_values(d, now[3], now[2], now[1], now[0], tile);
    commit();
    sum += now[0];
    wait<1>();
  }
  wait<0>();
  out[threadIdx.x] = d[0] + static_cast<float>(sum);
}

int main() {
  unsigned* in;
  float* out;
  cudaMalloc(&in, 4 * kSteps * sizeof(unsigned));
  cudaMalloc(&out, 512 * sizeof(float));
  cudaMemset(in, 0, 4 * kSteps * sizeof(unsigned));
  loads_too_early<<<2, 128>>>(in, out);
  loads_in_turn<<<2, 128>>>(in, out);
  adds_to_factor<<<2, 128>>>(in, out);
  lets_go<<<2, 128>>>(in, out);
  passes_values<<<2, 128>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
