#include "01_naive_matmul/dot_compensated.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "01_naive_matmul/summation.hpp"
#include "tut/compare/compare.hpp"
#include "tut/numeric/random.hpp"
#include "tut/trial/call_outcome.hpp"
#include "tut/trial/page_end.hpp"
#include "tut/trial/spoil_stack.hpp"

namespace tut::ch01 {
namespace {

struct Vectors {
  std::vector<float> x, y;
  double dot = 0, magnitude = 0;  // x . y and |x| . |y|, in double
};

void append(Vectors& v, float x, float y) {
  v.x.push_back(x);
  v.y.push_back(y);
}

// `pairs` random products, each followed later by its opposite, and a few small ones that are all
// that remains: condition is about |x| . |y| / |x . y|.
Vectors cancelling_vectors(int pairs, float remainder) {
  Vectors v;
  for (int i = 0; i < pairs; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    append(v, random_uniform(1, index), random_uniform(2, index));
  }
  for (int i = 0; i < 8; ++i) {
    append(v, remainder * random_uniform(3, static_cast<std::uint64_t>(i), 0.5f, 1), 1.0f);
  }
  for (int i = pairs - 1; i >= 0; --i)
    append(v, -v.x[static_cast<std::size_t>(i)], v.y[static_cast<std::size_t>(i)]);
  for (std::size_t i = 0; i < v.x.size(); ++i) {
    // Products of floats are exact in double.
    v.magnitude += std::abs(double{v.x[i]} * v.y[i]);
  }
  for (std::size_t i = static_cast<std::size_t>(pairs); i < static_cast<std::size_t>(pairs) + 8;
       ++i) {
    v.dot += double{v.x[i]} * v.y[i];
  }
  return v;
}

// Pairs x, y whose product rounds, beside the rounded product times -1: what remains is nothing but
// the rounding errors of the products, which a sum, however exact, never sees.
Vectors rounding_vectors(int pairs, float x_unit = 1, float y_unit = 1) {
  Vectors v;
  for (int i = 0; i < pairs; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const float x = x_unit * random_uniform(4, index, 1, 2);
    const float y = y_unit * random_uniform(5, index, 1, 2);
    append(v, x, y);
    append(v, -(x * y), 1.0f);
  }
  for (std::size_t i = 0; i < v.x.size(); ++i) {
    v.dot += double{v.x[i]} * v.y[i];
    v.magnitude += std::abs(double{v.x[i]} * v.y[i]);
  }
  return v;
}

double bound(const Vectors& v) {
  const double u = 0x1p-24, n = static_cast<double>(v.x.size());
  return 2 * u * std::abs(v.dot) + n * n * u * u * v.magnitude;
}

// Vectors that end where their memory ends.
float dot_at_page_end(const Vectors& v) {
  const int size = static_cast<int>(v.x.size());
  const PageEndMatrix<float> x({v.x.data(), 1, size, size}), y({v.y.data(), 1, size, size});
  spoil_stack();
  const float dot = dot_compensated({x.view().data, v.x.size()}, {y.view().data, v.y.size()});
  expect(outcome_of_call(std::to_string(size) + " elements", [&] {
    x.refuse_use_past_end("x");
    y.refuse_use_past_end("y");
  }));
  return dot;
}

void expect_dot(const Vectors& v, const std::string& what) {
  const float got = dot_at_page_end(v);
  if (is_right(got, v.dot, bound(v))) {
    expect({});
    return;
  }
  char text[400];
  std::snprintf(
      text, sizeof text,
      "%s: got %s, expected %.9g within %.2g; the products are as large as %.3g in all%s",
      what.c_str(), value_text(got).c_str(), v.dot, bound(v), v.magnitude,
      std::isfinite(got) ? "" : ".\nNo input is infinite or NaN: something in between overflows.");
  expect(failure("values", text));
}

// Zeros but for 2^30, 63 and -2^30 in some order at three places: a float does not hold the sum of
// the first two. Whoever rounds the sum of some of the elements to one before the others are added,
// of a run of them or of every so many, or adds them up as if they were sorted, loses all of it.
Outcome apart_outcome(int middle, int last) {
  std::array<float, 3> values = {-0x1p30f, 63, 0x1p30f};
  const std::vector<float> ones(static_cast<std::size_t>(last) + 1, 1.0f);
  do {
    Vectors v{std::vector<float>(ones.size(), 0.0f), ones, 63, 0x1p31};
    v.x.front() = values[0];
    v.x[static_cast<std::size_t>(middle)] = values[1];
    v.x.back() = values[2];
    if (const float got = dot_compensated(v.x, v.y); !is_right(got, v.dot, bound(v))) {
      char text[200];
      std::snprintf(text, sizeof text,
                    "n = %d, x has %.0f, %.0f and %.0f at 0, %d and %d, else 0, y is 1: got %s, "
                    "expected 63 within %.2g",
                    last + 1, values[0], values[1], values[2], middle, last,
                    value_text(got).c_str(), bound(v));
      return failure("values", text);
    }
  } while (std::ranges::next_permutation(values).found);
  return {};
}

float dot_in_order(const Vectors& v) {
  float sum = 0;
  for (std::size_t i = 0; i < v.x.size(); ++i) sum += v.x[i] * v.y[i];
  return sum;
}

float dot_of_rounded_products(const Vectors& v) {
  std::vector<float> products;
  for (std::size_t i = 0; i < v.x.size(); ++i) products.push_back(v.x[i] * v.y[i]);
  return sum_compensated(products);
}

}  // namespace

TEST_CASE("dot_compensated is exact on short vectors") {
  const std::vector<float> x = {1, 2, 3}, y = {4, -5, 6};
  CHECK(dot_compensated(x, y) == 12.0f);
  CHECK(dot_compensated({}, {}) == 0.0f);
  CHECK(dot_compensated(std::span(x).first(1), std::span(y).first(1)) == 4.0f);
}

TEST_CASE("dot_compensated survives cancellation") {
  for (const int pairs : {50, 500}) {
    expect_dot(cancelling_vectors(pairs, 1e-3f), "products that cancel");
    expect_dot(cancelling_vectors(pairs, 1e-5f), "products that cancel");
  }
}

TEST_CASE("dot_compensated keeps the rounding errors of the products") {
  for (const int pairs : {1, 3, 100, 1000}) {
    expect_dot(rounding_vectors(pairs), "a sum of rounding errors");
  }
}

TEST_CASE("dot_compensated of long vectors, and of large and small values") {
  expect_dot(cancelling_vectors(70000, 1e-3f), "140008 products that cancel");
  expect_dot(rounding_vectors(100, 0x1p60f, 0x1p40f), "rounding errors of large products");
  expect_dot(rounding_vectors(100, 0x1p-60f, 0x1p30f), "rounding errors of small products");
  expect_dot(rounding_vectors(100, 0x1p-60f, 0x1p-41f), "rounding errors of the least products");
  expect_dot(rounding_vectors(100, 0x1p120f, 0x1p-100f), "rounding errors of large times small");
}

TEST_CASE("dot_compensated keeps every part of the sum to more than a float, however long it is") {
  Outcome outcome;
  const auto add = [&](int middle, int last) {
    if (outcome.ok) outcome = apart_outcome(middle, last);
  };
  for (int apart = 1; apart <= 1030; ++apart) {
    add(1, apart + 1);
    add(apart, apart + 1);
  }
  // Longer vectors may lose 63 beside 2^30: n^2 u^2 |x| . |y| is as much.
  for (const int last : {2049, 2799}) {
    add(1, last);
    add(last - 1, last);
  }
  expect(outcome);
}

TEST_CASE("plain summation and summing rounded products cannot pass") {
  const Vectors cancelling = cancelling_vectors(500, 1e-5f), rounding = rounding_vectors(100);
  CHECK(std::abs(dot_in_order(cancelling) - cancelling.dot) > bound(cancelling));
  CHECK(std::abs(dot_of_rounded_products(rounding) - rounding.dot) > bound(rounding));
}

TEST_CASE("dot_compensated refuses vectors of different lengths") {
  const std::vector<float> x = {1, 2, 3}, y = {4, 5};
  CHECK_THROWS_AS(dot_compensated(x, y), std::invalid_argument);
  CHECK_THROWS_AS(dot_compensated(y, x), std::invalid_argument);
  CHECK_THROWS_AS(dot_compensated({}, x), std::invalid_argument);
}

}  // namespace tut::ch01
