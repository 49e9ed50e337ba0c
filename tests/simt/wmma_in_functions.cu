// WMMA in functions that take fragments and shared memory by reference and may end early, in
// conditions and loops that are the same for a warp's lanes: kernels that the CPU backend can run
// as loops over the threads of a block, and one that it cannot. Checks itself. needs: sm_80
#include <vector>

#include "wmma_case.cuh"

namespace {

constexpr int kTile = 16, kPad = 8, kWarps = 4;
constexpr int kRows = 2 * kTile, kDepth = 2 * kTile;  // of the block's tile of A

using PartA = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using PartB = wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

struct View {
  const __half* data;
  int rows, cols, stride;
  __device__ __half operator()(int r, int c) const {
    return r < rows && c < cols ? data[r * stride + c] : __float2half(0.0f);
  }
};

struct Stage {
  alignas(32) __half a[kRows][kDepth + kPad];
  alignas(32) __half b[kDepth][kWarps * kTile + kPad];
};

__device__ bool holds_tile(const View& view, int row, int col) {
  return row + kTile <= view.rows && col + kTile <= view.cols;
}

// Straight from the matrix where the tile lies inside, else by way of shared memory.
template <class Part>
__device__ void load_tile(Part& part, View view, int row, int col, __half (&stage)[kTile][kTile]) {
  if (holds_tile(view, row, col)) {
    wmma::load_matrix_sync(part, view.data + row * view.stride + col,
                           static_cast<unsigned>(view.stride));
    return;
  }
  __syncwarp();
  for (int i = threadIdx.x % 32; i < kTile * kTile; i += 32) {
    stage[i / kTile][i % kTile] = view(row + i / kTile, col + i % kTile);
  }
  __syncwarp();
  wmma::load_matrix_sync(part, &stage[0][0], kTile);
}

__device__ void multiply(const Stage& stage, int col, Sum (&sums)[2]) {
  for (int k = 0; k < kDepth; k += kTile) {
    PartA a[2];
    PartB b;
    for (int i = 0; i < 2; ++i) {
      wmma::load_matrix_sync(a[i], &stage.a[i * kTile][k], kDepth + kPad);
    }
    wmma::load_matrix_sync(b, &stage.b[k][col], kWarps * kTile + kPad);
    for (int i = 0; i < 2; ++i) wmma::mma_sync(sums[i], a[i], b, sums[i]);
  }
}

// A warp for each 16 columns of C; those beyond it have nothing to do but to help staging.
__global__ void staged(View a, View b, float* c, int c_stride) {
  __shared__ Stage stage;
  const int warp = threadIdx.x / 32;
  const int row0 = blockIdx.y * kRows, col = warp * kTile;
  const bool busy = col < b.cols;
  Sum sums[2];
  for (auto& sum : sums) wmma::fill_fragment(sum, 0.0f);
  for (int k0 = 0; k0 < a.cols; k0 += kDepth) {
    for (int i = threadIdx.x; i < kRows * kDepth; i += 32 * kWarps) {
      stage.a[i / kDepth][i % kDepth] = a(row0 + i / kDepth, k0 + i % kDepth);
    }
    for (int i = threadIdx.x; i < kDepth * kWarps * kTile; i += 32 * kWarps) {
      const int r = i / (kWarps * kTile), s = i % (kWarps * kTile);
      stage.b[r][s] = b(k0 + r, s);
    }
    __syncthreads();
    if (busy) multiply(stage, col, sums);
    __syncthreads();
  }
  float* to = c + row0 * c_stride + col;
  for (int i = 0; i < 2 && busy; ++i) {
    wmma::store_matrix_sync(to + i * kTile * c_stride, sums[i], static_cast<unsigned>(c_stride),
                            wmma::mem_row_major);
  }
}

// A warp for each tile of 16 x 16, by way of a stage of its own.
__global__ void tiles(View a, View b, float* c, int c_stride, int tiles_across, int count) {
  __shared__ alignas(32) __half stages[kWarps][kTile][kTile];
  const int warp = threadIdx.x / 32;
  for (int tile = blockIdx.x * kWarps + warp; tile < count; tile += gridDim.x * kWarps) {
    const int row = tile / tiles_across * kTile, col = tile % tiles_across * kTile;
    Sum sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < a.cols; k += kTile) {
      PartA a_part;
      PartB b_part;
      load_tile(a_part, a, row, k, stages[warp]);
      load_tile(b_part, b, k, col, stages[warp]);
      wmma::mma_sync(sum, a_part, b_part, sum);
    }
    wmma::store_matrix_sync(c + row * c_stride + col, sum, static_cast<unsigned>(c_stride),
                            wmma::mem_row_major);
  }
}

// Memory decides about a warp, and its lanes go one way.
__global__ void chosen(const int* factors, float* out) {
  const int warp = threadIdx.x / 32;
  Sum sum;
  wmma::fill_fragment(sum, 1.0f);
  PartA a;
  PartB b;
  wmma::fill_fragment(a, __float2half(1.0f));
  wmma::fill_fragment(b, __float2half(0.5f));
  for (int i = 0; i < factors[warp]; ++i) wmma::mma_sync(sum, a, b, sum);
  if (factors[warp] > 1) {
    wmma::store_matrix_sync(out + warp * 256, sum, 16, wmma::mem_row_major);
  }
}

// References to variables, and ends of functions at several places.
__device__ void add_from(float& value, const float& other, int lane) {
  if (lane == 7) {
    value = other;
    return;
  }
  const float got = __shfl_sync(0xFFFFFF7Fu, value, 3);
  if (lane > 20) {
    value += got;
    return;
  }
  value -= got;
}
__device__ float smallest(float (&values)[2]) {
  for (int bit = 16; bit > 0; bit /= 2) {
    values[0] = fminf(values[0], __shfl_xor_sync(~0u, values[0], bit));
    values[1] = fmaxf(values[1], __shfl_xor_sync(~0u, values[1], bit));
  }
  return values[0];
}
__global__ void references(float* out) {
  const int lane = threadIdx.x % 32;
  float value = static_cast<float>(threadIdx.x);
  float values[2] = {value, value};
  float& place = out[threadIdx.x];
  const float hundred = 100.0f;
  add_from(value, hundred, lane);
  place = value;
  __syncthreads();
  value = smallest(values);
  place += 1000.0f * values[1] + value;
}

std::vector<__half> numbers(int count, int scale) {
  std::vector<__half> all(count);
  for (int i = 0; i < count; ++i) all[i] = __float2half(static_cast<float>(i * 5 % scale - 3));
  return all;
}

void check_products(int rows, int cols, int depth) {
  const int a_stride = (depth + 7) / 8 * 8 + 8, b_stride = (cols + 7) / 8 * 8;
  const int c_stride = 80, c_rows = (rows + 31) / 32 * 32;
  const auto a = numbers(rows * a_stride, 11), b = numbers(depth * b_stride, 7);
  auto *da = to_device(a), *db = to_device(b);
  std::vector<float> c(static_cast<std::size_t>(c_rows) * c_stride);
  float* dc = to_device(c);
  const View view_a{da, rows, depth, a_stride}, view_b{db, depth, cols, b_stride};
  for (const bool by_stage : {true, false}) {
    cudaMemset(dc, 0, c.size() * sizeof(float));
    if (by_stage) {
      staged<<<dim3(1, (rows + kRows - 1) / kRows), 32 * kWarps>>>(view_a, view_b, dc, c_stride);
    } else {
      const int across = (cols + 15) / 16, count = (rows + 15) / 16 * across;
      tiles<<<2, 32 * kWarps>>>(view_a, view_b, dc, c_stride, across, count);
    }
    expect("launch",
           static_cast<int>(
               cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost)),
           0);
    int wrong = 0;
    for (int r = 0; r < rows; ++r) {
      for (int s = 0; s < cols; ++s) {
        double sum = 0;
        for (int k = 0; k < depth; ++k)
          sum += value(a[r * a_stride + k]) * value(b[k * b_stride + s]);
        wrong += sum != static_cast<double>(c[static_cast<std::size_t>(r) * c_stride + s]) ? 1 : 0;
      }
    }
    expect(by_stage ? "staged product" : "product tile by tile", wrong, 0);
  }
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
}

void check_chosen() {
  int* factors = to_device(std::vector<int>{0, 1, 2, 5});
  float* out = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&out), kWarps * 256 * sizeof(float));
  cudaMemset(out, 0, kWarps * 256 * sizeof(float));
  chosen<<<1, 32 * kWarps>>>(factors, out);
  expect("launch", static_cast<int>(cudaDeviceSynchronize()), 0);
  expect("no product", out[0], 0);
  expect("one product, not stored", out[256 + 9], 0);
  expect("two products", out[512 + 255], 17);
  expect("five products", out[768 + 100], 41);
  cudaFree(factors);
  cudaFree(out);
}

void check_references() {
  float* out = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&out), 64 * sizeof(float));
  references<<<1, 64>>>(out);
  expect("launch", static_cast<int>(cudaDeviceSynchronize()), 0);
  int wrong = 0;
  for (int t = 0; t < 64; ++t) {
    const int lane = t % 32, warp = t / 32 * 32;
    const int got = warp + 3;
    const int own = lane == 7 ? 100 : lane > 20 ? t + got : t - got;
    wrong += out[t] != static_cast<float>(own + 1000 * (warp + 31) + warp) ? 1 : 0;
  }
  expect("references", wrong, 0);
  cudaFree(out);
}

}  // namespace

int main() {
  check_products(32, 64, 32);
  check_products(64, 48, 64);
  check_products(33, 17, 19);
  check_products(70, 50, 100);
  check_chosen();
  check_references();
  return report();
}
