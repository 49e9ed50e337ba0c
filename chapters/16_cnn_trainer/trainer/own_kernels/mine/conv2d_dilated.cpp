#include "13_convolution/conv2d_dilated.hpp"

#include "16_cnn_trainer/trainer/own_kernels/mine/adapters.hpp"
#include "16_cnn_trainer/trainer/own_kernels/mine/trial.hpp"

namespace tut::ch16::mine {

// Taps one pixel apart are an ordinary convolution's.
void use_conv2d_dilated(Kernels& kernels) {
  kernels.conv2d_bias_relu_max_pool = nullptr;
  kernels.conv2d = [](const Convolution& c) -> Launch {
    return [c](const Pass& pass) {
      ch13::conv2d_dilated(c.images(pass), c.filters(), c.bias, c.outputs(pass), c.options(), 1,
                           pass.stream);
    };
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
      Convolution c{{t.layer()}};
      c.in = in.data();
      c.weights = weights.data();
      c.bias = bias.data();
      c.out = out.data();
      kernels.conv2d(c)({.images = t.n});
    };
    compute(own, got);
    compute(reference, expected);
    if (!near(got, expected) || !in.unchanged() || !weights.unchanged()) return false;
  }
  return true;
}

}  // namespace tut::ch16::mine
