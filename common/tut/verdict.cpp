#include "tut/verdict.hpp"

#include <cstdio>

namespace tut {

std::string verdict_line(std::string_view nonce, const TestVerdict& verdict) {
  char counts[80];
  std::snprintf(counts, sizeof(counts), " %d %d %d %d\n", verdict.cases, verdict.failed_cases,
                verdict.findings, verdict.skipped ? 1 : 0);
  return std::string(nonce) + counts;
}

std::optional<TestVerdict> read_verdict(std::string_view text, std::string_view nonce) {
  if (nonce.empty() || !text.starts_with(nonce)) return std::nullopt;
  TestVerdict verdict;
  int skipped = 0;
  const std::string counts(text.substr(nonce.size()));
  const int fields = std::sscanf(counts.c_str(), "%d %d %d %d", &verdict.cases,
                                 &verdict.failed_cases, &verdict.findings, &skipped);
  verdict.skipped = skipped != 0;
  if (fields != 4 || verdict_line(nonce, verdict) != text) return std::nullopt;
  return verdict;
}

}  // namespace tut
