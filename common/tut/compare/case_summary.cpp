#include "tut/compare/case_summary.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "tut/testing/outcome.hpp"

namespace tut {
namespace {

/// Beside so many wrong cases, or more, a single right one shows no rule.
constexpr std::ptrdiff_t kMany = 5;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The value of a parameter in one case.
std::optional<double> value_of(const CaseResult& result, const std::string& name) {
  const auto found = std::ranges::find(result.parameters, name, &CaseParameters::value_type::first);
  if (found == result.parameters.end()) return std::nullopt;
  return found->second;
}

/// A parameter's values where the cases are right and where they are wrong.
struct Values {
  std::vector<double> right, wrong;
};

/// Nothing if a wrong case, or every right one, lacks the parameter.
std::optional<Values> values_of(std::span<const CaseResult> results, const std::string& name) {
  Values values;
  for (const CaseResult& result : results) {
    const std::optional<double> value = value_of(result, name);
    if (value) {
      (result.ok ? values.right : values.wrong).push_back(*value);
    } else if (!result.ok) {
      return std::nullopt;
    }
  }
  if (values.right.empty()) return std::nullopt;
  return values;
}

/// "> 1", "= 0", "< 32", "is no multiple of 16": what the wrong values are and the right ones are
/// not. ">= 33 (right up to 7)": none was tried between.
std::string rule_of(const Values& values) {
  const auto [right_least, right_most] = std::ranges::minmax(values.right);
  const auto [wrong_least, wrong_most] = std::ranges::minmax(values.wrong);
  // 0 is a multiple of everything, and a share is a multiple of nothing.
  const auto counts = [](double value) { return value == std::floor(value); };
  const bool multiples = right_most > 0 && std::ranges::all_of(values.right, counts) &&
                         std::ranges::all_of(values.wrong, counts);
  for (int tile = 1024; multiples && tile > 1; tile /= 2) {
    const auto fits = [&](double value) { return std::fmod(value, tile) == 0; };
    if (std::ranges::all_of(values.right, fits) && std::ranges::none_of(values.wrong, fits)) {
      return "is no multiple of " + std::to_string(tile);
    }
  }
  if (wrong_least == wrong_most &&
      std::ranges::find(values.right, wrong_least) == values.right.end()) {
    return "= " + number_text(wrong_least);
  }
  const auto leaves_out_some = [&](double low, double high) {
    return counts(low) && counts(high) && high > low + 1;
  };
  if (wrong_least > right_most) {
    return leaves_out_some(right_most, wrong_least)
               ? ">= " + number_text(wrong_least) + " (right up to " + number_text(right_most) + ")"
               : "> " + number_text(right_most);
  }
  if (wrong_most < right_least) {
    return leaves_out_some(wrong_most, right_least)
               ? "<= " + number_text(wrong_most) + " (right from " + number_text(right_least) +
                     " on)"
               : "< " + number_text(right_least);
  }
  return "";
}

/// "4 bytes off an aligned place".
constexpr const char* kOffset = " off an aligned place";
bool is_offset(const std::string& name) { return name.ends_with(kOffset); }

/// A stride is as long as what it strides over, which says more.
void leave_out_strides(std::vector<std::string>& rules) {
  const auto is_stride = [](const std::string& rule) { return rule.starts_with("stride"); };
  if (!std::ranges::all_of(rules, is_stride)) std::erase_if(rules, is_stride);
}

/// Are the wrong cases all those of one test? Then a value that only they have may be an accident
/// of what that test takes.
bool is_all_of_one_test(std::span<const CaseResult> results) {
  const std::string& test = std::ranges::find(results, false, &CaseResult::ok)->test;
  return std::ranges::all_of(
      results, [&](const CaseResult& result) { return result.ok == (result.test != test); });
}

/// Are two parameters equal in each case that is right, above 1 in some, and different in each that
/// is wrong?
bool must_be_equal(std::span<const CaseResult> results, const std::string& a,
                   const std::string& b) {
  const bool is_trivial = std::ranges::none_of(results, [&](const CaseResult& result) {
    return result.ok && value_of(result, a).value_or(0) > 1;
  });
  return !is_trivial && std::ranges::all_of(results, [&](const CaseResult& result) {
    const auto first = value_of(result, a), second = value_of(result, b);
    return first && second && (*first == *second) == result.ok;
  });
}

/// What holds in each case that is wrong and in none that is right. Two parameters that tell them
/// apart are both said: the cases do not show which of them it is. Of one wrong case, or where more
/// parameters do, it would be an accident.
std::string rule_of(std::span<const CaseResult> results) {
  if (std::ranges::count(results, false, &CaseResult::ok) < 2) return "";
  const CaseParameters& names = std::ranges::find(results, false, &CaseResult::ok)->parameters;
  std::vector<std::string> rules, unequal;
  for (const auto& [name, value] : names) {
    const std::optional<Values> values = values_of(results, name);
    const std::string rule = values ? rule_of(*values) : "";
    if (rule.empty() || (rule.starts_with("= ") && is_all_of_one_test(results))) continue;
    // Where memory begins matters if it begins at an odd place.
    if (is_offset(name) && rule == "= 0") continue;
    rules.push_back(name + " " + rule);
  }
  leave_out_strides(rules);
  if (rules.size() > 2) return "";
  if (!rules.empty()) return rules[0] + (rules.size() > 1 ? " or " + rules[1] : "");
  // Beside many wrong cases two right ones whose sizes are equal may be so by chance.
  const auto right = std::ranges::count_if(results, &CaseResult::ok);
  if (right < 3 && std::ssize(results) - right > kMany) return "";
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      if (!must_be_equal(results, names[i].first, names[j].first)) continue;
      for (const std::size_t index : {i, j}) {
        if (std::ranges::find(unequal, names[index].first) == unequal.end()) {
          unequal.push_back(names[index].first);
        }
      }
    }
  }
  if (unequal.empty()) return "";
  if (unequal.size() == 2) return unequal[0] + " is not " + unequal[1];
  std::string list;
  for (const std::string& name : unequal) list += (list.empty() ? "" : ", ") + name;
  return "not all of " + list + " are equal";
}

/// Each text of a test once; a case is right if all with its text are.
std::vector<CaseResult> merged(std::span<const CaseResult> results) {
  std::vector<CaseResult> cases;
  for (const CaseResult& result : results) {
    const auto known = std::ranges::find_if(cases, [&](const CaseResult& other) {
      return other.text == result.text && other.test == result.test;
    });
    if (known == cases.end()) {
      cases.push_back(result);
    } else {
      known->ok = known->ok && result.ok;
    }
  }
  return cases;
}

/// Does a failure tell this case? Its text stands there whole.
bool tells(const std::string& shown, const std::string& text) {
  const std::string said = with_singulars(text);
  const std::size_t at = shown.find(said);
  return at != std::string::npos &&
         (at + said.size() == shown.size() || !is_word(shown[at + said.size()]));
}

/// The wrong case that a failure tells; the longest text, as "n = 3" stands in "n = 3, in place".
const CaseResult* told_case(std::span<const CaseResult> results, const std::string& shown) {
  const CaseResult* told = nullptr;
  for (const CaseResult& result : results) {
    const bool longer = told == nullptr || result.text.size() > told->text.size();
    if (!result.ok && longer && tells(shown, result.text)) told = &result;
  }
  return told;
}

/// The parts of a case's text, between commas.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(", ", begin)) != std::string::npos; begin = end + 2) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

bool has_part(const CaseResult& result, const std::string& part) {
  const std::vector<std::string> parts = parts_of(result.text);
  return std::ranges::find(parts, part) != parts.end();
}

bool is_zero(const std::string& part) {
  const CaseParameters parameters = parameters_of(part);
  return parameters.size() == 1 && parameters[0].second == 0;
}

/// What distinguishes a wrong case from other wrong ones: its text without the parts that all of
/// them and a right one share, if such a part is 0 ("0 bytes off an aligned place") or stands in
/// the failure that is told.
std::string short_text(std::span<const CaseResult> results, const CaseResult& which, bool is_told) {
  std::string text;
  for (const std::string& part : parts_of(which.text)) {
    const auto has = [&](const CaseResult& result) { return has_part(result, part); };
    const bool in_all_wrong = std::ranges::all_of(
        results, [&](const CaseResult& result) { return result.ok || has(result); });
    const bool in_right = std::ranges::any_of(
        results, [&](const CaseResult& result) { return result.ok && has(result); });
    if (in_all_wrong && in_right && (is_told || is_zero(part))) continue;
    text += (text.empty() ? "" : ", ") + part;
  }
  return text.empty() ? which.text : text;
}

/// "wrong: WHICH; WHICH; and 3 more"; "also wrong: ..." beside the one that is told.
std::string wrong_ones(std::span<const CaseResult> results, const CaseResult* told) {
  constexpr int most = 2;
  std::string list;
  int listed = 0;
  for (const CaseResult& result : results) {
    if (result.ok || &result == told || ++listed > most) continue;
    list += (list.empty() ? "" : "; ") + short_text(results, result, told != nullptr);
  }
  if (listed > most) list += "; and " + std::to_string(listed - most) + " more";
  return (told != nullptr ? "also wrong: " : "wrong: ") + list;
}

}  // namespace

namespace {

std::string& noted_case() {
  static std::string text;
  return text;
}

/// Reads a text from left to right. A number belongs to the word before it, or behind it.
class ParameterReader {
 public:
  explicit ParameterReader(const std::string& text) : text_(text) {}

  CaseParameters read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool negative = c == '-' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
      if (is_digit(c) || negative) {
        if (!read_product() && !read_shape()) read_number();
        name_.clear();
      } else if (is_word(c)) {
        // "images of 7x5": the images are meant. "strides 3 and 4": no name for the second.
        if (std::string word = read_word(); word != "of" && word != "and") name_ = std::move(word);
      } else {
        if (c == ',' || c == ';') name_.clear();
        ++at_;
      }
    }
    return std::move(parameters_);
  }

 private:
  static bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
  static bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

  std::string read_word() {
    const std::size_t begin = at_;
    // "warm-up" is one word.
    const auto joins = [&](std::size_t i) {
      return i + 1 < text_.size() && text_[i] == '-' && is_letter(text_[i - 1]) &&
             is_letter(text_[i + 1]);
    };
    while (at_ < text_.size() && (is_word(text_[at_]) || (at_ > begin && joins(at_)))) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  /// "64x48 * 48x32", "64x48 * (32x48)^T", "(48x64)^T * 48x32" from its first digit on.
  bool read_product() {
    int m = 0, k = 0, k_again = 0, n = 0, length = 0;
    const char* const from = text_.c_str() + at_;
    std::sscanf(from, "%dx%d * %dx%d%n", &m, &k, &k_again, &n, &length);
    if (length == 0) std::sscanf(from, "%dx%d * (%dx%d)^T%n", &m, &k, &n, &k_again, &length);
    if (length == 0) std::sscanf(from, "%dx%d)^T * %dx%d%n", &k, &m, &k_again, &n, &length);
    if (length == 0) return false;
    for (const auto& [name, size] : {std::pair{"M", m}, {"K", k}, {"N", n}}) {
      parameters_.emplace_back(name, size);
    }
    at_ += static_cast<std::size_t>(length);
    return true;
  }
  /// "64x48".
  bool read_shape() {
    int rows = 0, cols = 0, length = 0;
    if (std::sscanf(text_.c_str() + at_, "%dx%d%n", &rows, &cols, &length) != 2) return false;
    const std::string prefix = name_.empty() ? "" : name_ + ".";
    parameters_.emplace_back(prefix + "rows", rows);
    parameters_.emplace_back(prefix + "columns", cols);
    at_ += static_cast<std::size_t>(length);
    return true;
  }
  void read_number() {
    char* end = nullptr;
    const double value = std::strtod(text_.c_str() + at_, &end);
    at_ = static_cast<std::size_t>(end - text_.c_str());
    if (name_.empty()) {  // "7 elements"
      while (at_ < text_.size() && text_[at_] == ' ') ++at_;
      name_ = read_word();
      if (text_.compare(at_, std::strlen(kOffset), kOffset) == 0) name_ += kOffset;
    }
    if (!name_.empty() && name_ != "and") parameters_.emplace_back(name_, value);
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::string name_;
  CaseParameters parameters_;
};

}  // namespace

std::string number_text(double value) {
  char text[32];
  const bool whole = value == std::floor(value) && std::abs(value) < 0x1p53;
  std::snprintf(text, sizeof(text), whole ? "%.0f" : "%g", value);
  return text;
}

CaseParameters parameters_of(const std::string& text) { return ParameterReader(text).read(); }

void note_case(const std::string& text) { noted_case() = text; }

std::string take_case() { return std::exchange(noted_case(), {}); }

std::string summary_of_cases(std::span<const CaseResult> results, const std::string& cases,
                             const std::string& shown) {
  const std::vector<CaseResult> all = merged(results);
  const auto right = std::ranges::count_if(all, &CaseResult::ok);
  const auto count = static_cast<std::ptrdiff_t>(all.size());
  if (count < 2 || right == count) return "";
  std::string head =
      "right on " + std::to_string(right) + " of " + std::to_string(count) + " " + cases;
  if (right == 0) return head;
  if (right == 1 && count > kMany) {
    return with_singulars(head + ": " + std::ranges::find(all, true, &CaseResult::ok)->text);
  }
  if (const std::string rule = rule_of(all); !rule.empty())
    return head + "; wrong whenever " + rule;
  head += "; ";
  const auto wrong = count - right;
  if (wrong > 1 && is_all_of_one_test(all)) {
    return head + "wrong: all " + std::to_string(wrong) + " of this test";
  }
  const CaseResult* const told = told_case(all, shown);
  if (wrong == 1 && told != nullptr) return head + "wrong: this one";
  return with_singulars(head + wrong_ones(all, told));
}

}  // namespace tut
