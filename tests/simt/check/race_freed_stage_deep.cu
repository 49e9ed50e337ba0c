// A consumer frees a stage that its products still read, or that it reads itself, and all of that
// happens in functions that functions call. Each call is named, and so is the arrival, where the
// mistake can be mended.
// says in turn: deep.cu:48: error: race: thread (128,0,0)
// says in turn: deep.cu:55: note: called from here
// says in turn: deep.cu:85: note: called from here
// says in turn: deep.cu:125: note: called from here
// says in turn: deep.cu:102: note: the other access
// says in turn: deep.cu:27: note: the arrival that the copy waited for
// says in turn: deep.cu:63: note: called from here
// says in turn: deep.cu:86: note: called from here
// says in turn: deep.cu:125: note: called from here
// says in turn: deep.cu:153: note: called from here
// says in turn: deep.cu:95: note: the other access
// says in turn: deep.cu:27: note: the arrival that the copy waited for
// says in turn: deep.cu:63: note: called from here
// says in turn: deep.cu:148: note: called from here
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ __noinline__ void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}
__device__ void init(std::uint64_t* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}
__device__ __noinline__ void wait(std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@!p bra again;\n}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}
__device__ std::uint64_t descriptor(const void* matrix) {
  const std::uint64_t at = shared_address(matrix);
  return at >> 4 | std::uint64_t{1024 >> 4} << 16 | std::uint64_t{128 >> 4} << 32;
}

__device__ __noinline__ void multiply(float (&d)[4], const __half* a, const __half* b) {
  asm volatile(  // finds: race
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(descriptor(a)), "l"(descriptor(b)));
}
__device__ __noinline__ void start_product(float (&d)[4], const __half* stage) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  multiply(d, stage, stage + 64 * 16);
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
__device__ __noinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
__device__ __noinline__ void free_stage(std::uint64_t* empty) {
  // A thread of each warp.
  if (threadIdx.x % 32 == 0) arrive(empty);
}

constexpr int kSteps = 6, kStages = 2, kHalves = 2 * 64 * 16;
struct Ring {
  alignas(1024) __half stages[kStages][kHalves];
  std::uint64_t full[kStages], empty[kStages];
};

__device__ void make_barriers(Ring& ring) {
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&ring.full[i], 1);
      init(&ring.empty[i], 4);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
}

__device__ __noinline__ void multiply_step(float (&d)[4], Ring& ring, int i) {
#ifndef MENDED
  start_product(d, ring.stages[i]);
  free_stage(&ring.empty[i]);
  wait_for_products();
#else
  start_product(d, ring.stages[i]);
  wait_for_products();
  free_stage(&ring.empty[i]);
#endif
}
__device__ __noinline__ float last_of(const __half* stage) {
  return __half2float(stage[kHalves - 1 - threadIdx.x]);
}

__device__ __noinline__ void copy(void* to, const void* from, unsigned bytes, std::uint64_t* full) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(full)),
               "r"(bytes)
               : "memory");
  asm volatile(  // finds: race
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(full))
      : "memory");
}

__device__ __noinline__ void produce(Ring& ring, const __half* in) {
  for (int step = 0; step < kSteps; ++step) {
    const int i = step % kStages;
    wait(&ring.empty[i], (step / kStages + 1) % 2);
    copy(ring.stages[i], in + step * kHalves, sizeof(ring.stages[i]), &ring.full[i]);
  }
}

__global__ void products(const __half* in, float* out) {
  __shared__ Ring ring;
  make_barriers(ring);
  float d[4] = {};
  if (threadIdx.x >= 128) {
    for (int step = 0; step < kSteps; ++step) {
      const int i = step % kStages;
      wait(&ring.full[i], step / kStages % 2);
      multiply_step(d, ring, i);
    }
  } else if (threadIdx.x == 0) {
    produce(ring, in);
  }
  out[threadIdx.x] = d[0] + d[3];
}

// The same with reads of its own.
__global__ void sums(const __half* in, float* out) {
  __shared__ Ring ring;
  make_barriers(ring);
  float sum = 0;
  if (threadIdx.x >= 128) {
    for (int step = 0; step < kSteps; ++step) {
      const int i = step % kStages;
      wait(&ring.full[i], step / kStages % 2);
#ifdef MENDED
      sum += last_of(ring.stages[i]);
      __syncwarp();
      free_stage(&ring.empty[i]);
#else
      __syncwarp();
      free_stage(&ring.empty[i]);
      sum += last_of(ring.stages[i]);
#endif
    }
  } else if (threadIdx.x == 0) {
    produce(ring, in);
  }
  out[threadIdx.x] = sum;
}

int main() {
  __half* in;
  float* out;
  cudaMalloc(&in, kSteps * kHalves * sizeof(__half));
  cudaMalloc(&out, 256 * sizeof(float));
  cudaMemset(in, 0, kSteps * kHalves * sizeof(__half));
  products<<<1, 256>>>(in, out);
  sums<<<1, 256>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
