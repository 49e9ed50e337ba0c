#include "13_convolution/im2col_nhwc.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"
#include "13_convolution/conv2d_backward_bias.hpp"
#include "13_convolution/convert_layout.hpp"
#include "13_convolution/sum_slices.hpp"
#include "16_cnn_trainer/trainer/own_kernels/mine/adapters.hpp"
#include "16_cnn_trainer/trainer/own_kernels/mine/trial.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch16::mine {

namespace {

using ch13::NhwcView;

constexpr std::size_t kRowsFloats = std::size_t{1} << 24;  // of the largest matrix of im2col

// Device memory that is kept for the next call, all in one stream. It grows when a call wants more.
class Workspace {
 public:
  std::span<float> take(std::size_t size) {
    if (size > memory_.size()) memory_ = DeviceBuffer<float>(size);
    return {memory_.data(), size};
  }

 private:
  DeviceBuffer<float> memory_;
};

// The gradient of the weights is a product: that of the output, (pixels, filters), turned on its
// side, times the matrix of im2col, (pixels, taps). Images go through in groups, which are added
// up in the end.
class WeightsGradient {
 public:
  void operator()(TensorView<const float> in, TensorView<const float> d_out,
                  TensorView<float> d_weights, float* d_bias, ch13::Conv2dOptions options,
                  cudaStream_t stream) {
    const int area = d_out.h * d_out.w;
    const int taps = d_weights.c * d_weights.h * d_weights.w;
    const std::size_t of_image = std::size_t{1} * area * taps;
    const int group = static_cast<int>(
        std::clamp<std::size_t>(kRowsFloats / of_image, 1, static_cast<std::size_t>(in.n)));
    const int groups = ceil_div(in.n, group);
    const auto weights = static_cast<std::size_t>(d_weights.size());
    float* sums = sums_.take((static_cast<std::size_t>(groups) + 1) * weights).data();
    for (int g = 0; g < groups; ++g) {
      const int first = g * group, n = std::min(group, in.n - first);
      const TensorView<const float> some{in.data + first * (in.size() / in.n), n, in.c, in.h, in.w};
      const TensorView<const float> d_some{d_out.data + first * (d_out.size() / d_out.n), n,
                                           d_out.c, d_out.h, d_out.w};
      multiply(some, d_some,
               {sums + (static_cast<std::size_t>(g) + 1) * weights, d_weights.n, taps, taps},
               d_weights.h, options, stream);
    }
    ch13::sum_slices(sums + weights, sums, static_cast<int>(weights), groups, stream);
    const NhwcView<const float> nhwc{sums, d_weights.n, d_weights.h, d_weights.w, d_weights.c};
    ch13::nhwc_to_nchw<float>(nhwc, d_weights, stream);
    if (d_bias == nullptr) return;
    const std::span<float> scratch = scratch_.take(ch13::conv2d_backward_bias_scratch(d_out));
    ch13::conv2d_backward_bias(d_out, d_bias, scratch, stream);
  }

 private:
  // `d_filters` is (filters, taps), with channels innermost.
  void multiply(TensorView<const float> in, TensorView<const float> d_out,
                MatrixView<float> d_filters, int side, ch13::Conv2dOptions options,
                cudaStream_t stream) {
    const NhwcView<float> images{take(images_, in.size()), in.n, in.h, in.w, in.c};
    const NhwcView<float> d_images{take(d_images_, d_out.size()), d_out.n, d_out.h, d_out.w,
                                   d_out.c};
    ch13::nchw_to_nhwc<float>(in, images, stream);
    ch13::nchw_to_nhwc<float>(d_out, d_images, stream);
    const int pixels = d_out.n * d_out.h * d_out.w, taps = d_filters.cols;
    const MatrixView<float> rows{take(rows_, std::int64_t{pixels} * taps), pixels, taps, taps};
    ch13::im2col_nhwc(images, rows, side, options, stream);
    const MatrixView<const float> d_pixels{d_images.data, pixels, d_out.c, d_out.c};
    ch04::matmul_transposed_a(d_pixels, rows, d_filters, stream);
  }

  static float* take(Workspace& memory, std::int64_t size) {
    return memory.take(static_cast<std::size_t>(size)).data();
  }

  Workspace images_, d_images_, rows_, sums_, scratch_;
};

// Element (p, k) of the matrix, from its definition.
float element(const ConvolutionTrial& t, const Values& in, int p, int k) {
  const ch13::Pixel pixel = ch13::pixel_of(p, t.out_h(), t.out_w());
  const ch13::Tap tap = ch13::tap_of_nhwc(k, t.f, t.c);
  const int y = pixel.y * t.stride + tap.row - t.padding;
  const int x = pixel.x * t.stride + tap.col - t.padding;
  if (y < 0 || y >= t.h || x < 0 || x >= t.w) return 0.0f;
  return in.at(((static_cast<std::size_t>(pixel.image) * t.h + y) * t.w + x) * t.c + tap.channel);
}

}  // namespace

void use_im2col_nhwc(Kernels& kernels) {
  kernels.conv2d_bias_relu_max_pool_backward_weights = nullptr;
  const auto gradient = std::make_shared<WeightsGradient>();
  kernels.conv2d_backward_weights = [gradient](const Convolution& c) -> Launch {
    return [c, gradient](const Pass& pass) {
      (*gradient)(c.images(pass), c.d_outputs(pass), c.d_filters(), c.d_bias, c.options(),
                  pass.stream);
    };
  };
}

bool im2col_nhwc_agrees() {
  for (const ConvolutionTrial& t : kConvolutionTrials) {
    const int pixels = t.n * t.out_h() * t.out_w(), taps = t.f * t.f * t.c;
    const Values in = Values::random(t.in_size(), 1);
    std::vector<float> elements;
    for (int p = 0; p < pixels; ++p) {
      for (int k = 0; k < taps; ++k) elements.push_back(element(t, in, p, k));
    }
    const Values got(elements.size());
    ch13::im2col_nhwc({in.data(), t.n, t.h, t.w, t.c}, {got.data(), pixels, taps, taps}, t.f,
                      {t.padding, t.stride});
    if (!near(got, Values(elements)) || !in.unchanged()) return false;
  }
  return true;
}

}  // namespace tut::ch16::mine
