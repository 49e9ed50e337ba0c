#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tut/device_case.hpp"
#include "tut/random.hpp"

namespace tut::ch06 {

/// Lengths around blocks of 256 and warps, primes, 1.
inline const std::vector<int>& lengths() {
  static const std::vector<int> values = {256, 257, 255, 512, 513, 1009, 33, 31, 2, 1};
  return values;
}

/// The first failure of `check(length)` over all lengths: after an illegal access all else fails
/// too.
inline Outcome for_each_length(const std::function<Outcome(int)>& check) {
  for (const int n : lengths()) {
    Outcome outcome = check(n);
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// A vector in memory: with guard zones, or in memory that ends where the vector does.
template <class T>
Guarded<T> vector_image(const std::vector<T>& values, bool guarded) {
  const auto size = static_cast<int>(values.size());
  Guarded<T> image(1, size, size, guarded ? 1024 : 0);
  std::ranges::copy(values, image.view().data);
  return image;
}

/// A vector that nothing has been written to.
template <class T>
Guarded<T> empty_image(int size, bool guarded) {
  return Guarded<T>(1, size, size, guarded ? 1024 : 0);
}

inline std::vector<float> random_values(int n, std::uint64_t seed) {
  std::vector<float> values(static_cast<std::size_t>(n));
  fill_uniform(values, seed);
  return values;
}

/// What is wrong with `out`, if anything: element i must be `expected(i)` to within `bound(i)`, and
/// what lies around it what it was. `probe`: CompareOptions::probe.
template <class T>
Outcome vector_is(
    const Guarded<T>& before, const Guarded<T>& out, const std::string& name,
    const std::string& text, const std::function<double(int)>& expected,
    const std::function<double(int)>& bound = [](int) { return 0.0; },
    const std::function<std::string()>& probe = {}) {
  const auto row = [&](const std::function<double(int)>& element) {
    return make_matrix<double>(1, out.cols(), [&](int, int c) { return element(c); });
  };
  CompareOptions options{.name = name, .shape = text, .is_vector = true, .pattern = {}};
  options.probe = probe;
  return first_failure({compare(out.cview(), row(expected), row(bound), options),
                        only_inside_changed(before, out, name, text, true)});
}

/// The allowed error of a float sum of `count` terms, whose absolute values come to `magnitude`.
inline double sum_bound(int count, double magnitude) {
  return (4.0 + 2.0 * std::sqrt(count)) * Precision<float>::rounding * magnitude;
}

}  // namespace tut::ch06
