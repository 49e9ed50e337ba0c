// Threads that wait for another by reading memory: spin locks, flags, a hand-written grid barrier.
// reports: racecheck, because a flag in shared memory is polled without a barrier
#include <cstdio>
#include <utility>

static int failures = 0;

static void expect(const char* what, long got, long want) {
  if (got == want) return;
  std::printf("%s: expected %ld, got %ld\n", what, want, got);
  ++failures;
}

__device__ int lock_word;
__device__ volatile int turn;
__device__ unsigned arrived;
__device__ volatile unsigned generation;

__global__ void spin_lock(int* total) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock_word, 0, 1) == 0) {
      *reinterpret_cast<volatile int*>(total) = *reinterpret_cast<volatile int*>(total) + 1;
      __threadfence();
      atomicExch(&lock_word, 0);
      done = true;
    }
  }
}

// Blocks take turns from the last to the first.
__global__ void backwards(int* order) {
  if (threadIdx.x != 0) return;
  const int mine = gridDim.x - 1 - blockIdx.x;
  while (turn != mine)
    ;
  order[mine] = blockIdx.x;
  __threadfence();
  turn = mine + 1;
}

// The second warp's thread raises the flag for the first's; independent thread scheduling.
__global__ void flag_in_block(int* out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    do {
    } while (flag == 0);
    *out = flag;
  } else if (threadIdx.x == 32) {
    flag = 77;
  }
}

__global__ void atomic_reads(int* ticket, int* out) {
  const int mine = blockDim.x - 1 - threadIdx.x;
  while (atomicAdd(ticket, 0) != mine) {
  }
  out[mine] = threadIdx.x;
  __threadfence();
  atomicAdd(ticket, 1);
}

__device__ void grid_barrier() {
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned now = generation;
    __threadfence();
    if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
      arrived = 0;
      __threadfence();
      generation = now + 1;
    } else {
      for (;;) {
        if (generation != now) break;
      }
    }
  }
  __syncthreads();
}

__global__ void two_phases(int* in, int* out) {
  in[blockIdx.x] = blockIdx.x;
  grid_barrier();
  out[blockIdx.x] = in[gridDim.x - 1 - blockIdx.x];
  grid_barrier();
  if (threadIdx.x == 0) in[blockIdx.x] = out[(blockIdx.x + 1) % gridDim.x];
}

// One warp whose threads wait until all have come, in every form that a wait can take.
__device__ bool not_all(int* count) { return atomicAdd(count, 0) < 32; }
__device__ void wait_for_all(int* count) {
  if (not_all(count)) wait_for_all(count);
}
struct AllCame {
  int* count;
  __device__ bool operator()() const { return atomicOr(count, 0) >= 32; }
};
template <class Done>
__device__ void until(Done done, int* rounds) {
  while (!done()) ++*rounds;
}

template <int kForm>
__global__ void wait_in_form(int* count, int* out) {
  int rounds = 0;
  atomicAdd(count, 1);
  if (kForm == 0) {
    for (;;) {
      if (atomicOr(count, 0) >= 32) break;
    }
  } else if (kForm == 1) {
  again:
    if (atomicCAS(count, 0, 0) < 32) goto again;
  } else if (kForm == 2) {
    int seen = atomicMax(count, 0);
    while (seen < 32) seen = atomicMax(count, 0);
  } else if (kForm == 3) {
    bool all = false;
    while (!all) {
      ++rounds;
      if (!not_all(count)) all = true;
    }
  } else if (kForm == 4) {
    wait_for_all(count);
  } else if (kForm == 5) {
    until(AllCame{count}, &rounds);
  } else if (kForm == 6) {
    until([=] { return atomicExch(count + 1, 0) + atomicAdd(count, 0) >= 32; }, &rounds);
  } else if (kForm == 7) {
    const auto came = [&] { return atomicAdd(count, 0); };
    do {
      ++rounds;
    } while (came() < 32);
  } else if (kForm == 8) {
    while (bool missing = atomicAdd(count, 0) < 32) rounds += missing;
  } else if (kForm == 9) {
#ifdef __SIMT_WATCHED__  // a plain read races with the atomics, as check mode says
    const volatile int* plain = count;
#else
    int* plain = count;
#endif
    while (*plain < 32) __threadfence();
  } else if (kForm == 10) {
    for (int i = 0; i < 1 || atomicAdd(count, 0) < 32; ++i) ++rounds;
  } else if (kForm == 11) {
    for (int i = 0; i < 2; ++i) {
      if (atomicAdd(count, 0) < 32) i = 0;
    }
  } else {
    int left = 2;
    while (left > 0) {
      if (atomicAdd(count, 0) < 32) continue;
      --left;
    }
  }
  out[threadIdx.x] = atomicAdd(count, 0);
}

// From the last block to the first, asked in the body.
__global__ void ticket_between_blocks(int* ticket, int* out) {
  bool done = false;
  while (!done) {
    if (atomicAdd(ticket, 0) == static_cast<int>(gridDim.x - 1 - blockIdx.x)) {
      out[blockIdx.x] = static_cast<int>(blockIdx.x);
      __threadfence();
      atomicAdd(ticket, 1);
      done = true;
    }
  }
}

// Copies until the end of a string: no waiting, though the body is empty.
__global__ void copy_string(char* to, const char* from) {
  while ((*to++ = *from++) != '\0')
    ;
}

template <int kForm>
static void try_form(int* p) {
  for (int i = 0; i < 40; ++i) p[i] = 0;
  wait_in_form<kForm><<<1, 32>>>(p, p + 2);
  cudaDeviceSynchronize();
  for (int t = 0; t < 32; ++t) expect("all came", p[2 + t] * 100 + kForm, 3200 + kForm);
}

template <int... kForms>
static void try_forms(int* p, std::integer_sequence<int, kForms...>) {
  (try_form<kForms>(p), ...);
}

int main() {
  int* p = nullptr;
  cudaMallocManaged(&p, 4096);
  for (int i = 0; i < 1024; ++i) p[i] = 0;
  spin_lock<<<4, 32>>>(p);
  cudaDeviceSynchronize();
  expect("spin lock", p[0], 128);
  backwards<<<4, 32>>>(p);
  cudaDeviceSynchronize();
  expect("turns", p[0] * 10 + p[3], 30);
  flag_in_block<<<1, 64>>>(p);
  cudaDeviceSynchronize();
  expect("flag", p[0], 77);
  p[0] = 0;
  atomic_reads<<<1, 64>>>(p, p + 1);
  cudaDeviceSynchronize();
  expect("tickets", p[0] * 100 + p[1], 6463);
  two_phases<<<4, 32>>>(p, p + 64);
  cudaDeviceSynchronize();
  expect("grid barrier", p[64] * 10 + p[0], 32);
  try_forms(p, std::make_integer_sequence<int, 13>{});
  for (int i = 0; i < 8; ++i) p[i] = 0;
  ticket_between_blocks<<<7, 1>>>(p, p + 1);
  cudaDeviceSynchronize();
  expect("ticket", p[0] * 100 + p[7], 706);
  char* text = reinterpret_cast<char*>(p);
  text[100] = 'a';
  text[101] = 'b';
  text[102] = '\0';
  copy_string<<<1, 1>>>(text, text + 100);
  cudaDeviceSynchronize();
  expect("string", text[1], 'b');
  expect("errors", cudaGetLastError(), cudaSuccess);
  cudaFree(p);
  return failures == 0 ? 0 : 1;
}
