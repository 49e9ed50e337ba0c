// Bulk copies and boxes of tensors: where each byte lies, what lies outside, reductions.
// needs: sm_90
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "expect.cuh"
#include "tut/ptx/bulk_copy.cuh"
#include "tut/ptx/mbarrier.cuh"
#include "tut/ptx/tensor_copy.cuh"

namespace {

constexpr int kThreads = 64;
constexpr int kTile = 4096;  // bytes

__device__ void begin(std::uint64_t* barrier) {
  if (threadIdx.x == 0) {
    tut::ptx::mbarrier_init(barrier, 1);
    tut::ptx::mbarrier_init_fence();
  }
  __syncthreads();
}

// There and back again, and some of it added to what is there.
__global__ void bulk(float* out, const float* in, float* sums) {
  __shared__ alignas(128) float tile[256];
  __shared__ std::uint64_t barrier;
  begin(&barrier);
  if (threadIdx.x == 0) {
    tut::ptx::mbarrier_arrive_expect_tx(&barrier, sizeof(tile));
    tut::ptx::cp_async_bulk_to_shared(tile, in, 512, &barrier);
    tut::ptx::cp_async_bulk_to_shared(tile + 128, in + 128, 512, &barrier);
  }
  tut::ptx::mbarrier_wait(&barrier, 0);
  for (int i = threadIdx.x; i < 256; i += kThreads) tile[i] += 1.0f;
  tut::ptx::fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    tut::ptx::cp_async_bulk_to_global(out, tile, sizeof(tile));
    tut::ptx::cp_reduce_async_bulk_add(sums, tile + 32, 64);
    tut::ptx::cp_async_bulk_commit_group();
    tut::ptx::cp_async_bulk_wait_group_read<0>();
    tut::ptx::cp_async_bulk_wait_group<0>();
  }
}

// What a box is in shared memory, byte by byte.
__global__ void read_2d(unsigned char* out, const __grid_constant__ CUtensorMap map, int x, int y,
                        int bytes) {
  __shared__ alignas(1024) unsigned char tile[kTile];
  __shared__ std::uint64_t barrier;
  begin(&barrier);
  if (threadIdx.x == 0) {
    tut::ptx::prefetch_tensormap(map);
    tut::ptx::mbarrier_arrive_expect_tx(&barrier, bytes);
    tut::ptx::cp_async_bulk_tensor_2d_to_shared(tile, map, x, y, &barrier);
  }
  tut::ptx::mbarrier_wait(&barrier, 0);
  for (int i = threadIdx.x; i < bytes; i += kThreads) out[i] = tile[i];
}

__global__ void write_2d(const __grid_constant__ CUtensorMap map, int x, int y, int bytes) {
  __shared__ alignas(1024) unsigned char tile[kTile];
  for (int i = threadIdx.x; i < bytes; i += kThreads) tile[i] = static_cast<unsigned char>(i % 251);
  tut::ptx::fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    tut::ptx::cp_async_bulk_tensor_2d_to_global(map, x, y, tile);
    tut::ptx::cp_async_bulk_commit_group();
    tut::ptx::cp_async_bulk_wait_group<0>();
  }
}

// Five dimensions, and one.
__global__ void read_5d(int* out, const __grid_constant__ CUtensorMap five,
                        const __grid_constant__ CUtensorMap one, int a, int b, int c, int d,
                        int e) {
  __shared__ alignas(128) int tile[64 + 8];
  __shared__ std::uint64_t barrier;
  begin(&barrier);
  if (threadIdx.x == 0) {
    tut::ptx::mbarrier_arrive_expect_tx(&barrier, 64 * 4 + 8 * 4);
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(tut::ptx::shared_address(tile)),
        "l"(&five), "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(tut::ptx::shared_address(&barrier))
        : "memory");
    asm volatile(
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2}], [%3];" ::"r"(tut::ptx::shared_address(tile + 64)),
        "l"(&one), "n"(3), "r"(tut::ptx::shared_address(&barrier))
        : "memory");
  }
  tut::ptx::mbarrier_wait(&barrier, 0);
  for (int i = threadIdx.x; i < 64 + 8; i += kThreads) out[i] = tile[i];
}

__global__ void add_2d(const __grid_constant__ CUtensorMap map, int x, int y) {
  __shared__ alignas(128) int tile[32];
  if (threadIdx.x < 32) tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  tut::ptx::fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], "
        "[%3];" ::"l"(&map),
        "r"(x), "r"(y), "r"(tut::ptx::shared_address(tile))
        : "memory");
    tut::ptx::cp_async_bulk_commit_group();
    tut::ptx::cp_async_bulk_wait_group<0>();
  }
}

struct Shape {
  CUtensorMapDataType type;
  int element_bytes;
  cuuint64_t width, height, pitch;  // elements, elements, bytes
  cuuint32_t box_width, box_height, step;
  CUtensorMapSwizzle swizzle;
  CUtensorMapFloatOOBfill fill;
};

CUtensorMap make_map(const Shape& shape, void* address) {
  CUtensorMap map;
  const cuuint64_t sizes[] = {shape.width, shape.height}, strides[] = {shape.pitch};
  const cuuint32_t box[] = {shape.box_width, shape.box_height}, steps[] = {1, shape.step};
  expect("cuTensorMapEncodeTiled",
         cuTensorMapEncodeTiled(&map, shape.type, 2, address, sizes, strides, box, steps,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, shape.swizzle,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE, shape.fill),
         CUDA_SUCCESS);
  return map;
}

/// Where byte `i` of a box lies: in rows of 128 bytes the 16-byte pieces change places by the row's
/// number, and those of 64 and 32 bytes by that of the 128 bytes that they are in.
int place(int i, CUtensorMapSwizzle swizzle) {
  const int pieces = swizzle == CU_TENSOR_MAP_SWIZZLE_128B  ? 8
                     : swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 4
                     : swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? 2
                                                            : 1;
  const int line = i / 128, piece = i / 16;
  return (piece / pieces * pieces + (piece % pieces ^ line % pieces)) * 16 + i % 16;
}

unsigned char byte_of(const Shape& shape, const unsigned char* in, long x, long y, int byte) {
  const bool inside =
      x >= 0 && y >= 0 && x < static_cast<long>(shape.width) && y < static_cast<long>(shape.height);
  if (!inside) return shape.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE ? 0 : 0xFF;
  return in[y * static_cast<long>(shape.pitch) + x * shape.element_bytes + byte];
}

void check_read(const char* name, const Shape& shape, unsigned char* out, unsigned char* in, int x,
                int y) {
  const int row = static_cast<int>(shape.box_width) * shape.element_bytes;
  const int rows = static_cast<int>((shape.box_height + shape.step - 1) / shape.step);
  const int bytes = row * rows;
  read_2d<<<1, kThreads>>>(out, make_map(shape, in), x, y, bytes);
  expect(name, cudaDeviceSynchronize(), cudaSuccess);
  int wrong = 0;
  for (int i = 0; i < bytes; ++i) {
    const int column = i % row / shape.element_bytes;
    const unsigned char wanted = byte_of(
        shape, in, x + column, y + i / row * static_cast<int>(shape.step), i % shape.element_bytes);
    const unsigned char got = out[place(i, shape.swizzle)];
    // Which NaN fills is left open.
    const bool filled = shape.fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE && wanted == 0xFF;
    wrong += filled ? 0 : got != wanted;
  }
  expect(name, wrong, 0);
  std::memset(out, 0, kTile);
}

void check_write(const char* name, const Shape& shape, unsigned char* out, int x, int y) {
  const int total = static_cast<int>(shape.pitch * shape.height);
  std::memset(out, 0xEE, static_cast<std::size_t>(total));
  const int row = static_cast<int>(shape.box_width) * shape.element_bytes;
  write_2d<<<1, kThreads>>>(make_map(shape, out), x, y, row * static_cast<int>(shape.box_height));
  expect(name, cudaDeviceSynchronize(), cudaSuccess);
  int wrong = 0;
  for (int i = 0; i < total; ++i) {
    const int at_y = i / static_cast<int>(shape.pitch) - y;
    const int in_row = i % static_cast<int>(shape.pitch);
    const int at_x = in_row - x * shape.element_bytes;
    const bool in_box = at_y >= 0 && at_y < static_cast<int>(shape.box_height) && at_x >= 0 &&
                        at_x < row && in_row < static_cast<int>(shape.width) * shape.element_bytes;
    wrong += out[i] != (in_box ? place(at_y * row + at_x, shape.swizzle) % 251 : 0xEE);
  }
  expect(name, wrong, 0);
}

void check_5d(int* out, int* in) {
  // 4 x 3 x 2 x 3 x 2 elements, boxes of 4 x 2 x 2 x 2 x 2.
  CUtensorMap five, one;
  const cuuint64_t sizes[] = {4, 3, 2, 3, 2}, strides[] = {16, 48, 96, 288};
  const cuuint32_t box[] = {4, 2, 2, 2, 2}, steps[] = {1, 1, 1, 1, 1}, line[] = {8};
  expect("5d",
         cuTensorMapEncodeTiled(&five, CU_TENSOR_MAP_DATA_TYPE_INT32, 5, in, sizes, strides, box,
                                steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
         CUDA_SUCCESS);
  const cuuint64_t length[] = {9};
  expect("1d",
         cuTensorMapEncodeTiled(&one, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, in, length, nullptr, line,
                                steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
         CUDA_SUCCESS);
  const int at[] = {-1, 2, 0, 1, -1};
  read_5d<<<1, kThreads>>>(out, five, one, at[0], at[1], at[2], at[3], at[4]);
  expect_each("5d", out, 64, [&](int i) {
    constexpr int sides[] = {4, 2, 2, 2, 2}, lengths[] = {4, 3, 2, 3, 2};
    constexpr int steps_in[] = {1, 4, 12, 24, 72};
    int index = 0;
    for (int d = 0; d < 5; i /= sides[d], ++d) {
      const int there = at[d] + i % sides[d];
      if (there < 0 || there >= lengths[d]) return 0;
      index += there * steps_in[d];
    }
    return in[index];
  });
  expect_each("1d", out + 64, 8, [&](int i) { return i + 3 < 9 ? in[i + 3] : 0; });
}

void check_encode(void* address) {
  CUtensorMap map;
  const auto encode = [&](void* from, cuuint32_t width, cuuint32_t step, cuuint64_t pitch,
                          CUtensorMapSwizzle swizzle) {
    const cuuint64_t sizes[] = {64, 8}, strides[] = {pitch};
    const cuuint32_t box[] = {width, 8}, steps[] = {1, step};
    return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, from, sizes, strides,
                                  box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  expect("a map", encode(address, 32, 1, 256, CU_TENSOR_MAP_SWIZZLE_128B), CUDA_SUCCESS);
  expect("address", encode(static_cast<char*>(address) + 8, 32, 1, 256, CU_TENSOR_MAP_SWIZZLE_NONE),
         CUDA_ERROR_INVALID_VALUE);
  expect("stride", encode(address, 32, 1, 264, CU_TENSOR_MAP_SWIZZLE_NONE),
         CUDA_ERROR_INVALID_VALUE);
  expect("a row of the box", encode(address, 31, 1, 256, CU_TENSOR_MAP_SWIZZLE_NONE),
         CUDA_ERROR_INVALID_VALUE);
  expect("a row in the swizzle", encode(address, 64, 1, 256, CU_TENSOR_MAP_SWIZZLE_128B),
         CUDA_ERROR_INVALID_VALUE);
  expect("step", encode(address, 32, 9, 256, CU_TENSOR_MAP_SWIZZLE_NONE), CUDA_ERROR_INVALID_VALUE);
  expect("box", encode(address, 260, 1, 256, CU_TENSOR_MAP_SWIZZLE_NONE), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace

int main() {
  constexpr int kBytes = 1 << 16;
  unsigned char *out, *in;
  cudaMallocManaged(reinterpret_cast<void**>(&out), kBytes);
  cudaMallocManaged(reinterpret_cast<void**>(&in), kBytes);
  std::memset(out, 0, kBytes);

  auto* const from = reinterpret_cast<float*>(in);
  auto* const to = reinterpret_cast<float*>(out);
  for (int i = 0; i < 256; ++i) from[i] = static_cast<float>(i);
  for (int i = 0; i < 16; ++i) to[1024 + i] = 1000.0f;
  bulk<<<1, kThreads>>>(to, from, to + 1024);
  expect_each("bulk", to, 256, [](int i) { return static_cast<float>(i + 1); });
  expect_each("bulk sums", to + 1024, 16, [](int i) { return static_cast<float>(1000 + i + 33); });

  for (int i = 0; i < kBytes; ++i) in[i] = static_cast<unsigned char>(1 + i % 241);
  constexpr auto kNone = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  constexpr auto kNan = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  constexpr auto kHalf = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  const Shape plain{CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4,    50, 20, 208, 16, 8, 1,
                    CU_TENSOR_MAP_SWIZZLE_NONE,      kNone};
  check_read("inside", plain, out, in, 5, 3);
  check_read("over the end", plain, out, in, 45, 15);
  check_read("before the beginning", plain, out, in, -3, -5);
  check_read("nothing of it", plain, out, in, 50, -8);
  const Shape nan{kHalf, 2, 50, 20, 112, 16, 8, 1, CU_TENSOR_MAP_SWIZZLE_NONE, kNan};
  check_read("NaN outside", nan, out, in, 41, 16);
  const Shape stepped{CU_TENSOR_MAP_DATA_TYPE_UINT8, 1,    60, 20, 64, 32, 9, 2,
                      CU_TENSOR_MAP_SWIZZLE_NONE,    kNone};
  check_read("every second row", stepped, out, in, 7, 3);
  for (const int y : {0, 3, 25}) {
    const Shape wide{kHalf, 2, 90, 40, 192, 64, 24, 1, CU_TENSOR_MAP_SWIZZLE_128B, kNone};
    check_read("128-byte swizzle", wide, out, in, 30, y);
    const Shape middle{kHalf, 2, 90, 40, 192, 32, 24, 1, CU_TENSOR_MAP_SWIZZLE_64B, kNone};
    check_read("64-byte swizzle", middle, out, in, 30, y);
    const Shape narrow{kHalf, 2, 90, 40, 192, 16, 24, 1, CU_TENSOR_MAP_SWIZZLE_32B, kNone};
    check_read("32-byte swizzle", narrow, out, in, 30, y);
  }
  check_write("write inside", plain, out, 5, 3);
  check_write("write over the end", plain, out, 45, 15);
  const Shape swizzled{kHalf, 2, 90, 40, 192, 64, 24, 1, CU_TENSOR_MAP_SWIZZLE_128B, kNone};
  check_write("write swizzled", swizzled, out, 40, 30);

  auto* const numbers = reinterpret_cast<int*>(in);
  std::memset(out, 0, kBytes);
  for (int i = 0; i < 200; ++i) numbers[i] = 7 * i + 1;
  check_5d(reinterpret_cast<int*>(out), numbers);

  const Shape sums{CU_TENSOR_MAP_DATA_TYPE_INT32, 4,    10, 6, 48, 8, 4, 1,
                   CU_TENSOR_MAP_SWIZZLE_NONE,    kNone};
  auto* const added = reinterpret_cast<int*>(out);
  for (int i = 0; i < 72; ++i) added[i] = 100;
  add_2d<<<1, kThreads>>>(make_map(sums, added), 4, 3);
  expect_each("add", added, 72, [](int i) {
    const int x = i % 12 - 4, y = i / 12 - 3;
    return 100 + (x >= 0 && x < 6 && y >= 0 ? y * 8 + x : 0);
  });
  check_encode(in);
  cudaFree(out);
  cudaFree(in);
  return report();
}
