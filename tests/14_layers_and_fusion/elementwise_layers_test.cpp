#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "14_layers_and_fusion/convert.hpp"
#include "14_layers_and_fusion/relu.hpp"
#include "14_layers_and_fusion/sigmoid.hpp"
#include "guarded_vector.hpp"

namespace tut::ch14::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Around a warp and a block, a prime, and a single element.
const std::vector<std::size_t> kSizes{1, 31, 33, 255, 256, 257, 4099};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

TEST_CASE_TEMPLATE("relu and sigmoid in every precision", T, float, __half, __nv_bfloat16, Tf32) {
  constexpr double u = Precision<T>::rounding;
  for (const std::size_t size : kSizes) {
    CAPTURE(size);
    const std::vector<T> host = random_vector<T>(size, 1, -4, 4);
    const std::vector<T> host_gradient = random_vector<T>(size, 2);
    const GuardedVector<T> in(host), d_out(host_gradient), out(size), d_in(size), s(size),
        d_s(size);
    relu(in.span(), out.span());
    relu_backward(in.span(), d_out.span(), d_in.span());
    sigmoid(in.span(), s.span());
    sigmoid_backward(s.span(), d_out.span(), d_s.span());

    const std::vector<double> x = in_double(host), gradient = in_double(host_gradient);
    const std::vector<double> rounded = s.read_double();
    std::vector<double> rectified, rectified_gradient, squashed, squashed_gradient;
    for (std::size_t i = 0; i < size; ++i) {
      rectified.push_back(x[i] > 0 ? x[i] : 0);
      rectified_gradient.push_back(x[i] > 0 ? gradient[i] : 0);
      squashed.push_back(logistic(x[i]));
      squashed_gradient.push_back(gradient[i] * rounded[i] * (1 - rounded[i]));
    }
    check_near(out.read_double(), rectified, 0, 0);
    check_near(d_in.read_double(), rectified_gradient, 0, 0);
    check_near(rounded, squashed, u + 4e-7, 0);
    check_near(d_s.read_double(), squashed_gradient, u + 4e-7, Precision<T>::underflow + 1e-7);
    CHECK(same_bytes(in.read(), host));
    CHECK(same_bytes(d_out.read(), host_gradient));

    relu(in.span(), in.span());
    sigmoid_backward(s.span(), d_out.span(), d_out.span());
    CHECK(same_bytes(in.read(), out.read()));
    CHECK(same_bytes(d_out.read(), d_s.read()));
  }
}

TEST_CASE("sigmoid's gradient agrees with central differences") {
  const std::vector<float> host = random_vector<float>(100, 3, -6, 6);
  const GuardedVector<float> in(host), out(host.size()), d_in(host.size()),
      d_out(std::vector<float>(host.size(), 1.0f));
  sigmoid(in.span(), out.span());
  sigmoid_backward(out.span(), d_out.span(), d_in.span());
  std::vector<double> x = in_double(host);
  const auto slopes = central_differences(x, [&] {
    double sum = 0;
    for (const double value : x) sum += logistic(value);
    return sum;
  });
  check_near(d_in.read_double(), slopes, 1e-5, 1e-7);
}

TEST_CASE("sigmoid reaches 0 and 1 without NaN, and passes a NaN on") {
  const GuardedVector<float> in(std::vector<float>{-1000, 1000, -kInfinity, kInfinity, NAN}),
      out(std::size_t{5});
  sigmoid(in.span(), out.span());
  const auto got = out.read();
  CHECK(got[0] == 0.0f);
  CHECK(got[1] == 1.0f);
  CHECK(got[2] == 0.0f);
  CHECK(got[3] == 1.0f);
  CHECK(std::isnan(got[4]));
}

TEST_CASE_TEMPLATE("conversion rounds to nearest, and back loses nothing", T, __half, __nv_bfloat16,
                   Tf32) {
  for (const std::size_t size : kSizes) {
    const std::vector<float> host = random_vector<float>(size, 4, -300, 300);
    const GuardedVector<float> in(host), back(size);
    const GuardedVector<T> narrow(size);
    convert(in.span(), narrow.span());
    convert(narrow.span(), back.span());
    const std::vector<double> rounded = narrow.read_double();
    check_near(rounded, in_double(host), Precision<T>::rounding, Precision<T>::underflow);
    check_near(back.read_double(), rounded, 0, 0);
    CHECK(same_bytes(in.read(), host));
  }
}

TEST_CASE("conversion of what half cannot hold, of ties, and of NaN") {
  const GuardedVector<float> in(
      std::vector<float>{65504, 65520, -1e30f, 1e-9f, 2049, 2051, NAN, 0x1p-24f});
  const GuardedVector<__half> out(std::size_t{8});
  convert(in.span(), out.span());
  const std::vector<double> got = out.read_double();
  CHECK(got[0] == 65504);
  CHECK(got[1] == kInfinity);
  CHECK(got[2] == -kInfinity);
  CHECK(got[3] == 0);
  CHECK(got[4] == 2048);  // halfway: to even
  CHECK(got[5] == 2052);
  CHECK(std::isnan(got[6]));
  CHECK(got[7] == 0x1p-24);  // the smallest of all
}

TEST_CASE("the layers refuse vectors of different lengths, and empty ones") {
  const GuardedVector<float> memory(std::size_t{8});
  const GuardedVector<__half> narrow(std::size_t{8});
  float* data = memory.data();
  CHECK_THROWS_AS(sigmoid({data, 3}, {data, 4}), std::invalid_argument);
  CHECK_THROWS_AS(sigmoid({data, 0}, {data, 0}), std::invalid_argument);
  CHECK_THROWS_AS(sigmoid_backward({data, 3}, {data, 3}, {data, 2}), std::invalid_argument);
  CHECK_THROWS_AS(convert({data, 3}, {narrow.data(), 2}), std::invalid_argument);
  CHECK_THROWS_AS(relu({data, 3}, {static_cast<float*>(nullptr), 3}), std::invalid_argument);
}

}  // namespace tut::ch14::test
