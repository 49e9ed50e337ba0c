/// \file
/// Finds integers of host code under test that overflow: it takes the place of check mode in a
/// program without kernels, whose tested source is compiled with
/// -fsanitize=signed-integer-overflow.
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "simt/inspect/check/interface.hpp"
#include "simt/inspect/watch/watch.hpp"

namespace {

constexpr int kFindingsStatus = 86;  // as check mode ends a program

std::set<std::string>& findings() {
  // Never destroyed: it is asked when the program ends.
  static auto& all = *new std::set<std::string>;
  return all;
}

void finish() {
  std::fflush(nullptr);
  std::fprintf(stderr, "simt: %zu finding%s\n", findings().size(),
               findings().size() == 1 ? "" : "s");
  std::_Exit(kFindingsStatus);
}

}  // namespace

namespace simt::inspect {

void watch_overflow(const Overflow& overflow, std::uintptr_t) {
  const std::string place = std::string(overflow.file) + ":" + std::to_string(overflow.line);
  if (findings().empty()) std::atexit(finish);
  if (!findings().insert(place).second) return;
  std::fflush(stdout);
  std::fprintf(stderr, "%s: error: overflow: computes %s, which does not fit in %s\n",
               place.c_str(), overflow.expression.c_str(), overflow.type.c_str());
  if (overflow.bits < 64) {
    std::fprintf(
        stderr, "%s: note: widen an operand before the operation: static_cast<std::int64_t>(...)\n",
        place.c_str());
  }
}

}  // namespace simt::inspect

int simt_check_findings() { return static_cast<int>(findings().size()); }
