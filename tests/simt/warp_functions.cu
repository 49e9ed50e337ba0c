// Warp votes, shuffles, match, reduce, with full and partial masks and warps. Checks itself.
// needs: sm_80
#include <cstdio>

namespace {

int failures = 0;

void expect(bool condition, const char* what, int lane) {
  if (condition) return;
  std::printf("lane %d: %s\n", lane, what);
  ++failures;
}

constexpr unsigned kAll = 0xFFFFFFFFu;

// One row of 32 results for each thing tried.
enum Row {
  kIndex,
  kIndexWidth8,
  kUp,
  kUpWidth8,
  kDown,
  kXor,
  kBroadcast,
  kAny,
  kAllVote,
  kBallot,
  kMatchAny,
  kMatchAll,
  kMatchAllPredicate,
  kAdd,
  kMin,
  kMaxSigned,
  kOr,
  kXorReduce,
  kEvenBallot,
  kEvenSum,
  kDivergent,
  kRows
};

__global__ void integers(unsigned* out) {
  const int lane = threadIdx.x;
  const auto put = [&](Row row, unsigned value) { out[row * 32 + lane] = value; };
  put(kIndex, __shfl_sync(kAll, lane * 10, (lane + 5) % 32));
  put(kIndexWidth8, __shfl_sync(kAll, lane, 3, 8));
  put(kUp, __shfl_up_sync(kAll, lane, 2));
  put(kUpWidth8, __shfl_up_sync(kAll, lane, 3, 8));
  put(kDown, __shfl_down_sync(kAll, lane, 7));
  put(kXor, __shfl_xor_sync(kAll, lane, 9));
  put(kBroadcast, __shfl_sync(kAll, lane == 17 ? 4711 : 0, 17));
  put(kAny, __any_sync(kAll, lane == 31));
  put(kAllVote, __all_sync(kAll, lane != 31));
  put(kBallot, __ballot_sync(kAll, lane % 3 == 0));
  put(kMatchAny, __match_any_sync(kAll, lane / 4));
  int same = -1;
  put(kMatchAll, __match_all_sync(kAll, 7, &same));
  put(kMatchAllPredicate, same);
  put(kAdd, __reduce_add_sync(kAll, static_cast<unsigned>(lane)));
  put(kMin, __reduce_min_sync(kAll, lane - 5));
  put(kMaxSigned, __reduce_max_sync(kAll, -lane));
  put(kOr, __reduce_or_sync(kAll, 1u << lane));
  put(kXorReduce, __reduce_xor_sync(kAll, static_cast<unsigned>(lane)));
  // The two halves of a branch vote apart, each with its own mask.
  if (lane % 2 == 0) {
    put(kEvenBallot, __ballot_sync(0x55555555u, lane < 16));
    put(kEvenSum, __reduce_add_sync(0x55555555u, static_cast<unsigned>(lane)));
    __syncwarp(0x55555555u);
  } else {
    put(kEvenBallot, __ballot_sync(0xAAAAAAAAu, lane < 4));
    put(kEvenSum, __reduce_add_sync(0xAAAAAAAAu, static_cast<unsigned>(lane)));
  }
  __syncwarp();
  // Loops of different lengths, then together again.
  unsigned sum = 0;
  for (int i = 0; i < lane; ++i) sum += __popc(__activemask()) > 0;
  __syncwarp();
  put(kDivergent, __shfl_xor_sync(kAll, sum, 1));
}

template <class T>
__global__ void sum_by_shuffles(const T* in, T* out) {
  T value = in[threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(kAll, value, distance);
  }
  if (threadIdx.x == 0) *out = value;
}

// A last warp of 8 threads: the mask names them only.
__global__ void partial_warp(unsigned* out) {
  const unsigned mask = blockDim.x - threadIdx.x / 32 * 32 >= 32 ? kAll : 0xFFu;
  out[threadIdx.x] = __ballot_sync(mask, 1) + __shfl_sync(mask, threadIdx.x, 0);
}

template <class T>
T* managed(int n) {
  T* p = nullptr;
  if (cudaMallocManaged(&p, n * sizeof(T)) != cudaSuccess) std::abort();
  return p;
}

void check_integers() {
  unsigned* out = managed<unsigned>(kRows * 32);
  integers<<<1, 32>>>(out);
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch", 0);
  for (int lane = 0; lane < 32; ++lane) {
    const auto is = [&](Row row, unsigned value, const char* what) {
      expect(out[row * 32 + lane] == value, what, lane);
    };
    is(kIndex, (lane + 5) % 32 * 10, "shfl");
    is(kIndexWidth8, lane / 8 * 8 + 3, "shfl, width 8");
    is(kUp, lane < 2 ? lane : lane - 2, "shfl_up");
    is(kUpWidth8, lane % 8 < 3 ? lane : lane - 3, "shfl_up, width 8");
    is(kDown, lane + 7 < 32 ? lane + 7 : lane, "shfl_down");
    is(kXor, lane ^ 9, "shfl_xor");
    is(kBroadcast, 4711, "broadcast");
    is(kAny, 1, "any");
    is(kAllVote, 0, "all");
    is(kBallot, 0x49249249u, "ballot");
    is(kMatchAny, 0xFu << lane / 4 * 4, "match_any");
    is(kMatchAll, kAll, "match_all");
    is(kMatchAllPredicate, 1, "match_all's predicate");
    is(kAdd, 496, "reduce_add");
    is(kMin, static_cast<unsigned>(-5), "reduce_min");
    is(kMaxSigned, 0, "reduce_max");
    is(kOr, kAll, "reduce_or");
    is(kXorReduce, 0, "reduce_xor");
    is(kEvenBallot, lane % 2 == 0 ? 0x5555u : 0xAu, "ballot in a branch");
    is(kEvenSum, lane % 2 == 0 ? 240 : 256, "reduce in a branch");
    is(kDivergent, lane ^ 1, "shuffle after a divergent loop");
  }
  cudaFree(out);
}

template <class T>
void check_sum(const char* what) {
  T* in = managed<T>(33);
  for (int i = 0; i < 32; ++i) in[i] = static_cast<T>(i + 1);
  sum_by_shuffles<T><<<1, 32>>>(in, in + 32);
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch", 0);
  expect(in[32] == static_cast<T>(528), what, 0);
  cudaFree(in);
}

void check_partial_warp() {
  unsigned* out = managed<unsigned>(40);
  partial_warp<<<1, 40>>>(out);
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch", 0);
  for (int i = 0; i < 40; ++i) {
    expect(out[i] == (i < 32 ? kAll : 0xFFu + 32u), "partial warp", i);
  }
  cudaFree(out);
}

}  // namespace

int main() {
  check_integers();
  check_sum<int>("sum of int");
  check_sum<unsigned long long>("sum of unsigned long long");
  check_sum<float>("sum of float");
  check_sum<double>("sum of double");
  check_partial_warp();
  return failures == 0 ? 0 : 1;
}
