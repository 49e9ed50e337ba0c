#pragma once

#include <cmath>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "guarded_device.hpp"
#include "tut/device_case.hpp"
#include "tut/outcome.hpp"
#include "tut/precision_cuda.hpp"
#include "tut/random.hpp"

/// What the exercises' tests of the chapter share: a tensor is a matrix with a row for each of its
/// planes' rows, in memory between guard zones or exactly as long as it is.
namespace tut::ch13 {

enum class Fill {
  uniform,   ///< in [-1, 1): judged by the error bound
  integers,  ///< small: sums are exact in any order
  one_hot,   ///< all 0 but one element, for inputs: a swapped index puts it elsewhere
};

struct Setting {
  Fill fill = Fill::uniform;
  bool dense = false;  ///< memory that ends where the tensor does
};

inline constexpr std::initializer_list<Setting> all_settings{
    {Fill::uniform, false}, {Fill::uniform, true}, {Fill::integers, false}, {Fill::one_hot, true}};

/// Expects that all is well in every setting. Of failures of one kind only the first is reported:
/// the other settings have the same shape, and mostly the same to say.
template <class OutcomeOf>
void expect_in_all_settings(const OutcomeOf& outcome_of,
                            const SourceLocation& where = SourceLocation::current()) {
  std::set<std::string> reported;
  for (const Setting& setting : all_settings) {
    const Outcome found = outcome_of(setting);
    if (found.ok || reported.insert(found.kind).second) expect(found, where);
  }
}

/// Memory for a tensor of rows x cols; an output, still unwritten.
template <class T>
Guarded<T> tensor(int rows, int cols, const Setting& setting) {
  return Guarded<T>(rows, cols, cols, setting.dense ? 0 : 4096);
}

/// An input. `is_image`: the tensor that a one-hot case has its one in; the others get integers.
template <class T>
Guarded<T> filled(int rows, int cols, const Setting& setting, std::uint64_t seed,
                  bool is_image = false) {
  Guarded<T> image = tensor<T>(rows, cols, setting);
  HostMatrix<T> values(rows, cols);
  if (setting.fill == Fill::uniform) {
    fill_uniform(values, seed);
  } else if (setting.fill == Fill::integers || !is_image) {
    fill_small_integers(values, seed, 3);
  } else {
    values.fill(from_float<T>(0.0f));
    const auto size = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols);
    values.span()[random_bits(seed, size) % size] = from_float<T>(1.0f);
  }
  image.set(values);
  return image;
}

/// Element `index` of the tensor, in double.
template <class T>
double at(const Guarded<T>& image, std::int64_t index) {
  return to_double(image.cview().data[index]);
}

/// Compares the output with its sums, in memory's order, and looks that nothing beside it changed.
/// `accumulation` is 2^-24 on CUDA cores and 2^-23 in tensor cores; `probe`: CompareOptions::probe.
template <class T>
Outcome sums_outcome(const Guarded<T>& before, const Guarded<T>& after,
                     const std::vector<test::Sum>& sums, const Setting& setting,
                     const std::string& text, double accumulation = 0x1p-24,
                     const std::function<std::string()>& probe = {}) {
  HostMatrix<double> expected(after.rows(), after.cols()), bound(after.rows(), after.cols());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const test::Sum& sum = sums[i];
    expected.span()[i] = sum.value;
    double& limit = bound.span()[i];
    limit = (sizeof(T) < 4 ? Precision<T>::rounding : 0) * std::abs(sum.value);
    if (setting.fill != Fill::uniform) continue;
    limit += 2 * std::sqrt(sum.terms) * accumulation * sum.magnitude +
             accumulation * std::abs(sum.value) + Precision<T>::underflow;
  }
  CompareOptions options{.name = "out", .shape = text, .pattern = {}};
  options.probe = probe;
  return first_failure({compare(after.cview(), expected, bound, options),
                        only_inside_changed(before, after, "out", text)});
}

}  // namespace tut::ch13
