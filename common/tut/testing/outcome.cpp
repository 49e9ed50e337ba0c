#include "tut/testing/outcome.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <utility>

#include "tut/numeric/precision.hpp"

namespace tut {

std::string with_singulars(const std::string& text) {
  static const std::regex one_of_many(
      "(^|[^0-9A-Za-z_.,-])1 "
      "(barrier|batch|block|byte|case|channel|class|column|element|image|launch|parameter|pixel|"
      "row|slice|step|thread|time)(?:es|s)\\b");
  return std::regex_replace(text, one_of_many, "$011 $2");
}

Outcome failure(std::string kind, std::string text) {
  text = with_singulars(text);
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += "kind: " + kind;
  return {false, std::move(kind), std::move(text)};
}

namespace {
constinit int failures = 0;
}

int failures_so_far() { return failures; }

bool tries_limits() {
  static const bool tries = std::getenv("TUT_TRY_LIMITS") != nullptr;
  return tries;
}

void count_failure() { ++failures; }

bool depends_on_case(const std::string& kind) {
  return kind != "launch" && kind != "stream" && kind != "state" && kind != "unset";
}

std::string value_text(double value) {
  if (is_unwritten(value) || is_unwritten(static_cast<float>(value))) {
    return "NaN (never written, or computed from what was never written)";
  }
  if (std::isnan(value)) return "NaN";
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

}  // namespace tut
