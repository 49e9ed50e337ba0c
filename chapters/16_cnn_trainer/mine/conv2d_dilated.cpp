#include "13_convolution/conv2d_dilated.hpp"

#include "16_cnn_trainer/mine/adapters.hpp"
#include "16_cnn_trainer/mine/trial.hpp"

namespace tut::ch16::mine {

// Taps one pixel apart are an ordinary convolution's.
void use_conv2d_dilated(Kernels& kernels) {
  kernels.conv2d = [](auto in, auto weights, auto bias, auto out, auto options, auto stream) {
    ch13::conv2d_dilated(in, weights, bias, out, options, 1, stream);
  };
}

bool conv2d_dilated_agrees() {
  const Kernels reference = reference_kernels();
  Kernels own;
  use_conv2d_dilated(own);
  for (const ConvolutionTrial& t : kConvolutionTrials) {
    const Values in = Values::random(t.in_size(), 1), weights = Values::random(t.weights_size(), 2);
    const Values bias = Values::random(static_cast<std::size_t>(t.k), 3);
    const Values got(t.out_size()), expected(t.out_size());
    const auto compute = [&](const Kernels& kernels, const Values& out) {
      kernels.conv2d({in.data(), t.n, t.c, t.h, t.w}, {weights.data(), t.k, t.c, t.f, t.f},
                     bias.data(), {out.data(), t.n, t.k, t.out_h(), t.out_w()},
                     {t.padding, t.stride}, nullptr);
    };
    compute(own, got);
    compute(reference, expected);
    if (!near(got, expected) || !in.unchanged() || !weights.unchanged()) return false;
  }
  return true;
}

}  // namespace tut::ch16::mine
