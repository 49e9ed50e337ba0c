#include "13_convolution/conv2d_backward_weights.hpp"

#include <cstdint>
#include <string>

#include "13_convolution/row_tiles.hpp"
#include "tut/check.hpp"
#include "tut/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int GROUP = 4;  // images whose sums one thread takes together
constexpr int THREADS = 128;

// A thread sums, down one column of output pixels and over IMAGES images, the products that belong
// to one row of SIDE taps of BANK filters: SIDE + BANK loads for SIDE * BANK multiply-adds. All
// sizes are known here, so that the loops unroll and offsets become constants.
// columns: (filter, channel, tap row, tap, group, x)
template <int SIDE, int BANK, int IMAGES, int FILTERS, int CHANNELS, int HEIGHT, int WIDTH>
__global__ void weight_columns_kernel(const float* in, const float* d_out, float* columns,
                                      int first_image, int first_group, int groups) {
  constexpr int OUT_HEIGHT = HEIGHT - SIDE + 1, OUT_WIDTH = WIDTH - SIDE + 1;
  constexpr int AREA = HEIGHT * WIDTH, OUT_AREA = OUT_HEIGHT * OUT_WIDTH;
  const int x = threadIdx.x;
  const int tap_row = threadIdx.y;
  const int group = blockIdx.x;
  const int first = blockIdx.y * BANK;
  const int channel = blockIdx.z;
  const std::int64_t image = first_image + group * IMAGES;
  const float* corner = in + (image * CHANNELS + channel) * AREA + tap_row * WIDTH + x;
  const float* plane = d_out + (image * FILTERS + first) * OUT_AREA + x;

  float sum[BANK][SIDE] = {};  // (filter, tap)
  for (int y = 0; y < OUT_HEIGHT; ++y) {
#pragma unroll
    for (int n = 0; n < IMAGES; ++n) {
#pragma unroll
      for (int j = 0; j < SIDE; ++j) {
        const float pixel = corner[n * CHANNELS * AREA + y * WIDTH + j];
#pragma unroll
        for (int f = 0; f < BANK; ++f) {
          sum[f][j] += pixel * plane[(n * FILTERS + f) * OUT_AREA + y * OUT_WIDTH];
        }
      }
    }
  }

#pragma unroll
  for (int f = 0; f < BANK; ++f) {
#pragma unroll
    for (int j = 0; j < SIDE; ++j) {
      const int weight = (((first + f) * CHANNELS + channel) * SIDE + tap_row) * SIDE + j;
      columns[(std::int64_t{weight} * groups + first_group + group) * OUT_WIDTH + x] = sum[f][j];
    }
  }
}

// The definition, for any size: a thread sums one column of one image for one weight.
// columns: (filter, channel, tap row, tap, image, x)
__global__ void weight_columns_any_kernel(TensorView<const float> in, TensorView<const float> d_out,
                                          float* columns, int side) {
  const int x = threadIdx.x;
  const int image = blockIdx.x;
  const int k = blockIdx.y;
  const int weight = blockIdx.z;  // of one filter
  const int j = weight % side, i = weight / side % side, c = weight / (side * side);
  float sum = 0.0f;
  for (int y = 0; y < d_out.h; ++y) sum += in(image, c, y + i, x + j) * d_out(image, k, y, x);
  const std::int64_t to = std::int64_t{k} * in.c * side * side + weight;
  columns[(to * in.n + image) * d_out.w + x] = sum;
}

// A thread sums one column of one plane of d_out. columns: (filter, image, x)
__global__ void bias_columns_kernel(TensorView<const float> d_out, float* columns) {
  const int x = threadIdx.x;
  const int filter = blockIdx.x;
  const int image = blockIdx.y;
  const int height = d_out.h, width = d_out.w;
  const float* plane = d_out.data + (std::int64_t{image} * d_out.c + filter) * height * width;
  float sum = 0.0f;
  for (int y = 0; y < height; ++y) sum += plane[y * width + x];
  columns[(std::int64_t{filter} * d_out.n + image) * width + x] = sum;
}

// A thread adds up the `length` columns that belong to one weight. Several sums run side by side:
// one alone would wait for every addition to finish.
__global__ void sum_columns_kernel(const float* columns, float* sums, int count, int length) {
  constexpr int CHAINS = 8;
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count) return;
  const int whole = length / CHAINS * CHAINS;
  const float* column = columns + std::int64_t{index} * length;
  float chain[CHAINS] = {};
  for (int i = 0; i < whole; i += CHAINS) {
#pragma unroll
    for (int s = 0; s < CHAINS; ++s) chain[s] += column[i + s];
  }
  float rest = 0.0f;
  for (int i = whole; i < length; ++i) rest += column[i];
  sums[index] = ((chain[0] + chain[4]) + (chain[2] + chain[6])) +
                ((chain[1] + chain[5]) + (chain[3] + chain[7])) + rest;
}

void sum_columns(const float* columns, float* sums, int count, int length, cudaStream_t stream) {
  sum_columns_kernel<<<ceil_div(count, THREADS), THREADS, 0, stream>>>(columns, sums, count,
                                                                       length);
  check_launch();
}

template <int FILTERS, int CHANNELS, int HEIGHT, int WIDTH>
void launch_columns(TensorView<const float> in, TensorView<const float> d_out, float* columns,
                    cudaStream_t stream) {
  constexpr int SIDE = 5, BANK = 4;
  const int whole = in.n / GROUP, left = in.n % GROUP;
  const dim3 block(d_out.w, SIDE);
  if (whole > 0) {
    const dim3 grid(whole, FILTERS / BANK, CHANNELS);
    weight_columns_kernel<SIDE, BANK, GROUP, FILTERS, CHANNELS, HEIGHT, WIDTH>
        <<<grid, block, 0, stream>>>(in.data, d_out.data, columns, 0, 0, whole + left);
    check_launch();
  }
  if (left > 0) {
    const dim3 grid(left, FILTERS / BANK, CHANNELS);
    weight_columns_kernel<SIDE, BANK, 1, FILTERS, CHANNELS, HEIGHT, WIDTH>
        <<<grid, block, 0, stream>>>(in.data, d_out.data, columns, whole * GROUP, whole,
                                     whole + left);
    check_launch();
  }
}

// Writes the columns of all weights and returns how many groups of images each has.
int weight_columns(TensorView<const float> in, TensorView<const float> d_out, int side,
                   float* columns, cudaStream_t stream) {
  const int groups = in.n / GROUP + in.n % GROUP;
  if (side == 5 && d_out.c == 8 && has_image(in, 1, 28, 28)) {
    launch_columns<8, 1, 28, 28>(in, d_out, columns, stream);
    return groups;
  }
  if (side == 5 && d_out.c == 16 && has_image(in, 8, 12, 12)) {
    launch_columns<16, 8, 12, 12>(in, d_out, columns, stream);
    return groups;
  }
  const dim3 grid(in.n, d_out.c, in.c * side * side);
  weight_columns_any_kernel<<<grid, d_out.w, 0, stream>>>(in, d_out, columns, side);
  check_launch();
  return in.n;
}

}  // namespace

std::size_t conv2d_backward_weights_scratch(TensorView<const float> d_out,
                                            TensorView<const float> d_weights) {
  const std::int64_t sums = d_weights.size() + d_out.c;
  return static_cast<std::size_t>(sums * d_out.n * d_out.w);
}

void conv2d_backward_weights(TensorView<const float> in, TensorView<const float> d_out,
                             TensorView<float> d_weights, float* d_bias, std::span<float> scratch,
                             cudaStream_t stream) {
  require_convolution(in, d_weights, d_out);
  require(d_bias != nullptr, "the bias's gradient has no data (a null pointer)");
  if (d_weights.c * d_weights.h * d_weights.w > 65535) {
    require(false, "d_weights is " + shape_text(d_weights) +
                       "; expected filters of at most 65535 weights");
  }
  require_scratch(scratch, conv2d_backward_weights_scratch(d_out, d_weights));

  float* of_bias = scratch.data();
  float* of_weights = of_bias + std::int64_t{d_out.c} * d_out.n * d_out.w;
  bias_columns_kernel<<<dim3(d_out.c, d_out.n), d_out.w, 0, stream>>>(d_out, of_bias);
  check_launch();
  const int groups = weight_columns(in, d_out, d_weights.h, of_weights, stream);
  sum_columns(of_weights, d_weights.data, static_cast<int>(d_weights.size()), groups * d_out.w,
              stream);
  sum_columns(of_bias, d_bias, d_out.c, d_out.n * d_out.w, stream);
}

}  // namespace tut::ch13
