#include "tut/compare/probe.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace tut {
namespace {

using Values = Probe::Values;

constexpr int M = 3, N = 4, K = 5;

/// y = x W^T; `weight(j, k)` is where W's element is taken from.
template <class Place>
Probe::Function product(Place weight) {
  return [=](const std::vector<Values>& in) {
    Values y(M * N, 0.0);
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) {
        for (int k = 0; k < K; ++k) {
          y[static_cast<std::size_t>(i * N + j)] += in[0][static_cast<std::size_t>(i * K + k)] *
                                                    in[1][static_cast<std::size_t>(weight(j, k))];
        }
      }
    }
    return y;
  };
}

int as_stored(int j, int k) { return j * K + k; }

Probe product_probe(const Probe::Function& run) {
  return {{{"x", {M, K}}, {"w", {N, K}}}, {"y", {M, N}}, run, product(as_stored)};
}

/// Sums along rows, or whatever `place` says.
template <class Place>
Probe sums_probe(Place place) {
  const auto sums = [](auto where) {
    return [=](const std::vector<Values>& in) {
      Values out(3, 0.0);
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          out[static_cast<std::size_t>(where(r, c))] += in[0][static_cast<std::size_t>(r * 3 + c)];
        }
      }
      return out;
    };
  };
  return {{{"x", {3, 3}}}, {"sums", {3}}, sums(place), sums([](int r, int) { return r; })};
}

}  // namespace

TEST_CASE("probe_one_hot finds nothing in what is right, or throws") {
  CHECK(probe_one_hot(product_probe(product(as_stored))).empty());
  CHECK(probe_one_hot(sums_probe([](int r, int) { return r; })).empty());
  CHECK(probe_one_hot(product_probe([](const std::vector<Values>&) -> Values {
          throw std::runtime_error("no");
        })).empty());
}

TEST_CASE("probe_one_hot names the element that is used and the one that should be") {
  const auto neighbour = product([](int j, int k) { return (j + 1) % N * K + k; });
  CHECK(probe_one_hot(product_probe(neighbour)) ==
        "y(0, 0) takes x(0, 0) times w(1, 0), expected times w(0, 0)");
  const auto transposed = product([](int j, int k) { return (k * N + j) % (N * K); });
  CHECK(probe_one_hot(product_probe(transposed)) ==
        "y(0, 1) takes x(0, 0) times w(0, 1), expected times w(1, 0)");
}

TEST_CASE("probe_one_hot takes no sum of elements for another element") {
  // Each y(i, j) has w(j, 0) + w(j, 1) in place of one weight: 1 + 2 is the third one's number.
  const auto summed = [](const std::vector<Values>& in) {
    Values y = product([](int j, int) { return j * K; })(in);
    const Values more = product([](int j, int) { return j * K + 1; })(in);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += more[i];
    return y;
  };
  CHECK(probe_one_hot(product_probe(summed)).find(" takes ") == std::string::npos);
}

TEST_CASE("probe_one_hot names the output that an element goes to") {
  CHECK(probe_one_hot(sums_probe([](int, int c) { return c; })) ==
        "x(0, 1) goes to sums(1), expected to sums(0)");
  CHECK(probe_one_hot(sums_probe([](int r, int c) { return c == 0 ? 0 : r; })).starts_with("x("));
}

TEST_CASE("probe_one_hot says where nothing comes, and where too much does") {
  Probe probe = sums_probe([](int r, int) { return r; });
  probe.run = [](const std::vector<Values>&) { return Values(3, 0.0); };
  CHECK(probe_one_hot(probe) == "x(0, 0) goes nowhere, expected to sums(0)");
  probe.run = [](const std::vector<Values>&) { return Values(3, 1.0); };
  CHECK(probe_one_hot(probe) == "x(0, 0) goes to sums(0), sums(1) and 1 more, expected to sums(0)");
}

}  // namespace tut
