#include "tut/compare/lower_precision.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "tut/compare/compare.hpp"
#include "tut/matrix/host_matrix.hpp"

namespace tut {
namespace {

constexpr std::array kPrecisions = {53, 24, 11, 8, 4, 3, 2};

std::string precision_text(SignificantBits bits) {
  const std::string count = std::to_string(bits.count);
  return bits.of_integer ? "an integer of " + count + " bits" : count + " significant bits";
}

std::string shown_name(const std::string& name) { return name.empty() ? "values" : name; }

std::string times_text(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2g", value);
  return text;
}

}  // namespace

int next_lower(SignificantBits bits) {
  if (bits.of_integer) return bits.count >= 64 ? 24 : bits.count >= 32 ? 11 : bits.count / 4;
  const auto* const lower =
      std::ranges::find_if(kPrecisions, [&](int count) { return count < bits.count; });
  return lower == kPrecisions.end() ? 1 : *lower;
}

double round_to_bits(double value, int bits) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

LowerPrecisionTrial::Result& LowerPrecisionTrial::result(const std::string& name,
                                                         SignificantBits bits) {
  const auto known = std::ranges::find_if(
      results_, [&](const Result& r) { return r.name == name && r.bits == bits; });
  return known != results_.end() ? *known : results_.emplace_back(Result{name, bits, {}, {}});
}

void LowerPrecisionTrial::note(const std::string& name, SignificantBits bits,
                               const HostMatrix<double>& got, const HostMatrix<double>& expected,
                               const HostMatrix<double>& bound) {
  Result& found = result(name, bits);
  bool tolerant = false, tolerant_notices = false, exact = false, exact_notices = false;
  for (int r = 0; r < got.rows(); ++r) {
    for (int c = 0; c < got.cols(); ++c) {
      const double lower = round_to_bits(got(r, c), next_lower(bits)), allowed = bound(r, c);
      const bool changes = lower != got(r, c) && std::isfinite(got(r, c));
      if (allowed == 0) {
        exact = true;
        exact_notices = exact_notices || changes;
      } else if (changes) {
        tolerant = true;
        tolerant_notices = tolerant_notices || !is_right(lower, false, expected(r, c), allowed);
        found.used = std::max(found.used, std::abs(lower - expected(r, c)) / allowed);
      }
    }
  }
  if (tolerant) found.tolerant.add(tolerant_notices);
  if (exact) found.exact.add(exact_notices);
}

void LowerPrecisionTrial::note_exact(const std::string& name, SignificantBits bits, bool notices) {
  result(name, bits).exact.add(notices);
}

Outcome LowerPrecisionTrial::outcome() const {
  std::string text;
  for (const Result& r : results_) {
    const bool is_noticed = std::ranges::any_of(results_, [&](const Result& other) {
      return other.bits == r.bits && other.tolerant.notice + other.exact.notice > 0;
    });
    const std::string rounded = shown_name(r.name) + ": " + precision_text(r.bits) +
                                " rounded to " + std::to_string(next_lower(r.bits)) + " pass ";
    if (r.tolerant.made > 0 && r.tolerant.notice == 0) {
      text += rounded + "each of " + std::to_string(r.tolerant.made) +
              " comparisons with a tolerance, with errors up to " + times_text(r.used) +
              " of what is allowed: narrow the tolerance\n";
    } else if (!is_noticed) {
      text += rounded + "each comparison, since it changes no value: use values that it changes\n";
    }
  }
  if (!text.empty()) return failure("tolerance", text);
  if (!results_.empty()) return {};
  return failure("tolerance",
                 "no comparison by tut::compare or tut::is_right shows that the next lower "
                 "precision fails: compare the results by one of them");
}

std::string LowerPrecisionTrial::summary() const {
  std::string text;
  const auto share = [](const Comparisons& of) {
    return std::to_string(of.notice) + " of " + std::to_string(of.made);
  };
  for (const Result& r : results_) {
    text += "lower precision: " + shown_name(r.name) + ": " + precision_text(r.bits) +
            " rounded to " + std::to_string(next_lower(r.bits)) + " fail " + share(r.tolerant) +
            " comparisons with a tolerance (up to " + times_text(r.used) +
            " of what is allowed), " + share(r.exact) + " exact ones\n";
  }
  return text;
}

LowerPrecisionTrial& lower_precision_trial() {
  static LowerPrecisionTrial trial;
  return trial;
}

void note_right_value(SignificantBits bits, double got, double expected, double bound) {
  const auto single = [](double value) {
    return make_matrix<double>(1, 1, [&](int, int) { return value; });
  };
  lower_precision_trial().note("", bits, single(got), single(expected), single(bound));
}

}  // namespace tut
