// ldmatrix and stmatrix: eight lanes' rows of 16 bytes go through the banks at a time, and each
// matrix is a pass of its own. Lanes without a row ask for nothing.
#include <cuda_runtime.h>

__device__ unsigned address_of(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// clang-format off
// Rows of 64 bytes: every second one begins in the same bank, and 8 rows of 16 bytes take 4 passes.
__global__ void unpadded() {
  __shared__ alignas(16) unsigned short tile[16 * 32];
  const unsigned lane = threadIdx.x;
  for (int i = threadIdx.x; i < 16 * 32; i += 32) tile[i] = 1;  // counts: shared_store requests=16 wavefronts=16
  __syncwarp();
  const unsigned row = address_of(&tile[lane % 16 * 32 + lane / 16 * 8]);
  unsigned part[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3]) : "r"(row) : "memory");  // counts: shared_load requests=1 lanes=32 wavefronts=16 bank_conflicts=12 worst_conflict_ways=4
  __syncwarp();
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" :: "r"(row), "r"(part[0]), "r"(part[1]), "r"(part[2]), "r"(part[3]) : "memory");  // counts: shared_store requests=1 lanes=32 wavefronts=16 bank_conflicts=12 worst_conflict_ways=4
}

// Rows of 80 bytes: 8 rows of 16 bytes lie in 32 banks.
__global__ void padded() {
  __shared__ alignas(16) unsigned short tile[16 * 40];
  const unsigned lane = threadIdx.x;
  for (int i = threadIdx.x; i < 16 * 40; i += 32) tile[i] = 1;  // counts: shared_store requests=20 wavefronts=20
  __syncwarp();
  const unsigned row = address_of(&tile[lane % 16 * 40 + lane / 16 * 8]);
  unsigned part[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(part[0]) : "r"(row) : "memory");  // counts: shared_load requests=1 lanes=8 wavefronts=1 bank_conflicts=0
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(part[0]), "=r"(part[1]) : "r"(row) : "memory");  // counts: shared_load requests=1 lanes=16 wavefronts=2 bank_conflicts=0
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3]) : "r"(row) : "memory");  // counts: shared_load requests=1 lanes=32 wavefronts=4 bank_conflicts=0
}

// The same without padding: a row's pieces change places by the row's number.
__global__ void swizzled() {
  __shared__ alignas(16) unsigned short tile[16 * 64];
  const unsigned lane = threadIdx.x;
  for (int i = threadIdx.x; i < 16 * 64; i += 32) tile[i] = 1;  // counts: shared_store requests=32 wavefronts=32
  __syncwarp();
  const unsigned number = lane % 16, piece = lane / 16;
  const unsigned row = address_of(&tile[number * 64 + (piece ^ number % 8) * 8]);
  unsigned part[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3]) : "r"(row) : "memory");  // counts: shared_load requests=1 lanes=32 wavefronts=4 bank_conflicts=0
}

// A copy of 16 bytes a lane is a load and a store, where it is waited for.
__global__ void copied(const unsigned short* in) {
  __shared__ alignas(16) unsigned short tile[32 * 8];
  const unsigned lane = threadIdx.x;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(address_of(&tile[lane * 8])), "l"(in + lane * 8) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");  // counts: global_load requests=1 sectors=16; shared_store requests=1 wavefronts=4
}
// clang-format on

int main() {
  unsigned short* in = nullptr;
  cudaMalloc(&in, 32 * 8 * sizeof(unsigned short));
  cudaMemset(in, 0, 32 * 8 * sizeof(unsigned short));
  unpadded<<<1, 32>>>();
  padded<<<1, 32>>>();
  swizzled<<<1, 32>>>();
  copied<<<1, 32>>>(in);
  const bool ok = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(in);
  return ok ? 0 : 1;
}
