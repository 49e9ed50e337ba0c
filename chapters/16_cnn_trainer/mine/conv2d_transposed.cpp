#include "13_convolution/conv2d_transposed.hpp"

#include <memory>

#include "16_cnn_trainer/mine/adapters.hpp"
#include "16_cnn_trainer/mine/trial.hpp"
#include "tut/check.hpp"

namespace tut::ch16::mine {

// A convolution's weights (K, C, F, F) make images of C channels out of a gradient of K: they are
// already what the transposed convolution wants. It has a bias, which a gradient has not.
void use_conv2d_transposed(Kernels& kernels) {
  const auto zeros = std::make_shared<Workspace>();
  const auto reference = kernels.conv2d_backward_input;
  kernels.conv2d_backward_input = [zeros, reference](auto d_out, auto weights, auto d_in,
                                                     auto scratch, auto options, auto stream) {
    const auto side = [&](int from) {
      return ch13::transposed_side(from, weights.h, options.padding, options.stride);
    };
    if (side(d_out.h) != d_in.h || side(d_out.w) != d_in.w) {
      // Pixels at the far edge lie under no filter: the exercise makes images without them.
      return reference(d_out, weights, d_in, scratch, options, stream);
    }
    const std::span<float> bias = zeros->take(static_cast<std::size_t>(d_in.c));
    check(cudaMemsetAsync(bias.data(), 0, bias.size_bytes(), stream));
    ch13::conv2d_transposed(d_out, weights, bias.data(), d_in, options, stream);
  };
}

bool conv2d_transposed_agrees() {
  const Kernels reference = reference_kernels();
  Kernels own = reference;
  use_conv2d_transposed(own);
  for (const ConvolutionTrial& t : kConvolutionTrials) {
    const Values d_out = Values::random(t.out_size(), 1);
    const Values weights = Values::random(t.weights_size(), 2);
    const DeviceBuffer<float> scratch(std::size_t{1} << 20);
    const Values got(t.in_size()), expected(t.in_size());
    const auto compute = [&](const Kernels& kernels, const Values& d_in) {
      kernels.conv2d_backward_input(
          {d_out.data(), t.n, t.k, t.out_h(), t.out_w()}, {weights.data(), t.k, t.c, t.f, t.f},
          {d_in.data(), t.n, t.c, t.h, t.w}, {scratch.data(), scratch.size()},
          {t.padding, t.stride}, nullptr);
    };
    compute(own, got);
    compute(reference, expected);
    if (!near(got, expected) || !d_out.unchanged() || !weights.unchanged()) return false;
  }
  return true;
}

}  // namespace tut::ch16::mine
