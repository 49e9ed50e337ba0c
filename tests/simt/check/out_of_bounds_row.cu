// A subscript past a row of a tile lands in the next row, which is inside the array. Each dimension
// has an extent of its own: in static shared memory, in a variable of the device, in a local array,
// and behind a pointer or a reference to rows. What a pointer to elements walks through has none.
// says: thread (15,0,0) of block (0,0,0) uses a_tile[tx + 1][0], where the first subscript is 16;
// says: where the first subscript is 16; dimension 1 of a_tile has 16 elements [rows]
// says: uses padded[tx][17 + tx], where the second subscript is 17; dimension 2 of padded has 17
// says: uses cube[tx + 1][tx - 1][0], where the second subscript is -1; dimension 2 of cube has 2
// says: uses weights[0][tx], where the second subscript is 3; dimension 2 of weights has 3 elements
// says: uses sums[tx], where the subscript is 4; sums has 4 elements
// says: uses rows[1][i], where the second subscript is 8; dimension 2 of rows has 8 elements
// says: uses tile[1][i], where the second subscript is 9; dimension 2 of tile has 9 elements
// says: uses a_tile[0][tx + 1], where the second subscript is 16; dimension 2 of a_tile has 16
// says: uses rest[tx], where the subscript is 3; rest has 3 elements
// says: uses b[tx - 3][0], where the first subscript is 2; dimension 1 of b has 2
// says: go from 0 to 15; to go through all rows as one array, use a pointer to the first element
#include <cuda_runtime.h>

#ifdef MENDED
constexpr bool PAST = false;
#else
constexpr bool PAST = true;
#endif

__device__ float weights[2][3];

__device__ float of_row(const float (*rows)[8], int i) {
  return rows[1][i];  // finds: out-of-bounds
}

template <int N>
__device__ float of_tile(float (&tile)[N][N + 1], int i) {
  return tile[1][i];  // finds: out-of-bounds
}

__global__ void rows(float* out) {
  __shared__ float a_tile[16][16];
  __shared__ float padded[16][17];
  __shared__ float cube[16][2][2];
  const int tx = static_cast<int>(threadIdx.x);
  for (int i = 0; i < 16; ++i) a_tile[tx][i] = padded[tx][i] = 1.0f;
  padded[tx][16] = 0.0f;  // the padding is there
  for (int i = 0; i < 4; ++i) cube[tx][i / 2][i % 2] = 1.0f;
  __syncthreads();
  if (tx == 15) out[0] = PAST ? a_tile[tx + 1][0] : 0.0f;  // finds: out-of-bounds
  if (tx == 0) {
    out[1] = PAST ? padded[tx][17 + tx] : 0.0f;      // finds: out-of-bounds
    out[2] = PAST ? cube[tx + 1][tx - 1][0] : 0.0f;  // finds: out-of-bounds
  }
  __syncthreads();
  // Another thread writes there: it is the subscript that is wrong, and no barrier is missing.
  a_tile[tx][0] = 2.0f;
  if (tx == 15 && PAST) out[3] = a_tile[0][tx + 1];  // finds: out-of-bounds
}

__global__ void elsewhere(float* out) {
  const int tx = static_cast<int>(threadIdx.x);
  float sums[4] = {1, 2, 3, 4};
  float &one = sums[0], &two = sums[1];
  decltype(sums[2]) three = (sums[2]);
  one = two + three;
  if (tx < 4 + PAST) out[tx] += sums[tx];        // finds: out-of-bounds
  if (tx < 3 + PAST) out[tx] += weights[0][tx];  // finds: out-of-bounds
  __shared__ float eight[3][8];
  __shared__ float nine[8][9];
  for (int i = tx; i < 24; i += 16) (&eight[0][0])[i] = 1.0f;
  float* flat = nine[0];  // as one row: through a pointer
  for (int i = tx; i < 72; i += 16) flat[i] = 1.0f;
  __syncthreads();
  float sum = 0.0f;
  for (const float* at = &nine[0][0]; at != &nine[7][9]; ++at) sum += *at;
  if (tx < 8 + PAST) sum += of_row(eight, tx);
  if (tx < 9 + PAST) sum += of_tile(nine, tx);
  out[tx] += sum;
}

struct Stage {
  float a[4];
  float b[2][4];  // the last of a struct has an extent as well
};
struct Few {
  float first[2], rest[3];
};
struct Many {
  int count;
  float values[1];  // an old way to say: as many as there is room for
};

__global__ void in_structs(float* out, Many* many) {
  const int tx = static_cast<int>(threadIdx.x);
  __shared__ Stage stages[2];
  Few last = {};
  if (tx < 8) stages[tx / 4].a[tx % 4] = stages[tx / 4].b[0][tx % 4] = 1.0f;
  if (tx < 8) stages[tx / 4].b[1][tx % 4] = 1.0f;
  many->values[tx] = 1.0f;
  __syncthreads();
  if (tx < 3 + PAST) out[tx] = last.rest[tx];            // finds: out-of-bounds
  if (tx == 4 + PAST) out[tx] = stages[1].b[tx - 3][0];  // finds: out-of-bounds
}

int main() {
  float* out;
  cudaMalloc(&out, 16 * sizeof(float));
  cudaMemset(out, 0, 16 * sizeof(float));
  rows<<<1, 16>>>(out);
  elsewhere<<<1, 16>>>(out);
  Many* many;
  cudaMalloc(&many, sizeof(Many) + 15 * sizeof(float));
  in_structs<<<1, 16>>>(out, many);
  cudaDeviceSynchronize();
  cudaFree(many);
  cudaFree(out);
}
