#include "13_convolution/conv2d_transposed.hpp"

#include <memory>

#include "16_cnn_trainer/trainer/own_kernels/mine/adapters.hpp"
#include "16_cnn_trainer/trainer/own_kernels/mine/trial.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch16::mine {

// A convolution's weights (K, C, F, F) make images of C channels out of a gradient of K: they are
// already what the transposed convolution wants. It has a bias, which a gradient has not.
void use_conv2d_transposed(Kernels& kernels) {
  const auto reference = kernels.conv2d_backward_input;
  kernels.conv2d_backward_input = [reference](const Convolution& c) -> Launch {
    const Layer& layer = c.layer;
    const auto side = [&](int from) {
      return ch13::transposed_side(from, layer.side, layer.padding, layer.stride);
    };
    if (side(layer.out.rows) != layer.in.rows || side(layer.out.cols) != layer.in.cols) {
      // Pixels at the far edge lie under no filter: the exercise makes images without them.
      return reference(c);
    }
    const auto zeros =
        std::make_shared<DeviceBuffer<float>>(static_cast<std::size_t>(layer.in.channels));
    zeros->fill_bytes(0);
    return [c, zeros](const Pass& pass) {
      ch13::conv2d_transposed(c.d_outputs(pass), c.filters(), zeros->data(), c.d_images(pass),
                              c.options(), pass.stream);
    };
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
      Convolution c{{t.layer()}};
      c.weights = weights.data();
      c.d_out = d_out.data();
      c.d_in = d_in.data();
      Pass pass{.images = t.n};
      pass.scratch = {scratch.data(), scratch.size()};
      kernels.conv2d_backward_input(c)(pass);
    };
    compute(own, got);
    compute(reference, expected);
    if (!near(got, expected) || !d_out.unchanged() || !weights.unchanged()) return false;
  }
  return true;
}

}  // namespace tut::ch16::mine
