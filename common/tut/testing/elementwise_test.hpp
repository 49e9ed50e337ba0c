#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tut/numeric/random.hpp"
#include "tut/trial/device_case.hpp"

namespace tut {

struct ElementwiseOptions {
  /// Lengths: no multiple of a block, around a block and a warp, a prime, 1. The first failure is
  /// the one that is shown: lengths that show more come first.
  std::vector<int> sizes = {1000, 257, 33, 4099, 256, 255, 32, 31, 2, 1};
  /// The allowed error of an element, relative to |reference| + sum of |inputs|; 0 demands the
  /// reference itself, rounded to T.
  double relative_error = 0x1p-22;
  /// The input that the output overwrites, say y of y = a x + y; -1 if there is none.
  int in_place = -1;
  /// The output's name in reports.
  std::string name = "out";
  CallRules rules = {};
  std::uint64_t seed = 1;
};

namespace detail {

template <class T>
Guarded<T> random_vector(int size, std::size_t guard, std::uint64_t seed) {
  Guarded<T> image(1, size, size, guard);
  for (int i = 0; i < size; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    image.view()(0, i) = std::is_integral_v<T> ? static_cast<T>(drawn_bits(seed, index) % 100)
                                               : from_float<T>(random_uniform(seed, index));
  }
  return image;
}

template <std::size_t Inputs, class T, class Launch, class Reference, std::size_t... I>
Outcome elementwise_case(Launch& launch, Reference& reference, int size, bool guarded,
                         const ElementwiseOptions& options, std::index_sequence<I...>) {
  const std::size_t guard = guarded ? 4096 : 0;
  const std::string text = std::to_string(size) + " elements";
  std::array<Guarded<T>, Inputs> inputs{random_vector<T>(size, guard, 100 * options.seed + I)...};
  const bool in_place = options.in_place >= 0;
  Guarded<T> out = in_place ? inputs[static_cast<std::size_t>(options.in_place)]
                            : Guarded<T>(1, size, size, guard);
  const auto inputs_before = inputs;
  const Guarded<T> out_before = out;
  const auto call = [&](cudaStream_t stream, auto output, auto... views) {
    const std::array<const T*, Inputs> pointers{views.data...};
    launch(pointers, output.data, size, stream);
  };
  Outcome run = run_on_device(options.rules, text, call, out, inputs[I]...);
  if (!run.ok) return run;

  HostMatrix<double> expected(1, size), bound(1, size);
  for (int i = 0; i < size; ++i) {
    const std::array<double, Inputs> values{to_double(inputs_before[I].cview()(0, i))...};
    expected(0, i) = reference(values);
    const double magnitude = (std::abs(expected(0, i)) + ... + std::abs(values[I]));
    bound(0, i) = options.relative_error * magnitude;
    if (options.relative_error == 0) expected(0, i) = to_double(static_cast<T>(expected(0, i)));
  }
  const CompareOptions comparison{
      .name = options.name, .shape = text, .is_vector = true, .pattern = {}};
  return first_failure(
      {compare(out.cview(), expected, bound, comparison),
       only_inside_changed(out_before, out, options.name, text, true),
       nothing_changed(inputs_before[I], inputs[I], "number " + std::to_string(I), text, true)...});
}

}  // namespace detail

/// Runs out[i] = reference(inputs of i) on device vectors of every length, once between guard zones
/// of NaN and once in memory that ends where the vector does.
///
/// `launch(std::array<const T*, Inputs>, T* out, int size, cudaStream_t)` starts the kernel;
/// `reference(std::array<double, Inputs>) -> double` is what an element must be.
template <std::size_t Inputs, class T = float, class Launch, class Reference>
Outcome elementwise_outcome(Launch&& launch, Reference&& reference,
                            const ElementwiseOptions& options = {}) {
  std::vector<int> sizes = options.sizes;
  if (environment_seed() != 0) {  // one more that nobody can have seen
    sizes.push_back(1 + static_cast<int>(drawn_bits(0, sizes.size()) % 3000));
  }
  for (const bool guarded : {true, false}) {
    for (const int size : sizes) {
      Outcome outcome = detail::elementwise_case<Inputs, T>(
          launch, reference, size, guarded, options, std::make_index_sequence<Inputs>());
      if (!outcome.ok) return outcome;
    }
  }
  return {};
}

/// The same, reported through doctest.
template <std::size_t Inputs, class T = float, class Launch, class Reference>
void test_elementwise(Launch&& launch, Reference&& reference,
                      const ElementwiseOptions& options = {},
                      const SourceLocation& where = SourceLocation::current()) {
  expect(elementwise_outcome<Inputs, T>(launch, reference, options), where);
}

}  // namespace tut
