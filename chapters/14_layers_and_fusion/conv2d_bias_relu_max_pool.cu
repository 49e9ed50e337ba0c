#include "14_layers_and_fusion/conv2d_bias_relu_max_pool.hpp"

#include <cstdint>

#include "13_convolution/filter_bank.hpp"
#include "14_layers_and_fusion/pooling.hpp"
#include "tut/check.hpp"

namespace tut::ch14 {
namespace {

using ch13::ConvolutionShape;

constexpr int BANK = 8;       // filters of a thread
constexpr int THREADS = 128;  // of a block of the general kernel

// A layer without padding, stride 1, EDGE x EDGE pixels.
template <int SIDE, int CHANNELS, int EDGE>
using ValidLayer = ch13::BankLayer<SIDE, CHANNELS, EDGE, EDGE, EDGE - SIDE + 1>;

// The end of both kernels: a window's four sums become one value and one byte.
__device__ __forceinline__ void write_window(Pair<float> upper, Pair<float> lower, float bias,
                                             float* out, Winner* winners, std::int64_t to) {
  const Largest largest =
      largest_of(upper.first + bias, upper.second + bias, lower.first + bias, lower.second + bias);
  out[to] = largest.value < 0.0f ? 0.0f : largest.value;
  if (winners == nullptr) return;
  winners[to] = largest.value > 0.0f ? static_cast<Winner>(largest.place) : Winner::none;
}

// A thread computes the sums of two rows at one column, for BANK filters; then the block's threads
// share out the windows. Block and grid cover the layer exactly: no thread is without work.
template <class Layer, int BLOCK_ROWS>
__global__ void conv2d_window_bank_kernel(const float* in, const float* weights, const float* bias,
                                          float* out, Winner* winners, int filters) {
  constexpr int COLS = Layer::OUT_WIDTH, WINDOWS = COLS / 2;
  __shared__ alignas(8) float sums[BANK][2][BLOCK_ROWS][COLS];  // (filter, row of window; y, x)
  const int x = threadIdx.x;
  const int y = blockIdx.x * BLOCK_ROWS + threadIdx.y;  // of the windows
  const int first = blockIdx.y * BANK;
  const std::int64_t image = blockIdx.z;
  const float* corner = in + image * Layer::CHANNELS * Layer::PLANE + 2 * y * Layer::PITCH + x;
  const float* bank = weights + first * Layer::CHANNELS * Layer::SIDE * Layer::SIDE;

  //! [epilogue]
  float sum[2][BANK] = {};  // (row, filter)
  ch13::add_bank<Layer>(corner, bank, sum);

  // The other column of a window is another thread's: shared memory is near enough.
#pragma unroll
  for (int f = 0; f < BANK; ++f) {
    sums[f][0][threadIdx.y][x] = sum[0][f];
    sums[f][1][threadIdx.y][x] = sum[1][f];
  }
  __syncthreads();

  // Half the threads take the even filters, half the odd ones.
  const int window = x % WINDOWS;
#pragma unroll
  for (int even = 0; even < BANK; even += 2) {
    const int f = even + x / WINDOWS;
    const std::int64_t to =
        ((image * filters + first + f) * (Layer::OUT_HEIGHT / 2) + y) * WINDOWS + window;
    write_window(load_pair<true>(&sums[f][0][threadIdx.y][2 * window]),
                 load_pair<true>(&sums[f][1][threadIdx.y][2 * window]), bias[first + f], out,
                 winners, to);
  }
  //! [epilogue]
}

// A thread computes one window of one filter, of any layer.
__global__ void conv2d_window_kernel(const float* in, const float* weights, const float* bias,
                                     float* out, Winner* winners, ConvolutionShape s) {
  const int width = s.out_w() / 2, area = s.out_h() / 2 * width;
  const int place = blockIdx.x * THREADS + threadIdx.x;
  const int filter = blockIdx.y;
  const int image = blockIdx.z;
  if (place >= area) return;

  float sum[2][2] = {};
  for (int tap = 0; tap < s.taps(); ++tap) {
    const ch13::Tap at = ch13::tap_of(tap, s.f);
    const float weight = weights[filter * s.taps() + tap];
    const float* plane = in + (std::int64_t{image} * s.c + at.channel) * s.h * s.w;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        const ch13::Pixel out_pixel{image, place / width * 2 + i, place % width * 2 + j};
        const ch13::Pixel pixel = ch13::under_tap(s, out_pixel, at.row, at.col);
        if (pixel.image >= 0) sum[i][j] += plane[pixel.y * s.w + pixel.x] * weight;
      }
    }
  }
  write_window({sum[0][0], sum[0][1]}, {sum[1][0], sum[1][1]}, bias[filter], out, winners,
               (std::int64_t{image} * s.k + filter) * area + place);
}

struct Arguments {
  const float *in, *weights, *bias;
  float* out;
  Winner* winners;
  cudaStream_t stream;
};

template <class Layer, int BLOCK_ROWS>
void launch(const ConvolutionShape& s, const Arguments& a) {
  static_assert(Layer::OUT_HEIGHT % (2 * BLOCK_ROWS) == 0, "blocks cover the rows exactly");
  const dim3 block(Layer::OUT_WIDTH, BLOCK_ROWS);
  const dim3 grid(Layer::OUT_HEIGHT / (2 * BLOCK_ROWS), s.k / BANK, s.n);
  conv2d_window_bank_kernel<Layer, BLOCK_ROWS>
      <<<grid, block, 0, a.stream>>>(a.in, a.weights, a.bias, a.out, a.winners, s.k);
  check_launch();
}

void launch_general(const ConvolutionShape& s, const Arguments& a) {
  const dim3 grid(ceil_div(s.out_h() / 2 * (s.out_w() / 2), THREADS), s.k, s.n);
  conv2d_window_kernel<<<grid, THREADS, 0, a.stream>>>(a.in, a.weights, a.bias, a.out, a.winners,
                                                       s);
  check_launch();
}

// The launcher made for this layer, or null.
auto fused_launcher(const ConvolutionShape& s)
    -> void (*)(const ConvolutionShape&, const Arguments&) {
  if (s.padding != 0 || s.stride != 1 || s.k % BANK != 0 || s.h != s.w) return nullptr;
  // The course's network ...
  if (s.f == 5 && s.c == 1 && s.h == 28) return launch<ValidLayer<5, 1, 28>, 4>;
  if (s.f == 5 && s.c == 8 && s.h == 12) return launch<ValidLayer<5, 8, 12>, 4>;
  // ... and the second layer of PyTorch's MNIST example.
  if (s.f == 3 && s.c == 32 && s.h == 26) return launch<ValidLayer<3, 32, 26>, 4>;
  return nullptr;
}

}  // namespace

bool has_fused_convolution(const ConvolutionShape& shape) {
  return fused_launcher(shape) != nullptr;
}

void conv2d_bias_relu_max_pool(TensorView<const float> in, TensorView<const float> weights,
                               const float* bias, TensorView<float> out, std::span<Winner> winners,
                               ch13::Conv2dOptions options, cudaStream_t stream) {
  const ConvolutionShape s{in.n,          in.c, in.h, in.w, weights.n, weights.h, options.padding,
                           options.stride};
  ch13::require_shape(s);
  const TensorView<const float> sums{out.data, s.n, s.k, s.out_h(), s.out_w()};  // nowhere
  ch13::require_convolution(in, weights, sums, options);
  require_pooling(sums, out, "the convolution", "the pooled tensor");
  require(bias != nullptr, "the bias has no data (a null pointer)");
  if (!winners.empty()) {
    require_same_size(winners.size(), "the winners", out.size(), "the pooled tensor");
  }
  const auto made_for_it = fused_launcher(s);
  const auto run = made_for_it != nullptr ? made_for_it : launch_general;
  run(s,
      {in.data, weights.data, bias, out.data, winners.empty() ? nullptr : winners.data(), stream});
}

}  // namespace tut::ch14
