#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "16_cnn_trainer/architecture.hpp"

namespace tut::test {

/// The course's network in double, written from the definitions of its layers: what the gradient of
/// the real one is checked against, by central differences.
class DoubleNetwork {
 public:
  using A = ch16::Architecture;
  using L = ch16::ParameterLayout;

  std::vector<double> parameters;

  explicit DoubleNetwork(const std::vector<float>& values)
      : parameters(values.begin(), values.end()) {}

  /// The scores of one image, (10).
  std::vector<double> scores(const std::vector<double>& image) const {
    std::vector<double> x =
        convolve(image, 1, A::side, A::channels1, L::conv1_weights, L::conv1_bias);
    x = pool(rectify(x), A::channels1, A::conv1_side);
    x = convolve(x, A::channels1, A::pool1_side, A::channels2, L::conv2_weights, L::conv2_bias);
    x = pool(rectify(x), A::channels2, A::conv2_side);
    std::vector<double> out(A::classes);
    for (int j = 0; j < A::classes; ++j) {
      out[j] = parameters[L::dense_bias + j];
      for (int i = 0; i < A::features; ++i) {
        out[j] += parameters[L::dense_weights + j * A::features + i] * x[i];
      }
    }
    return out;
  }

  /// The mean loss of some images.
  double loss(const std::vector<std::vector<double>>& images,
              const std::vector<std::uint8_t>& labels) const {
    double sum = 0;
    for (std::size_t n = 0; n < images.size(); ++n) {
      const std::vector<double> z = scores(images[n]);
      double total = 0;
      for (const double score : z) total += std::exp(score);
      sum += std::log(total) - z[labels[n]];
    }
    return sum / static_cast<double>(images.size());
  }

 private:
  // in (channels, side, side), out (filters, side - 4, side - 4)
  std::vector<double> convolve(const std::vector<double>& in, int channels, int side, int filters,
                               std::size_t weights, std::size_t bias) const {
    const int out_side = side - A::filter + 1;
    std::vector<double> out(static_cast<std::size_t>(filters) * out_side * out_side);
    for (int k = 0; k < filters; ++k)
      for (int y = 0; y < out_side; ++y)
        for (int x = 0; x < out_side; ++x) {
          double sum = parameters[bias + k];
          for (int c = 0; c < channels; ++c)
            for (int i = 0; i < A::filter; ++i)
              for (int j = 0; j < A::filter; ++j) {
                sum += parameters[weights + ((k * channels + c) * A::filter + i) * A::filter + j] *
                       in[(c * side + y + i) * side + x + j];
              }
          out[(k * out_side + y) * out_side + x] = sum;
        }
    return out;
  }

  static std::vector<double> rectify(std::vector<double> values) {
    for (double& value : values) value = std::max(value, 0.0);
    return values;
  }

  static std::vector<double> pool(const std::vector<double>& in, int channels, int side) {
    const int half = side / 2;
    std::vector<double> out(static_cast<std::size_t>(channels) * half * half);
    for (int c = 0; c < channels; ++c)
      for (int y = 0; y < half; ++y)
        for (int x = 0; x < half; ++x) {
          const double* corner = &in[(c * side + 2 * y) * side + 2 * x];
          out[(c * half + y) * half + x] =
              std::max({corner[0], corner[1], corner[side], corner[side + 1]});
        }
    return out;
  }
};

}  // namespace tut::test
