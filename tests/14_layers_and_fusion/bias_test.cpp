#include "14_layers_and_fusion/bias.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "guarded_vector.hpp"

namespace tut::ch14::test {
namespace {

struct Shape {
  int n, c, h, w;
  std::size_t size() const { return static_cast<std::size_t>(n) * c * h * w; }
  int channel(std::size_t i) const { return static_cast<int>(i / (h * w)) % c; }
};

// Planes and rows, around the blocks, single elements, primes.
const std::vector<Shape> kShapes{{1, 1, 1, 1},  {2, 3, 24, 24}, {7, 5, 3, 11}, {1, 8, 1, 37},
                                 {9, 16, 8, 8}, {64, 10, 1, 1}, {1, 33, 1, 1}, {17, 128, 1, 1},
                                 {31, 1, 1, 1}, {2, 257, 1, 2}, {19, 31, 1, 1}};

}  // namespace

TEST_CASE_TEMPLATE("a bias is added to its channel, and its gradient is the channel's sum", T,
                   float, __half, __nv_bfloat16) {
  constexpr double u = Precision<T>::rounding;
  for (const Shape& s : kShapes) {
    CAPTURE(s.n);
    CAPTURE(s.c);
    CAPTURE(s.w);
    const auto channels = static_cast<std::size_t>(s.c);
    const std::vector<T> host = random_vector<T>(s.size(), 1);
    const std::vector<float> host_bias = random_vector<float>(channels, 2);
    const GuardedVector<T> in(host), out(s.size());
    const GuardedVector<float> bias(host_bias), d_bias(channels);
    add_bias(in.tensor(s.n, s.c, s.h, s.w), bias.data(), out.tensor(s.n, s.c, s.h, s.w));
    bias_backward(in.tensor(s.n, s.c, s.h, s.w), d_bias.data());

    const std::vector<double> x = in_double(host);
    std::vector<double> expected, sums(channels), magnitudes(channels);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const int c = s.channel(i);
      expected.push_back(x[i] + host_bias[c]);
      sums[c] += x[i];
      magnitudes[c] += std::abs(x[i]);
    }
    check_near(out.read_double(), expected, u, Precision<T>::underflow + 1e-7);
    const std::vector<double> got = d_bias.read_double();
    for (std::size_t c = 0; c < channels; ++c) {
      const double terms = static_cast<double>(s.size()) / static_cast<double>(channels);
      CHECK(std::abs(got[c] - sums[c]) <= 2 * std::sqrt(terms) * 0x1p-24 * magnitudes[c]);
    }
    CHECK(same_bytes(in.read(), host));
    const std::vector<float> first = d_bias.read();
    bias_backward(in.tensor(s.n, s.c, s.h, s.w), d_bias.data());
    CHECK(same_bytes(d_bias.read(), first));
    add_bias(in.tensor(s.n, s.c, s.h, s.w), bias.data(), in.tensor(s.n, s.c, s.h, s.w));
    CHECK(same_bytes(in.read(), out.read()));
  }
}

TEST_CASE("a bias refuses what does not fit") {
  const GuardedVector<float> memory(std::size_t{16});
  CHECK_THROWS_AS(add_bias(memory.tensor(1, 2, 2, 2), memory.data(), memory.tensor(1, 2, 2, 3)),
                  std::invalid_argument);
  CHECK_THROWS_AS(add_bias(memory.tensor(1, 2, 2, 2), nullptr, memory.tensor(1, 2, 2, 2)),
                  std::invalid_argument);
  CHECK_THROWS_AS(bias_backward(memory.tensor(1, 0, 2, 2), memory.data()), std::invalid_argument);
}

}  // namespace tut::ch14::test
