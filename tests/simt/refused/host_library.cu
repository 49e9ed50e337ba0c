// What the standard library does on the host only, and what kernels may use of it.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <random>
#include <utility>

__global__ void library(float* out, int n, std::map<int, int>* unused) {
#ifndef MENDED
  std::map<int, int> seen{{n, 1}};                      // refused: std::map
  std::function<int(int)> f = [](int x) { return x; };  // refused: std::function
  std::mt19937 random(n);                               // refused: std::mt19937
  std::cout << random();                                // refused: std::cout
  std::stable_sort(out, out + n);                       // refused: std::stable_sort
#endif
  std::array<float, 3> values{1, 2, std::numeric_limits<float>::max()};
  out[0] = std::max(values[1], std::sqrt(out[1])) + std::min(n, 4) + std::abs(out[2]);
  std::swap(out[3], out[4]);
  std::sort(out, out + n);
  std::map<int, int>* none = unused;
  out[5] = none == nullptr;
}

int main() {
  std::map<int, int> seen;
  std::cout << seen.size() << '\n';
}
