#include "tut/testing/verdict.hpp"

#include <algorithm>
#include <cstdio>

namespace tut {
namespace {

constexpr std::string_view kBegins = " begins ";

/// What came through the pipe, in two parts: what it says of test cases, and the rest.
struct Told {
  std::string last_case;
  std::string rest;

  Told(std::string_view text, std::string_view nonce) {
    const std::string mark = std::string(nonce) + std::string(kBegins);
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
      const std::string_view line = text.substr(0, length);
      if (!nonce.empty() && line.starts_with(mark) && line.ends_with('\n')) {
        last_case = line.substr(mark.size(), line.size() - mark.size() - 1);
      } else {
        rest += line;
      }
      text.remove_prefix(length);
    }
  }
};

}  // namespace

std::string verdict_line(std::string_view nonce, const TestVerdict& verdict) {
  char counts[80];
  std::snprintf(counts, sizeof(counts), " %d %d %d %d\n", verdict.cases, verdict.failed_cases,
                verdict.findings, verdict.skipped ? 1 : 0);
  return std::string(nonce) + counts;
}

std::string case_line(std::string_view nonce, std::string_view test_case) {
  std::string line = std::string(nonce) + std::string(kBegins) + std::string(test_case);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line + "\n";
}

std::string last_case(std::string_view text, std::string_view nonce) {
  return Told(text, nonce).last_case;
}

std::optional<TestVerdict> read_verdict(std::string_view told, std::string_view nonce,
                                        std::string_view nonce_of_cases) {
  const std::string text = Told(told, nonce_of_cases.empty() ? nonce : nonce_of_cases).rest;
  if (nonce.empty() || !text.starts_with(nonce)) return std::nullopt;
  TestVerdict verdict;
  int skipped = 0;
  const std::string counts = text.substr(nonce.size());
  const int fields = std::sscanf(counts.c_str(), "%d %d %d %d", &verdict.cases,
                                 &verdict.failed_cases, &verdict.findings, &skipped);
  verdict.skipped = skipped != 0;
  if (fields != 4 || verdict_line(nonce, verdict) != text) return std::nullopt;
  return verdict;
}

}  // namespace tut
