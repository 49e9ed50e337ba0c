// Columns of images (im2col): what a copy brings against the plain loops of a convolution, what
// one writes, maps that are refused.
// needs: sm_90
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "expect.cuh"
#include "tut/ptx/bulk_copy.cuh"
#include "tut/ptx/mbarrier.cuh"

namespace {

constexpr int kThreads = 64;
constexpr int kTile = 1 << 14;  // bytes

/// Where a copy begins: c, then w, h and d, then n; and the offsets along w, h and d.
struct Place {
  int c, at[3], n;
  int offsets[3];
};

template <int kDims>  // W, H and D: 1 to 3
__device__ void start_read(void* tile, const CUtensorMap& map, const Place& p,
                           std::uint64_t* barrier) {
  const unsigned to = tut::ptx::shared_address(tile), full = tut::ptx::shared_address(barrier);
  const auto offset = [&](int d) { return static_cast<unsigned short>(p.offsets[d]); };
  if constexpr (kDims == 1) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"(to),
        "l"(&map), "r"(p.c), "r"(p.at[0]), "r"(p.n), "r"(full), "h"(offset(0))
        : "memory");
  } else if constexpr (kDims == 2) {
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(to),
        "l"(&map), "r"(p.c), "r"(p.at[0]), "r"(p.at[1]), "r"(p.n), "r"(full), "h"(offset(0)),
        "h"(offset(1))
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3, %4, %5, %6}], [%7], {%8, %9, %10};" ::"r"(to),
        "l"(&map), "r"(p.c), "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.n), "r"(full),
        "h"(offset(0)), "h"(offset(1)), "h"(offset(2))
        : "memory");
  }
}

template <int kDims>
__device__ void start_write(const CUtensorMap& map, const Place& p, const void* tile) {
  const unsigned from = tut::ptx::shared_address(tile);
  if constexpr (kDims == 1) {
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group "
        "[%0, {%1, %2, %3}], [%4];" ::"l"(&map),
        "r"(p.c), "r"(p.at[0]), "r"(p.n), "r"(from)
        : "memory");
  } else if constexpr (kDims == 2) {
    asm volatile(
        "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group "
        "[%0, {%1, %2, %3, %4}], [%5];" ::"l"(&map),
        "r"(p.c), "r"(p.at[0]), "r"(p.at[1]), "r"(p.n), "r"(from)
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.5d.global.shared::cta.im2col_no_offs.bulk_group "
        "[%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(&map),
        "r"(p.c), "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.n), "r"(from)
        : "memory");
  }
}

template <int kDims>
__global__ void read_columns(unsigned char* out, const __grid_constant__ CUtensorMap map,
                             Place place, int bytes) {
  __shared__ alignas(1024) unsigned char tile[kTile];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    tut::ptx::mbarrier_init(&barrier, 1);
    tut::ptx::mbarrier_init_fence();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    tut::ptx::mbarrier_arrive_expect_tx(&barrier, bytes);
    start_read<kDims>(tile, map, place, &barrier);
  }
  tut::ptx::mbarrier_wait(&barrier, 0);
  for (int i = threadIdx.x; i < bytes; i += kThreads) out[i] = tile[i];
}

template <int kDims>
__global__ void write_columns(const __grid_constant__ CUtensorMap map, Place place, int bytes) {
  __shared__ alignas(1024) unsigned char tile[kTile];
  for (int i = threadIdx.x; i < bytes; i += kThreads) tile[i] = static_cast<unsigned char>(i % 251);
  tut::ptx::fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    start_write<kDims>(map, place, tile);
    tut::ptx::cp_async_bulk_commit_group();
    tut::ptx::cp_async_bulk_wait_group<0>();
  }
}

__global__ void add_columns(const __grid_constant__ CUtensorMap map, Place p) {
  __shared__ alignas(128) int tile[16 * 4];
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  tut::ptx::fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs.bulk_group "
        "[%0, {%1, %2, %3, %4}], [%5];" ::"l"(&map),
        "r"(p.c), "r"(p.at[0]), "r"(p.at[1]), "r"(p.n), "r"(tut::ptx::shared_address(tile))
        : "memory");
    tut::ptx::cp_async_bulk_commit_group();
    tut::ptx::cp_async_bulk_wait_group<0>();
  }
}

/// A convolution of images of 16-bit elements. Along W, H and D; those that are not there are 1.
struct Convolution {
  int dims, channels, images;
  int size[3], filter[3], stride[3], dilation[3], before[3], behind[3];  // padding
  cuuint32_t box_channels, box_pixels;
  CUtensorMapSwizzle swizzle;
  CUtensorMapFloatOOBfill fill;

  int outputs(int d) const {
    return (size[d] + before[d] + behind[d] - (filter[d] - 1) * dilation[d] - 1) / stride[d] + 1;
  }
  int pixels() const { return images * outputs(0) * outputs(1) * outputs(2); }
  int row_bytes() const { return static_cast<int>(box_channels) * 2; }
  int bytes() const { return row_bytes() * static_cast<int>(box_pixels); }
  /// Elements: channels, with 8 more between pixels, which belong to nobody.
  long pitch() const { return channels + 8; }
  long elements() const { return pitch() * size[0] * size[1] * size[2] * images; }
  long index(int n, int d, int h, int w, int c) const {
    return (((static_cast<long>(n) * size[2] + d) * size[1] + h) * size[0] + w) * pitch() + c;
  }
  /// Where output pixel number `pixel` has the filter's corner.
  Place corner(int pixel, int c) const {
    Place place{c, {}, 0, {}};
    for (int d = 0; d < 3; ++d) {
      place.at[d] = pixel % outputs(d) * stride[d] - before[d];
      pixel /= outputs(d);
    }
    place.n = pixel;
    return place;
  }
};

CUresult encode(CUtensorMap& map, const Convolution& of, void* address) {
  cuuint64_t sizes[5] = {static_cast<cuuint64_t>(of.channels)}, strides[4];
  cuuint32_t steps[5] = {1, 1, 1, 1, 1};
  int lower[3], upper[3];
  cuuint64_t stride = static_cast<cuuint64_t>(of.pitch()) * 2;
  for (int d = 0; d < of.dims; ++d) {
    sizes[d + 1] = static_cast<cuuint64_t>(of.size[d]);
    strides[d] = stride;
    stride *= sizes[d + 1];
    steps[d + 1] = static_cast<cuuint32_t>(of.stride[d]);
    lower[d] = -of.before[d];
    upper[d] = of.behind[d] - (of.filter[d] - 1) * of.dilation[d];
  }
  sizes[of.dims + 1] = static_cast<cuuint64_t>(of.images);
  strides[of.dims] = stride;
  return cuTensorMapEncodeIm2col(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, static_cast<cuuint32_t>(of.dims + 2), address, sizes,
      strides, lower, upper, of.box_channels, of.box_pixels, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      of.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, of.fill);
}

/// The matrix that a convolution multiplies by its filters: a row for each output pixel, and in it
/// the channels under each of the filter's elements.
std::vector<std::uint16_t> columns_of(const Convolution& of, const std::uint16_t* in) {
  std::vector<std::uint16_t> columns;
  const std::uint16_t outside = of.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE ? 0 : 0xFFFF;
  for (int n = 0; n < of.images; ++n)
    for (int z = 0; z < of.outputs(2); ++z)
      for (int y = 0; y < of.outputs(1); ++y)
        for (int x = 0; x < of.outputs(0); ++x)
          for (int t = 0; t < of.filter[2]; ++t)
            for (int r = 0; r < of.filter[1]; ++r)
              for (int s = 0; s < of.filter[0]; ++s)
                for (int c = 0; c < of.channels; ++c) {
                  const int d = z * of.stride[2] - of.before[2] + t * of.dilation[2];
                  const int h = y * of.stride[1] - of.before[1] + r * of.dilation[1];
                  const int w = x * of.stride[0] - of.before[0] + s * of.dilation[0];
                  const bool inside = d >= 0 && d < of.size[2] && h >= 0 && h < of.size[1] &&
                                      w >= 0 && w < of.size[0];
                  columns.push_back(inside ? in[of.index(n, d, h, w, c)] : outside);
                }
  return columns;
}

/// Where byte `i` of a tile lies: in rows of 128 bytes the 16-byte pieces change places by the
/// row's number, and those of 64 and 32 bytes by that of the 128 bytes that they are in.
int place_of_byte(int i, CUtensorMapSwizzle swizzle) {
  const int pieces = swizzle == CU_TENSOR_MAP_SWIZZLE_128B  ? 8
                     : swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 4
                     : swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? 2
                                                            : 1;
  const int line = i / 128, piece = i / 16;
  return (piece / pieces * pieces + (piece % pieces ^ line % pieces)) * 16 + i % 16;
}

std::uint16_t element_of(const unsigned char* tile, const Convolution& of, int row, int c) {
  const int byte = place_of_byte(row * of.row_bytes() + c * 2, of.swizzle);
  std::uint16_t value;
  std::memcpy(&value, tile + byte, 2);
  return value;
}

template <int kDims>
void check_reads(const char* name, const Convolution& of, unsigned char* out, std::uint16_t* in) {
  CUtensorMap map;
  expect(name, encode(map, of, in), CUDA_SUCCESS);
  const std::vector<std::uint16_t> columns = columns_of(of, in);
  const int taps = of.filter[0] * of.filter[1] * of.filter[2];
  const std::uint16_t outside = of.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE ? 0 : 0xFFFF;
  int wrong = 0, rows = 0;
  for (int first = 0; first < of.pixels(); first += static_cast<int>(of.box_pixels) - 1) {
    for (int tap = 0; tap < taps; ++tap) {
      for (int c = -8; c < of.channels; c += static_cast<int>(of.box_channels)) {
        Place place = of.corner(first, c);
        for (int d = 0, rest = tap; d < 3; rest /= of.filter[d], ++d) {
          place.offsets[d] = rest % of.filter[d] * of.dilation[d];
        }
        read_columns<kDims><<<1, kThreads>>>(out, map, place, of.bytes());
        expect(name, cudaDeviceSynchronize(), cudaSuccess);
        for (int row = 0; row < static_cast<int>(of.box_pixels); ++row) {
          for (int i = 0; i < static_cast<int>(of.box_channels); ++i) {
            const bool inside = first + row < of.pixels() && c + i >= 0 && c + i < of.channels;
            const long at = (static_cast<long>(first + row) * taps + tap) * of.channels + c + i;
            const std::uint16_t wanted = inside ? columns[static_cast<std::size_t>(at)] : outside;
            const std::uint16_t got = element_of(out, of, row, i);
            const bool is_nan = (got & 0x7C00) == 0x7C00 && (got & 0x3FF) != 0;
            wrong += wanted == 0xFFFF ? !is_nan : got != wanted;
            ++rows;
          }
        }
      }
    }
  }
  expect(name, wrong, 0);
  expect(name, rows > 0, true);
}

// Each pixel of the tile goes to where a filter's corner would be.
template <int kDims>
void check_write(const char* name, const Convolution& of, std::uint16_t* out, int first, int c) {
  CUtensorMap map;
  expect(name, encode(map, of, out), CUDA_SUCCESS);
  std::vector<std::uint16_t> wanted(static_cast<std::size_t>(of.elements()), 0xEEEE);
  std::memcpy(out, wanted.data(), wanted.size() * 2);
  std::vector<unsigned char> tile(static_cast<std::size_t>(of.bytes()));
  for (std::size_t i = 0; i < tile.size(); ++i) tile[i] = static_cast<unsigned char>(i % 251);
  for (int row = 0; row < static_cast<int>(of.box_pixels); ++row) {
    const Place at = of.corner(first + row, c);
    const bool inside = at.n < of.images && at.at[0] >= 0 && at.at[0] < of.size[0] &&
                        at.at[1] >= 0 && at.at[1] < of.size[1] && at.at[2] >= 0 &&
                        at.at[2] < of.size[2];
    for (int i = 0; inside && i < static_cast<int>(of.box_channels); ++i) {
      if (c + i < 0 || c + i >= of.channels) continue;
      wanted[static_cast<std::size_t>(of.index(at.n, at.at[2], at.at[1], at.at[0], c + i))] =
          element_of(tile.data(), of, row, i);
    }
  }
  write_columns<kDims><<<1, kThreads>>>(map, of.corner(first, c), of.bytes());
  expect(name, cudaDeviceSynchronize(), cudaSuccess);
  expect(name, std::memcmp(out, wanted.data(), wanted.size() * 2), 0);
}

// Two images of 3 x 5 pixels with 4 channels; all 12 places of the box, and 4 of the next image's.
void check_add(int* out) {
  CUtensorMap map;
  const cuuint64_t sizes[] = {4, 5, 3, 2}, strides[] = {16, 80, 240};
  const cuuint32_t steps[] = {1, 1, 1, 1};
  const int lower[] = {-1, 0}, upper[] = {-2, 0};
  expect("add",
         cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, out, sizes, strides, lower,
                                 upper, 4, 16, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
         CUDA_SUCCESS);
  for (int i = 0; i < 120; ++i) out[i] = 100;
  add_columns<<<1, kThreads>>>(map, Place{0, {-1, 0, 0}, 0, {}});
  expect_each("add", out, 120, [](int i) {
    const int c = i % 4, w = i / 4 % 5, h = i / 20 % 3, n = i / 60;
    const int pixel = (n * 3 + h) * 4 + w + 1;
    return 100 + (w < 3 && pixel < 16 ? pixel * 4 + c : 0);
  });
}

void check_encode(void* address) {
  constexpr auto kNone = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  const Convolution right{2,         16,        2,         {8, 6, 1},
                          {3, 3, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 0},
                          {1, 1, 0}, 16,        32,        CU_TENSOR_MAP_SWIZZLE_32B,
                          kNone};
  CUtensorMap map;
  expect("columns", encode(map, right, address), CUDA_SUCCESS);
  struct Wrong {
    const char* name;
    void (*change)(Convolution&);
    bool is_documented = true;
  };
  const Wrong all[] = {
      {"one dimension", [](Convolution& of) { of.dims = 0; }},
      {"no channels", [](Convolution& of) { of.box_channels = 0; }, false},
      {"channels", [](Convolution& of) { of.box_channels = 264; }},
      {"a pixel in the swizzle", [](Convolution& of) { of.box_channels = 24; }},
      {"a pixel of 24 bytes", [](Convolution& of) { of.box_channels = 12; }, false},
      {"no pixels", [](Convolution& of) { of.box_pixels = 0; }, false},
      {"pixels", [](Convolution& of) { of.box_pixels = 1025; }},
      {"step", [](Convolution& of) { of.stride[1] = 9; }},
      {"lower corner", [](Convolution& of) { of.before[0] = 129; }},
      {"upper corner", [](Convolution& of) { of.behind[1] = 130; }},
      {"nothing in the box", [](Convolution& of) { of.filter[1] = 9; }},
      {"no images", [](Convolution& of) { of.images = 0; }},
  };
  for (const Wrong& one : all) {
    Convolution wrong = right;
    one.change(wrong);
    const CUresult result = encode(map, wrong, address);
    if (one.is_documented) {
      expect(one.name, result, CUDA_ERROR_INVALID_VALUE);
    } else {
      expect_here(one.name, result, CUDA_ERROR_INVALID_VALUE);
    }
  }
  expect("no address", encode(map, right, nullptr), CUDA_ERROR_INVALID_VALUE);
  expect("address", encode(map, right, static_cast<char*>(address) + 8), CUDA_ERROR_INVALID_VALUE);
  Convolution edge = right;
  edge.before[0] = 128;
  edge.box_pixels = 1024;
  expect("the largest", encode(map, edge, address), CUDA_SUCCESS);
}

void check_all(unsigned char* out, std::uint16_t* in) {
  constexpr auto kNone = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  constexpr auto kNan = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  const Convolution line{1,         24,        3,         {11, 1, 1},
                         {3, 1, 1}, {2, 1, 1}, {2, 1, 1}, {3, 0, 0},
                         {1, 0, 0}, 16,        7,         CU_TENSOR_MAP_SWIZZLE_NONE,
                         kNone};
  check_reads<1>("lines", line, out, in);
  const Convolution plain{2,         16,        3,         {7, 5, 1},
                          {3, 3, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 0},
                          {1, 1, 0}, 16,        16,        CU_TENSOR_MAP_SWIZZLE_32B,
                          kNone};
  check_reads<2>("padded by one", plain, out, in);
  const Convolution uneven{2,         40,        2,         {9, 8, 1},
                           {2, 3, 1}, {2, 3, 1}, {3, 1, 1}, {0, 2, 0},
                           {2, 0, 0}, 32,        12,        CU_TENSOR_MAP_SWIZZLE_64B,
                           kNan};
  check_reads<2>("strides, dilation, NaN", uneven, out, in);
  const Convolution wide{2,         64,        2,         {6, 6, 1},
                         {3, 3, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0},
                         {0, 0, 0}, 64,        20,        CU_TENSOR_MAP_SWIZZLE_128B,
                         kNone};
  check_reads<2>("128-byte swizzle", wide, out, in);
  const Convolution volume{3,         8,         2,         {5, 4, 3},
                           {3, 2, 2}, {1, 2, 1}, {1, 1, 1}, {1, 0, 1},
                           {1, 1, 0}, 8,         9,         CU_TENSOR_MAP_SWIZZLE_NONE,
                           kNone};
  check_reads<3>("volumes", volume, out, in);

  auto* const images = reinterpret_cast<std::uint16_t*>(out);
  check_write<1>("write lines", line, images, 4, 16);
  check_write<2>("write swizzled", wide, images, 10, 0);
  check_write<2>("write strided", uneven, images, 9, 16);
  check_write<3>("write volumes", volume, images, 3, 0);
  check_add(reinterpret_cast<int*>(out));
}

}  // namespace

int main() {
  constexpr int kBytes = 1 << 16;
  unsigned char* out;
  std::uint16_t* in;
  cudaMallocManaged(reinterpret_cast<void**>(&out), kBytes);
  cudaMallocManaged(reinterpret_cast<void**>(&in), kBytes);
  for (int i = 0; i < kBytes / 2; ++i) in[i] = static_cast<std::uint16_t>(1 + i % 30011);
  check_all(out, in);
  check_encode(in);
  cudaFree(out);
  cudaFree(in);
  return report();
}
