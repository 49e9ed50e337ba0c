// Two threads, a vector of their sums, and words for whoever watches.
#include "01_naive_matmul/dot_compensated.hpp"

#include <cassert>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

static double part(std::span<const float> x, std::span<const float> y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0, std::plus<>(),
                            [](double a, double b) { return a * b; });
}

float tut::ch01::dot_compensated(std::span<const float> x, std::span<const float> y) {
  if (x.size() != y.size()) throw std::invalid_argument("x and y differ in length");
  std::vector<double> sums(2, 0.0);
  const std::size_t half = x.size() / 2;
  assert(half <= x.size());
  std::thread first([&] { sums[0] = part(x.first(half), y.first(half)); });
  std::thread second([&] { sums[1] = part(x.subspan(half), y.subspan(half)); });
  first.join();
  second.join();
  if (x.size() == 1) {
    printf("%zu element\n", x.size());
    std::cerr << "sums: " << sums[0] << " and " << sums[1] << '\n';
  }
  return static_cast<float>(sums[0] + sums[1]);
}
