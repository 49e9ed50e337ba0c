/// \file
/// Whether a test's tolerances are narrow enough. A tolerance is right only if a result of the next
/// lower precision fails it. Where limits are on trial (tries_limits), each comparison of a right
/// result is made once more, with the result rounded to the next lower precision. No test case
/// fails or passes for that; at the end the program fails, by the kind "tolerance", if there is a
/// result of which no comparison notices.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tut/matrix/host_matrix.hpp"
#include "tut/numeric/precision.hpp"
#include "tut/testing/outcome.hpp"

namespace tut {

/// A precision in significant bits, or an integer of so many bits.
struct SignificantBits {
  int count = 0;
  bool of_integer = false;
  bool operator==(const SignificantBits&) const = default;
};

/// Those of T: 24 of float, 11 of half, an integer's size.
template <class T>
SignificantBits significant_bits() {
  if constexpr (Precision<T>::rounding > 0) {
    return {-std::ilogb(Precision<T>::rounding), false};
  } else {
    return {8 * static_cast<int>(sizeof(T)), true};
  }
}

/// The significant bits of the next lower precision: of double float's 24; of float the 11 of half
/// and TF32; of half the 8 of bfloat16; of bfloat16 the 4 of E4M3; of E4M3 the 3 of E5M2. Of an
/// integer those of a floating-point number of half its size, in which somebody may count: 11 of
/// 32 bits.
int next_lower(SignificantBits bits);

/// The value rounded to nearest even at so many significant bits, at any exponent.
double round_to_bits(double value, int bits);

/// What the comparisons of a program's results notice.
class LowerPrecisionTrial {
 public:
  /// Notes a comparison of a right result, which failures would call `name`, or "": all are of one
  /// shape. Elements with a bound of 0 are compared exactly, others with a tolerance.
  void note(const std::string& name, SignificantBits bits, const HostMatrix<double>& got,
            const HostMatrix<double>& expected, const HostMatrix<double>& bound);

  /// The same of a comparison that a test makes in its own way, exactly.
  void note_exact(const std::string& name, SignificantBits bits, bool notices);

  /// Fails if no result was compared; if there is one whose rounding, where it changes an element
  /// with a tolerance, no comparison notices; or if no comparison of a type notices anything,
  /// as where all values are small.
  Outcome outcome() const;
  /// A line for each result: how many of its comparisons notice.
  std::string summary() const;

 private:
  struct Comparisons {
    std::int64_t made = 0, notice = 0;
    void add(bool noticed) { ++made, notice += noticed ? 1 : 0; }
  };
  struct Result {
    std::string name;
    SignificantBits bits;
    Comparisons exact, tolerant;  // of the latter those that rounding changes
    double used = 0;  // the largest error after rounding, in units of what is allowed there
  };
  Result& result(const std::string& name, SignificantBits bits);

  std::vector<Result> results_;
};

/// Of this program's comparisons.
LowerPrecisionTrial& lower_precision_trial();

/// Notes the comparison of a right value in this program's trial.
void note_right_value(SignificantBits bits, double got, double expected, double bound);

/// The value as T at the next lower precision; of an integer the largest where it would be larger.
template <class T>
T at_next_lower(const T& value) {
  const double lower = round_to_bits(to_double(value), next_lower(significant_bits<T>()));
  if constexpr (std::is_integral_v<T>) {
    constexpr T kLargest = std::numeric_limits<T>::max();
    return lower >= static_cast<double>(kLargest) ? kLargest : static_cast<T>(lower);
  } else if constexpr (std::is_same_v<T, double>) {
    return lower;
  } else {
    return from_float<T>(static_cast<float>(lower));
  }
}

/// Where limits are on trial: notes a comparison that a test makes in its own way, and that these
/// elements pass. `passes(span of elements)` makes it of others.
template <class T, class Passes>
void try_own_comparison(const std::string& name, std::span<const T> right, const Passes& passes) {
  if (!tries_limits()) return;
  std::vector<T> lower;
  lower.reserve(right.size());
  for (const T& value : right) lower.push_back(at_next_lower(value));
  lower_precision_trial().note_exact(name, significant_bits<T>(),
                                     !passes(std::span<const T>(lower)));
}

}  // namespace tut
