#include "14_layers_and_fusion/smoothed_cross_entropy.hpp"

#include "16_cnn_trainer/trainer/own_kernels/mine/adapters.hpp"
#include "16_cnn_trainer/trainer/own_kernels/mine/trial.hpp"

namespace tut::ch16::mine {

// Labels that are not smoothed at all.
void use_smoothed_cross_entropy(Kernels& kernels) {
  kernels.softmax_cross_entropy = [](const Scores& s) -> Launch {
    return [s](const Pass& pass) {
      ch14::smoothed_cross_entropy(s.rows(pass), pass.labels, 0.0f, pass.losses, s.d_rows(pass),
                                   pass.stream);
    };
  };
}

bool smoothed_cross_entropy_agrees() {
  const Kernels reference = reference_kernels();
  Kernels own;
  use_smoothed_cross_entropy(own);
  for (const auto& shape : {std::pair(1, 2), {7, 10}, {32, 10}, {5, 131}, {3, 256}}) {
    const int rows = shape.first, classes = shape.second;
    const auto count = static_cast<std::size_t>(rows);
    std::vector<float> values(count * static_cast<std::size_t>(classes));
    fill_uniform(values, 1, -8, 8);
    values[0] = 100.0f;  // its exponential is no float
    std::vector<std::uint8_t> names;
    for (int row = 0; row < rows; ++row) {
      names.push_back(static_cast<std::uint8_t>((row * 7 + 1) % classes));
    }
    const Values scores(values);
    const DeviceBuffer<std::uint8_t> labels(names);
    const Values losses(count), expected_losses(count), got(values.size()), expected(values.size());
    const auto call = [&](const Kernels& kernels, const Values& loss, const Values& d_scores) {
      Pass pass{.images = rows};
      pass.labels = {labels.data(), labels.size()};
      pass.losses = loss.span();
      kernels.softmax_cross_entropy({scores.data(), d_scores.data(), classes})(pass);
    };
    call(own, losses, got);
    call(reference, expected_losses, expected);
    if (!near(losses, expected_losses) || !near(got, expected) || !scores.unchanged()) return false;
  }
  return true;
}

}  // namespace tut::ch16::mine
