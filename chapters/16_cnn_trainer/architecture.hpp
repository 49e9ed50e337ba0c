#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tut::ch16 {

/// The network's sizes, known when it is compiled.
///
///     image 1 x 28 x 28 -> convolution 5 x 5 -> 8 x 24 x 24 -> ReLU -> max-pool -> 8 x 12 x 12
///                       -> convolution 5 x 5 -> 16 x 8 x 8  -> ReLU -> max-pool -> 16 x 4 x 4
///                       -> dense -> 10 classes -> softmax
struct Architecture {
  static constexpr int side = 28;
  static constexpr int filter = 5;
  static constexpr int taps = filter * filter;
  static constexpr int channels1 = 8;
  static constexpr int conv1_side = side - filter + 1;  // 24
  static constexpr int pool1_side = conv1_side / 2;     // 12
  static constexpr int channels2 = 16;
  static constexpr int conv2_side = pool1_side - filter + 1;            // 8
  static constexpr int pool2_side = conv2_side / 2;                     // 4
  static constexpr int features = channels2 * pool2_side * pool2_side;  // 256
  static constexpr int classes = 10;
};

//! [layout]
/// Where each tensor starts in the one vector that holds all parameters. Gradients and velocities
/// have the same layout, so that one kernel updates everything.
struct ParameterLayout {
  using A = Architecture;
  static constexpr std::size_t conv1_weights = 0;                                    // (8, 1, 5, 5)
  static constexpr std::size_t conv1_bias = conv1_weights + A::channels1 * A::taps;  // (8)
  static constexpr std::size_t conv2_weights = conv1_bias + A::channels1;  // (16, 8, 5, 5)
  static constexpr std::size_t conv2_bias =
      conv2_weights + std::size_t{A::channels2} * A::channels1 * A::taps;  // (16)
  static constexpr std::size_t dense_weights = conv2_bias + A::channels2;  // (10, 256)
  static constexpr std::size_t dense_bias =
      dense_weights + std::size_t{A::classes} * A::features;    // (10)
  static constexpr std::size_t size = dense_bias + A::classes;  // 5994
};
//! [layout]

/// Parameters to start from: weights uniform in +-sqrt(6 / fan-in), biases zero; the same for the
/// same seed on every machine.
/// Source: He, Zhang, Ren, Sun, "Delving deep into rectifiers" (2015).
std::vector<float> initial_parameters(std::uint64_t seed);

/// The order in which epoch number `epoch` visits the images: a permutation of 0 .. count - 1, the
/// same for the same seed on every machine.
std::vector<int> epoch_order(std::size_t count, std::uint64_t seed, int epoch);

}  // namespace tut::ch16
