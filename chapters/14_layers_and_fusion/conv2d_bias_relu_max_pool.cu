#include "14_layers_and_fusion/conv2d_bias_relu_max_pool.hpp"

#include <algorithm>
#include <cstdint>

#include "07_register_tiling/thread_tile.hpp"
#include "14_layers_and_fusion/pooling.hpp"
#include "14_layers_and_fusion/window_tiles.cuh"
#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 256;         // of a block, at the most
constexpr int MOST_GROUPS = 8;       // of filters of a block
constexpr int ENOUGH_BLOCKS = 256;   // if there are fewer, they become smaller ...
constexpr int LEAST_PAIRS = 32;      // ... down to this: a warp for each group
constexpr int STAGED_FLOATS = 8192;  // of shared memory, unless one channel needs more ...
constexpr int PLANE_FLOATS = 10000;  // ... but not more than this of pixels

//! [multiply]
// The products of `count` staged channels with the filters of a group, for two rows of pixels. The
// pixels under one row of taps for the lower row are those under the next row of taps for the upper
// row.
template <int SIDE>
__device__ void add_channels(const PooledLayer& s, const float* window, const float* filters,
                             int count, float (&sums)[FILTERS][2][STRIP]) {
  constexpr int WINDOW = SIDE > 1 ? 2 * STRIP : STRIP;  // what lies under all taps of a row
#pragma unroll(SIDE > 1 ? 1 : 4)
  for (int c = 0; c < count; ++c) {
    float rows[SIDE + 1][WINDOW];
    ch07::read_fours<1>(window, rows[0]);
#pragma unroll
    for (int i = 0; i < SIDE; ++i) {
      ch07::read_fours<1>(window + (i + 1) * s.pitch, rows[i + 1]);
#pragma unroll
      for (int j = 0; j < SIDE; ++j) {
        float weights[FILTERS];
        ch07::read_fours<1>(filters + (i * SIDE + j) * FILTERS, weights);
#pragma unroll
        for (int f = 0; f < FILTERS; ++f) {
#pragma unroll
          for (int x = 0; x < STRIP; ++x) {
            sums[f][0][x] += weights[f] * rows[i][x + j];
            sums[f][1][x] += weights[f] * rows[i + 1][x + j];
          }
        }
      }
    }
    window += s.plane, filters += SIDE * SIDE * FILTERS;
  }
}
//! [multiply]

// Both values of a thread in one access, or each for itself; the right one may not exist.
template <class T>
__device__ void store_two(T* to, T left, T right, bool whole_pairs, bool has_right) {
  if (whole_pairs) {
    *reinterpret_cast<Pair<T>*>(to) = {left, right};
    return;
  }
  to[0] = left;
  if (has_right) to[1] = right;
}

//! [epilogue]
// The two windows that a thread has of one filter; the result of the left one belongs at `place`.
// Eight sums in registers become two values and two bytes.
__device__ void store_windows(const PooledLayer& s, const float (&sums)[2][STRIP], int place,
                              bool has_right) {
  const Largest left = largest_of(sums[0][0], sums[0][1], sums[1][0], sums[1][1]);
  const Largest right = largest_of(sums[0][2], sums[0][3], sums[1][2], sums[1][3]);
  const auto relu = [](const Largest& x) { return x.value < 0.0f ? 0.0f : x.value; };
  store_two(s.out + place, relu(left), relu(right), s.whole_pairs, has_right);
  if (s.winners == nullptr) return;
  const auto winner = [](const Largest& x) {
    return x.value > 0.0f ? static_cast<Winner>(x.place) : Winner::none;
  };
  store_two(s.winners + place, winner(left), winner(right), s.whole_pairs, has_right);
}
//! [epilogue]

// A thread computes two rows of STRIP pixels of FILTERS filters, in registers from the first
// channel to the pooled value; the block has blockDim.x such pairs of windows and blockDim.y
// groups.
template <int SIDE>
__global__ void __launch_bounds__(THREADS, 2)
    conv2d_bias_relu_max_pool_kernel(const PooledLayer s) {
  extern __shared__ float4 tiles_memory[];
  constexpr int TAPS = SIDE * SIDE;
  float* pixels = reinterpret_cast<float*>(tiles_memory);  // (channel, row, column)
  float* filters = pixels + s.staged * s.plane;            // (group, channel, tap, filter)
  int* row_places =
      reinterpret_cast<int*>(filters + blockDim.y * s.staged * TAPS * FILTERS);  // (row)
  const int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;

  // The block's pairs, numbered along the rows of its column of tiles and on through the images.
  const int col0 = blockIdx.x % s.cut.tiles * s.cut.strips * STRIP;
  const int first_pair = blockIdx.x / s.cut.tiles * blockDim.x;
  const int last_pair = s.images * (s.out_height / 2) * s.cut.strips - 1;
  const int pair = min(first_pair + static_cast<int>(threadIdx.x), last_pair);
  const ch13::OutRow first = ch13::out_row(s, first_pair / s.cut.strips * 2),
                     mine = ch13::out_row(s, pair / s.cut.strips * 2);
  const ch13::OutRow last = ch13::out_row(
      s, min(first_pair + static_cast<int>(blockDim.x) - 1, last_pair) / s.cut.strips * 2);
  const int rows = ch13::rows_between<SIDE>(s, first, last) + SIDE + 1;
  const int col = pair % s.cut.strips * STRIP;
  const float* window = pixels + ch13::rows_between<SIDE>(s, first, mine) * s.pitch + col;
  const float* group = filters + threadIdx.y * s.staged * TAPS * FILTERS;
  const int filter0 = blockIdx.y * blockDim.y * FILTERS, filter = filter0 + threadIdx.y * FILTERS;

  ch13::find_rows<SIDE>(s, first, rows, thread, threads, row_places);
  float sums[FILTERS][2][STRIP];  // (filter, row, pixel)
#pragma unroll
  for (int f = 0; f < FILTERS; ++f) {
    const float bias = filter + f < s.filters ? s.bias[filter + f] : 0.0f;
#pragma unroll
    for (int x = 0; x < STRIP; ++x) sums[f][0][x] = sums[f][1][x] = bias;
  }
  __syncthreads();
  for (int c0 = 0; c0 < s.channels; c0 += s.staged) {
    const int count = min(s.staged, s.channels - c0);
    const float* in = s.in + c0 * s.height * s.width;
    if (s.input_fours) {
      stage_pixels<4>(s, in, row_places, rows, col0, count, thread, pixels);
    } else {
      stage_pixels<1>(s, in, row_places, rows, col0, count, thread, pixels);
    }
    stage_filters<SIDE>(s, s.weights + c0 * TAPS, filter0, count, thread, threads, filters);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    add_channels<SIDE>(s, window, group, count, sums);
    __syncthreads();
  }

  if (first_pair + static_cast<int>(threadIdx.x) > last_pair || col0 + col >= s.out_width) return;
  const int width = s.out_width / 2, x = (col0 + col) / 2;
  const int plane = mine.image * s.filters + filter;
#pragma unroll
  for (int f = 0; f < FILTERS; ++f) {
    if (filter + f >= s.filters) break;
    const int row = (plane + f) * (s.out_height / 2) + mine.y / 2;
    store_windows(s, sums[f], row * width + x, x + 1 < width);
  }
}

// The most rows that so many pairs need.
int most_rows(const PooledLayer& s, int side, int pairs) {
  const int rows = (pairs + s.cut.strips - 2) / s.cut.strips + 1;  // of windows
  const int images = ceil_div(rows - 1, s.out_height / 2) + 1;
  return 2 * rows + images * (side - 1);
}

template <int SIDE>
void launch(PooledLayer layer, cudaStream_t stream) {
  layer.cut = ch13::cut_row(layer.out_width);
  const int columns = ch13::staged_columns(layer.cut.strips, SIDE);
  layer.pitch = window_pitch(layer.cut.strips, columns);
  layer.columns = layer.input_fours ? columns / 4 : columns;

  int groups = MOST_GROUPS;
  while (ceil_div(layer.filters, FILTERS) % groups != 0) groups /= 2;
  const int all_pairs = layer.images * (layer.out_height / 2) * layer.cut.strips;
  const int banks = ceil_div(layer.filters, groups * FILTERS);
  int pairs = THREADS / groups;
  const auto blocks = [&] { return ceil_div(all_pairs, pairs) * layer.cut.tiles; };
  const auto too_many = [&] {
    return most_rows(layer, SIDE, pairs) * layer.pitch > PLANE_FLOATS ||
           blocks() < ENOUGH_BLOCKS / banks;
  };
  while (pairs > LEAST_PAIRS && too_many()) pairs /= 2;
  const int threads = pairs * groups, rows = most_rows(layer, SIDE, pairs);
  layer.step_rows = threads / layer.columns, layer.step_cols = threads % layer.columns;
  layer.plane = rows * layer.pitch;

  const int channel_floats = layer.plane + groups * SIDE * SIDE * FILTERS;
  const int most = std::max(STAGED_FLOATS / channel_floats, 1);
  layer.staged = ceil_div(layer.channels, ceil_div(layer.channels, most));
  const int words = layer.staged * channel_floats + rows;
  conv2d_bias_relu_max_pool_kernel<SIDE>
      <<<dim3(blocks(), banks), dim3(pairs, groups), words * sizeof(float), stream>>>(layer);
  check_launch();
}

}  // namespace

void conv2d_bias_relu_max_pool(TensorView<const float> in, TensorView<const float> weights,
                               const float* bias, TensorView<float> out, std::span<Winner> winners,
                               int padding, cudaStream_t stream) {
  const ch13::ConvolutionShape s{in.n, in.c, in.h, in.w, weights.n, weights.h, padding, 1};
  ch13::require_shape(s);
  const TensorView<const float> sums{out.data, s.n, s.k, s.out_h(), s.out_w()};  // nowhere
  ch13::require_convolution(in, weights, sums, {padding, 1});
  require_pooling(sums, out, "the convolution", "the pooled tensor");
  ch13::require_tiles(s);
  require(bias != nullptr, "the bias has no data (a null pointer)");
  if (!winners.empty()) {
    require_same_size(winners.size(), "the winners", out.size(), "the pooled tensor");
  }
  PooledLayer layer{};
  layer.in = in.data, layer.weights = weights.data, layer.bias = bias, layer.out = out.data;
  layer.winners = winners.empty() ? nullptr : winners.data();
  layer.images = s.n, layer.channels = s.c, layer.height = s.h, layer.width = s.w;
  layer.filters = s.k, layer.out_height = 2 * out.h, layer.out_width = 2 * out.w;
  layer.padding = padding, layer.filter_pitch = s.taps();
  layer.input_fours = padding == 0 && s.w % 4 == 0 && is_aligned(in.data, sizeof(float4));
  layer.whole_pairs = out.w % 2 == 0 && is_aligned(out.data, sizeof(Pair<float>)) &&
                      is_aligned(layer.winners, sizeof(Pair<Winner>));
  ch13::visit_side(s.f, [&](auto side) { launch<side()>(layer, stream); });
}

}  // namespace tut::ch14
