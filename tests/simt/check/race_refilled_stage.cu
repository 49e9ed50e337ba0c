// Two stages in turn: a warp fills the stage that another one still loads fragments from. A copy
// may be done as soon as it is started, so the barrier has to stand before its start, not before
// its end.
#include <cuda_runtime.h>

constexpr int kSteps = 4;

__device__ void fill(const unsigned short* in, unsigned row) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"  // finds: race
               ::"r"(row),
               "l"(in)
               : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Each warp copies half of the rows of a stage, and loads all of them.
__global__ void pipeline(const unsigned short* in, unsigned* out) {
  __shared__ alignas(16) unsigned short stages[2][16 * 8];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned own = warp * 8 + lane % 8;
  unsigned own_rows[2], rows[2];
  for (int i = 0; i < 2; ++i) {
    own_rows[i] = static_cast<unsigned>(__cvta_generic_to_shared(&stages[i][own * 8]));
    rows[i] = static_cast<unsigned>(__cvta_generic_to_shared(&stages[i][lane % 16 * 8]));
  }
  unsigned sum = 0;
  if (lane < 8) fill(in + own * 8, own_rows[0]);
  for (int step = 0; step < kSteps; ++step) {
    const int next = step + 1;
    if (lane < 8 && next < kSteps) fill(in + (next * 16 + own) * 8, own_rows[next % 2]);
    if (next < kSteps) {
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_all;" ::: "memory");
    }
    __syncthreads();
    unsigned part[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(part[0]), "=r"(part[1])
                 : "r"(rows[step % 2])
                 : "memory");
    sum += part[0] + part[1];
#ifdef MENDED
    __syncthreads();
#endif
  }
  out[threadIdx.x] = sum;
}

int main() {
  unsigned short* in;
  unsigned* out;
  const int bytes = kSteps * 16 * 8 * sizeof(unsigned short);
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, 64 * sizeof(unsigned));
  cudaMemset(in, 0, bytes);
  pipeline<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
