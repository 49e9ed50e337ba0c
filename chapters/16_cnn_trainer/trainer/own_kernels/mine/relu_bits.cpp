#include "14_layers_and_fusion/relu_bits.hpp"

#include <limits>
#include <memory>

#include "14_layers_and_fusion/relu.hpp"
#include "16_cnn_trainer/trainer/own_kernels/mine/adapters.hpp"
#include "16_cnn_trainer/trainer/own_kernels/mine/trial.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch16::mine {

void use_relu_bits(Kernels& kernels) {
  kernels.relu = [](const Stage<float>& s, int max_images) {
    const std::size_t most = static_cast<std::size_t>(max_images) * s.first.in.size();
    const auto memory =
        std::make_shared<DeviceBuffer<std::uint32_t>>(ceil_div(most, std::size_t{32}));
    const auto bits = [s, memory](const Pass& pass) {
      return std::span(memory->data(), ceil_div(s.inputs(pass).size(), std::size_t{32}));
    };
    Launches launches;
    launches.forward = {[s, bits](const Pass& pass) {
      ch14::relu_bits(s.inputs(pass), s.outputs(pass), bits(pass), pass.stream);
    }};
    launches.backward = {[s, bits](const Pass& pass) {
      ch14::relu_bits_backward(bits(pass), s.d_outputs(pass), s.d_inputs(pass), pass.stream);
    }};
    return launches;
  };
}

// The bits are right if the gradient is: in place, as the trainer calls it, and beside.
bool relu_bits_agrees() {
  for (const std::size_t size : {1, 31, 33, 1000, 1024, 8193, 20011}) {
    std::vector<float> values(size);
    fill_uniform(values, 1);
    if (size > 40) values[37] = std::numeric_limits<float>::quiet_NaN();
    if (size > 40) values[38] = 0.0f;
    const Values in(values), over_in(values), d_out = Values::random(size, 2);
    const Values d_over_out = Values::random(size, 2);
    const Values got(size), expected(size), d_got(size), d_expected(size);
    ch14::relu(in.span(), expected.span());
    ch14::relu_backward(in.span(), d_out.span(), d_expected.span());

    const DeviceBuffer<std::uint32_t> memory(ceil_div(size, std::size_t{32}));
    const std::span<std::uint32_t> bits{memory.data(), memory.size()};
    ch14::relu_bits(in.span(), got.span(), bits);
    ch14::relu_bits_backward(bits, d_out.span(), d_got.span());
    if (!near(got, expected) || !near(d_got, d_expected) || !in.unchanged()) return false;
    ch14::relu_bits(over_in.span(), over_in.span(), bits);
    ch14::relu_bits_backward(bits, d_over_out.span(), d_over_out.span());
    if (!near(over_in, expected) || !near(d_over_out, d_expected)) return false;
  }
  return true;
}

}  // namespace tut::ch16::mine
