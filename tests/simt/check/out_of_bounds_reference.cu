// An element or row past the last one is handed to a function, as the fragments of tensor cores
// are: what a reference is bound to must be there, and so must the object of a member function. The
// end of an array as a pointer is no element, and its function may never look there.
// says: uses parts[i], where the subscript is 2; parts has 2 elements
// says: uses parts[1][i], where the second subscript is 3; dimension 2 of parts has 3 elements
// says: uses rows[i], where the subscript is 4; rows has 4 elements
// says: uses tile[tx + 1], where the subscript is 4; tile has 4 elements
// says: uses pairs[i], where the subscript is 3; pairs has 3 elements
// says: uses pairs[i + 1], where the subscript is 3; pairs has 3 elements
// says: uses last[i], where the subscript is 2; last has 2 elements
// says: uses rows[past], where the subscript is 2; rows has 2 elements
// says: uses grid[1][i], where the second subscript is 2; dimension 2 of grid has 2 elements
// says: uses b[i], where the subscript is 2; b has 2 elements
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#ifdef MENDED
constexpr int PAST = 0;
#else
constexpr int PAST = 1;
#endif

__device__ void fill(unsigned (&part)[4], unsigned value) {
  for (int i = 0; i < 4; ++i) part[i] = value;
}

template <class T, int N>
__device__ T sum_of(const T (&part)[N]) {
  T sum = 0;
  for (int i = 0; i < N; ++i) sum += part[i];  // finds: out-of-bounds
  return sum;
}

template <class T>
__device__ T sum_between(const T* first, const T* last) {
  T sum = 0;
  for (; first != last; ++first) sum += *first;
  return sum;
}

struct Stage {
  unsigned parts[2][3][4];
};

template <int N>
__device__ float of_rows(const float (&rows)[N][4], int past) {
  float sum = 0.0f;
  for (int i = 0; i < N + past; ++i) sum += sum_of(rows[i]);  // finds: out-of-bounds
  return sum;
}

__global__ void rows_of_registers(unsigned* out) {
  unsigned parts[2][4] = {};
  for (int i = 0; i < 2 + PAST; ++i) fill(parts[i], i);  // finds: out-of-bounds
  Stage stage = {};
  for (int i = 0; i < 3 + PAST; ++i) {
    out[i] = sum_of(stage.parts[1][i]);  // finds: out-of-bounds
  }
  out[4] = sum_between(parts[0], parts[2]);  // the end: nobody reads there
}

__global__ void rows_of_shared_memory(float* out) {
  __shared__ float tile[4][4];
  const int tx = static_cast<int>(threadIdx.x);
  for (int i = 0; i < 4; ++i) tile[tx][i] = 1.0f;
  __syncthreads();
  if (tx == 0) out[0] = of_rows(tile, PAST);
  if (tx == 3 && PAST) out[2] = sum_of<float, 4>(tile[tx + 1]);  // finds: out-of-bounds
  const auto of_lambda = [&](int row) { return sum_of(tile[row]); };
  if (tx == 3) out[3] = of_lambda(tx);
}

struct Pair {
  int first, second;
  __device__ void set(int value) { first = second = value; }
  __device__ int sum() const { return first + second; }
};

__device__ void add(Pair& pair, const Pair& other) {
  pair.first += other.first;
  pair.second += other.second;
}

__device__ void raise(int& x) { ++x; }

__global__ void elements(int* out, int zero) {
  Pair pairs[3], last[2];
  for (int i = 0; i < 3 + PAST; ++i) pairs[i].set(i);                 // finds: out-of-bounds
  for (int i = 0; i < 2 + PAST; ++i) add(pairs[i], pairs[i + 1]);     // finds: out-of-bounds
  for (int i = zero; i < 2 + PAST; ++i) last[i].set(pairs[i].sum());  // finds: out-of-bounds
  const int past = 1 + PAST;
  int rows[2][4] = {};
  auto& row = rows[past];  // finds: out-of-bounds
  if (!PAST) row[0] = 1;
  int grid[2][2] = {};
  for (int i = 0; i < 2 + PAST; ++i) raise(grid[1][i]);  // finds: out-of-bounds
  Pair* behind = pairs + 1;
  behind[1].set(2);  // through a pointer
  raise(behind[1].first);
  out[0] = last[1].sum() + rows[0][0] + grid[1][1] + pairs[2].first;
}

__global__ void fragments(float* out, const __half* in) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b[2];
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  wmma::load_matrix_sync(a, in, 16);
  for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(b[i], in, 16);
  for (int i = 0; i < 2 + PAST; ++i) wmma::mma_sync(sums, a, b[i], sums);  // finds: out-of-bounds
  wmma::store_matrix_sync(out, sums, 16, wmma::mem_row_major);
}

int main() {
  float* out;
  cudaMalloc(&out, 256 * sizeof(float));
  rows_of_registers<<<1, 1>>>(reinterpret_cast<unsigned*>(out));
  rows_of_shared_memory<<<1, 4>>>(out);
  elements<<<1, 1>>>(reinterpret_cast<int*>(out), 0);
  __half* in;
  cudaMalloc(&in, 256 * sizeof(__half));
  cudaMemset(in, 0, 256 * sizeof(__half));
  fragments<<<1, 32>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
