// Products that threads add to sums in registers, in the forms that the CPU backend makes vectors
// of, and in forms beside them. Every element is one multiply-add, whatever form it has.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "expect.cuh"

namespace {

constexpr int kThreads = 32, kMost = 256;

// A thread's numbers, of which products are no whole ones.
__device__ float number(int thread, int i) {
  return static_cast<float>((thread * 131 + i * 71) % 257 - 128) / 97.0f;
}

template <int M, int N>
struct Operands {
  float a[M], b[2 * N];

  __device__ explicit Operands(int thread) {
    for (int i = 0; i < M; ++i) a[i] = number(thread, i);
    for (int j = 0; j < 2 * N; ++j) b[j] = number(thread, 100 + j);
  }
};

// sums[i][j] += a[i] * b[j + shift], as it is recognised ...
template <int M, int N>
__device__ void add_row(const Operands<M, N>& from, int shift, float (&sums)[M][N]) {
  float a[M], b[2 * N];
  for (int i = 0; i < M; ++i) a[i] = from.a[i];
  for (int j = 0; j < 2 * N; ++j) b[j] = from.b[j];
#pragma unroll
  for (int i = 0; i < M; ++i) {
#pragma unroll
    for (int j = 0; j < N; ++j) sums[i][j] += a[i] * b[j + shift];
  }
}

// ... and element by element.
template <int M, int N>
__device__ void add_each(const Operands<M, N>& from, int shift, float (&sums)[M][N]) {
  for (int at = 0; at < M * N; ++at) {
    float& sum = sums[at / N][at % N];
    sum += from.a[at / N] * from.b[at % N + shift];
  }
}

template <int M, int N>
__global__ void multiply(float* out, bool each) {
  const Operands<M, N> from(threadIdx.x);
  float sums[M][N];
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) sums[i][j] = number(threadIdx.x, 50 + i * N + j);
  }
  for (int shift = 0; shift <= N; ++shift) {
    if (each) {
      add_each<M, N>(from, shift, sums);
    } else {
      add_row<M, N>(from, shift, sums);
    }
    __syncthreads();
  }
  for (int at = 0; at < M * N; ++at) out[threadIdx.x * kMost + at] = sums[at / N][at % N];
}

// The same in the kernel itself, with sums that live across barriers.
template <int M, int N>
__global__ void multiply_between_barriers(float* out, bool each) {
  __shared__ float columns[4][M], rows[4][N];
  for (int i = threadIdx.x; i < 4 * M; i += blockDim.x) columns[i / M][i % M] = number(7, i);
  for (int j = threadIdx.x; j < 4 * N; j += blockDim.x) rows[j / N][j % N] = number(9, j);
  float sums[M][N] = {}, other[M][N] = {};
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    float a[M] = {}, b[N];
    for (int i = 0; i < M; ++i) a[i] = columns[k][i] + number(threadIdx.x, i);
    for (int j = 0; j < N; ++j) b[j] = rows[k][j];
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) sums[i][j] += a[i] * b[j];
    for (int at = 0; at < M * N; ++at) other[at / N][at % N] += a[at / N] * b[at % N];
    __syncthreads();
  }
  for (int at = 0; at < M * N; ++at) {
    out[threadIdx.x * kMost + at] = each ? other[at / N][at % N] : sums[at / N][at % N];
  }
}

// Two rows of sums for each factor, from rows that are elements of an array.
template <int M, int N>
__device__ void add_pairs(const float (&from)[M], float (&sums)[M][2][N], int thread) {
  float a[M], rows[4][2 * N];
  for (int i = 0; i < M; ++i) a[i] = from[i];
  for (int r = 0; r < 4; ++r) {
    for (int j = 0; j < 2 * N; ++j) rows[r][j] = number(thread, r * 20 + j);
  }
#pragma unroll
  for (int r = 0; r < 3; ++r) {
#pragma unroll
    for (int t = 0; t < N; ++t) {
      for (int i = 0; i < M; ++i) {
        for (int j = 0; j < N; ++j) {
          sums[i][0][j] += a[i] * rows[r][j + t];
          sums[i][1][j] += a[i] * rows[r + 1][j + t];
        }
      }
    }
  }
}

template <int M, int N>
__device__ void add_each_pair(const float (&a)[M], float (&sums)[M][2][N], int thread) {
  for (int step = 0; step < 3 * N; ++step) {
    for (int at = 0; at < M * 2 * N; ++at) {
      const int i = at / N / 2, half = at / N % 2, j = at % N, r = step / N, t = step % N;
      sums[i][half][j] += a[i] * number(thread, (r + half) * 20 + j + t);
    }
  }
}

template <int M, int N>
__global__ void multiply_pairs(float* out, bool each) {
  const Operands<M, N> from(threadIdx.x);
  float sums[M][2][N] = {};
  if (each) {
    add_each_pair<M, N>(from.a, sums, threadIdx.x);
  } else {
    add_pairs<M, N>(from.a, sums, threadIdx.x);
  }
  for (int at = 0; at < 2 * M * N; ++at) out[threadIdx.x * kMost + at] = (&sums[0][0][0])[at];
}

// Several products for each of a row of sums, by numbers and by members ...
template <int N>
__device__ void add_strip(const float4* in, const float (&from)[N + 3], float (&sums)[2][N]) {
  float row[N + 3];
  for (int j = 0; j < N + 3; ++j) row[j] = from[j];
  for (int i = 0; i < 2; ++i) {
    const float4 x = in[i];
    const float y = in[2].y;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      sums[i][j] += x.x * row[j];
      sums[i][j] += x.w * row[j + 1];
      sums[i][j] += row[j + 2] * y;
      sums[i][j] += x.z * row[j + 3];
    }
  }
}

// ... and element by element.
template <int N>
__device__ void add_each_strip(const float4* in, const float (&row)[N + 3], float (&sums)[2][N]) {
  for (int at = 0; at < 2 * N; ++at) {
    float& sum = sums[at / N][at % N];
    const int j = at % N;
    const float factors[4] = {in[at / N].x, in[at / N].w, in[2].y, in[at / N].z};
    for (int k = 0; k < 4; ++k) sum += factors[k] * row[j + k];
  }
}

template <int N>
__global__ void multiply_strips(float* out, bool each) {
  float from[N + 3], sums[2][N];
  float4 in[3];
  for (int j = 0; j < N + 3; ++j) from[j] = number(threadIdx.x, j);
  for (int at = 0; at < 2 * N; ++at) sums[at / N][at % N] = number(threadIdx.x, 40 + at);
  for (int i = 0; i < 3; ++i) {
    in[i] = {number(threadIdx.x, 60 + i), number(threadIdx.x, 64 + i), number(threadIdx.x, 68 + i),
             number(threadIdx.x, 72 + i)};
  }
  if (each) {
    add_each_strip<N>(in, from, sums);
  } else {
    add_strip<N>(in, from, sums);
  }
  for (int at = 0; at < 2 * N; ++at) out[threadIdx.x * kMost + at] = sums[at / N][at % N];
}

// A factor that is a reference to a sum, behind a name that does not tell.
using Reference = const float&;

__device__ void add_own_factor(float (&sums)[4]) {
  float row[4] = {1.0f, 2.0f, 3.0f, 4.0f};
  Reference factor = sums[0];
  for (int j = 0; j < 4; ++j) sums[j] += factor * row[j];
}

// The order counts where the sums themselves are a factor or a row.
__device__ void add_own_row(float (&sums)[4][4]) {
  auto& row = sums[1];
  float a[4] = {1.0f, 2.0f, 3.0f, 4.0f};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) sums[i][j] += a[i] * row[j];
  }
}

// Not arrays of floats, or not all of them.
__device__ int others(int thread) {
  int counts[4][4] = {}, whole[4] = {1, 2, 3, thread};
  double exact[4][4] = {}, d[4] = {0.5, 1.5, 2.5, 3.5};
  float part[8][8] = {}, a[8], b[8];
  for (int i = 0; i < 8; ++i) a[i] = static_cast<float>(i), b[i] = static_cast<float>(thread);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) counts[i][j] += whole[i] * whole[j];
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) exact[i][j] += d[i] * d[j];
  }
  int limit = 5;
  for (int i = 0; i < limit; ++i) {
    for (int j = 0; j < 8; ++j) part[i][j] += a[i] * b[j];
  }
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 6; ++j) part[i][j] += a[i] * b[j];
  }
  int sum = counts[3][2] + static_cast<int>(exact[3][3]);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) sum += static_cast<int>(part[i][j]);
  }
  return sum;
}

__global__ void run_others(int* out) {
  float sums[4][4] = {{1, 1, 1, 1}, {1, 2, 3, 4}, {0, 0, 0, 0}, {0, 0, 0, 0}};
  add_own_row(sums);
  // Row 1 is tripled before rows 2 and 3 get it.
  bool right = sums[0][3] == 5.0f && sums[1][3] == 12.0f && sums[2][3] == 36.0f;
  right = right && sums[3][0] == 12.0f;
  float line[4] = {1.0f, 1.0f, 1.0f, 1.0f};
  add_own_factor(line);  // it is 2 after the first element
  right = right && line[0] == 2.0f && line[1] == 5.0f && line[3] == 9.0f;
  out[threadIdx.x] = right ? others(threadIdx.x) : -1;
}

// A choice by equality between a value and a literal, NaN and infinity among the values.
enum class Place : unsigned char { left, right, none };

__global__ void choose(const float* in, const unsigned char* places, float* out) {
  const Place place = static_cast<Place>(places[threadIdx.x]);
  const float value = in[threadIdx.x];
  const auto share = [&](Place which) { return place == which ? value : 0.0f; };
  out[3 * threadIdx.x] = share(Place::left);
  out[3 * threadIdx.x + 1] = share(Place::right);
  out[3 * threadIdx.x + 2] = place != Place::none ? -1.0f : value;
}

// A choice between sums by a flag; the one that is not chosen may overflow. What is no int keeps
// its type.
__global__ void choose_sums(int* out) {
  const bool late = threadIdx.x > 7;
  const bool odd = threadIdx.x % 2 != 0;
  const int step = late ? 2147483647 : static_cast<int>(threadIdx.x);
  const auto flag = late ? odd : late;
  const int next = late ? 2 + odd : 1 + step;
  out[threadIdx.x] = next * 2 + (flag ? 1 : 0) + (sizeof(flag) == 1 ? 0 : 1000);
}

template <class Kernel>
void compare(const char* what, Kernel kernel, int elements) {
  float* out = nullptr;
  cudaMallocManaged(&out, 2 * kThreads * kMost * sizeof(float));
  std::memset(out, 0, 2 * kThreads * kMost * sizeof(float));
  float* const each = out + kThreads * kMost;
  kernel<<<1, kThreads>>>(out, false);
  kernel<<<1, kThreads>>>(each, true);
  expect(what, cudaDeviceSynchronize(), cudaSuccess);
  int wrong = 0, set = 0;
  for (int i = 0; i < kThreads * kMost; ++i) {
    set += each[i] != 0.0f ? 1 : 0;
    wrong += std::memcmp(out + i, each + i, sizeof(float)) != 0 ? 1 : 0;
  }
  expect(what, wrong, 0);
  expect(what, set > kThreads * elements / 2, true);
  cudaFree(out);
}

void check_choices() {
  float* in = nullptr;
  float* out = nullptr;
  unsigned char* places = nullptr;
  cudaMallocManaged(&in, kThreads * sizeof(float));
  cudaMallocManaged(&out, 3 * kThreads * sizeof(float));
  cudaMallocManaged(&places, kThreads);
  for (int i = 0; i < kThreads; ++i) {
    in[i] = i % 5 == 0 ? NAN : i % 5 == 1 ? -INFINITY : i % 5 == 2 ? -0.0f : 0.1f * i;
    places[i] = static_cast<unsigned char>(i % 3);
  }
  choose<<<1, kThreads>>>(in, places, out);
  expect("choices", cudaDeviceSynchronize(), cudaSuccess);
  int wrong = 0;
  for (int i = 0; i < kThreads; ++i) {
    const float zero = 0.0f, other = -1.0f;
    const float* want[3] = {places[i] == 0 ? in + i : &zero, places[i] == 1 ? in + i : &zero,
                            places[i] == 2 ? in + i : &other};
    for (int k = 0; k < 3; ++k) wrong += std::memcmp(out + 3 * i + k, want[k], 4) != 0 ? 1 : 0;
  }
  expect("choices", wrong, 0);
  cudaFree(in);
  cudaFree(out);
  cudaFree(places);
}

}  // namespace

int main() {
  compare("8 x 4", multiply<8, 4>, 32);
  compare("4 x 4", multiply<4, 4>, 16);
  compare("3 x 4", multiply<3, 4>, 12);
  compare("2 x 8", multiply<2, 8>, 16);
  compare("8 x 8", multiply<8, 8>, 64);
  compare("5 x 12", multiply<5, 12>, 60);
  compare("4 x 16", multiply<4, 16>, 64);
  compare("4 x 5", multiply<4, 5>, 20);
  compare("1 x 4", multiply<1, 4>, 4);
  compare("8 x 8 between barriers", multiply_between_barriers<8, 8>, 64);
  compare("4 x 4 between barriers", multiply_between_barriers<4, 4>, 16);
  compare("4 pairs of 4", multiply_pairs<4, 4>, 32);
  compare("3 pairs of 8", multiply_pairs<3, 8>, 48);
  compare("2 pairs of 12", multiply_pairs<2, 12>, 48);
  compare("3 pairs of 6", multiply_pairs<3, 6>, 36);
  compare("strips of 1", multiply_strips<1>, 2);
  compare("strips of 2", multiply_strips<2>, 4);
  compare("strips of 3", multiply_strips<3>, 6);
  compare("strips of 4", multiply_strips<4>, 8);
  compare("strips of 5", multiply_strips<5>, 10);
  compare("strips of 6", multiply_strips<6>, 12);
  compare("strips of 7", multiply_strips<7>, 14);
  compare("strips of 8", multiply_strips<8>, 16);
  compare("strips of 9", multiply_strips<9>, 18);

  int* out = nullptr;
  cudaMallocManaged(&out, kThreads * sizeof(int));
  run_others<<<1, kThreads>>>(out);
  expect_each("others", out, kThreads, [](int t) { return 3 * t + 12 + 8 * t * 10 + 6 * t * 28; });
  choose_sums<<<1, kThreads>>>(out);
  expect_each("sums", out, kThreads,
              [](int t) { return t > 7 ? (2 + t % 2) * 2 + t % 2 : (1 + t) * 2; });
  cudaFree(out);
  check_choices();
  return report();
}
