#include "05_shared_memory_tiling/linear_relu.hpp"

#include <limits>

#include "16_cnn_trainer/trainer/own_kernels/mine/adapters.hpp"
#include "16_cnn_trainer/trainer/own_kernels/mine/matmul_trial.hpp"

namespace tut::ch16::mine {

void use_linear_relu(Kernels& kernels) {
  kernels.dense_relu = [](const Dense& d) -> Launch {
    return [d](const Pass& pass) {
      ch05::linear_relu(d.inputs(pass), d.weight_rows(), d.bias, d.outputs(pass), pass.stream);
    };
  };
}

bool linear_relu_agrees() {
  const Kernels reference = reference_kernels();
  Kernels own;
  use_linear_relu(own);
  for (const MatmulTrial& t : kMatmulTrials) {
    const int images = t.m, outputs = t.n, inputs = t.k;
    std::vector<float> pixels(size(images, inputs));
    fill_uniform(pixels, 1);
    // A network that has gone wrong must show it: NaN is not below 0.
    if (images > 1) pixels[size(1, inputs)] = std::numeric_limits<float>::quiet_NaN();
    const Values in(pixels), weights = Values::random(size(outputs, inputs), 2);
    const Values bias = Values::random(static_cast<std::size_t>(outputs), 3);
    const Values got(size(images, outputs)), expected(size(images, outputs));
    const auto compute = [&](const Kernels& kernels, const Values& out) {
      Dense d;
      d.layer.outputs = outputs;
      d.layer.in = {inputs, 1, 1};
      d.layer.out = {outputs, 1, 1};
      d.in = in.data();
      d.weights = weights.data();
      d.bias = bias.data();
      d.out = out.data();
      kernels.dense_relu(d)({.images = images});
    };
    compute(own, got);
    compute(reference, expected);
    if (!near(got, expected) || !in.unchanged() || !weights.unchanged()) return false;
  }
  return true;
}

}  // namespace tut::ch16::mine
