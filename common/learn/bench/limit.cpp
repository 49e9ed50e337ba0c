#include "learn/bench/limit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tut::learn {
namespace {

// FLOPs for each byte that most devices have time for, where this one's roofs are not known.
constexpr double usual_ridge = 10;

double share(double work, double seconds, double roof) {
  return seconds > 0 && roof > 0 ? work / seconds / roof : 0;
}

}  // namespace

std::string roof_words(const std::string& arithmetic) {
  const std::string type = arithmetic.substr(0, arithmetic.find('/'));
  if (type.ends_with("_wgmma")) return " by wgmma";
  return type == "fp16" || type == "bf16" || type == "tf32" ? " by WMMA" : "";
}

std::string source_words(const std::string& roof) {
  std::string words = roof;
  std::ranges::replace(words, '_', ' ');
  return words;
}

Shares shares_of(const ResultRow& row, const Results& results) {
  const double seconds = row.median_seconds();
  const RowTraffic traffic = row.limiting_traffic();
  return {share(traffic.bytes, seconds, results.roof(traffic.from)),
          share(row.flops, seconds, results.roof(row.arithmetic))};
}

std::string limit_text(const ResultRow& row, const Results& results) {
  const Shares shares = shares_of(row, results);
  if (shares.bytes == 0 && shares.flops == 0) return "";
  if (shares.bytes < 0.5 && shares.flops < 0.5) {
    const bool knows_both = shares.bytes > 0 && shares.flops > 0;
    return knows_both
               ? "neither: under half of both"
               : fmt::format("neither: under half of the {}", shares.bytes > 0 ? "bytes" : "FLOPs");
  }
  if (shares.bytes >= shares.flops) {
    const std::string from = row.limiting_traffic().from;
    return fmt::format("bytes: {:.0f} % of {}{}", 100 * shares.bytes,
                       amount(results.roof(from), "B/s"),
                       from == "memory" ? "" : " of the " + source_words(from));
  }
  return fmt::format("FLOPs: {:.0f} % of {}{}", 100 * shares.flops,
                     amount(results.roof(row.arithmetic), "FLOP/s"), roof_words(row.arithmetic));
}

bool counts_flops(const ResultLadder& ladder, const Results& results) {
  for (const ResultRow& row : ladder.rows) {
    if (row.flops == 0) return false;
    const double memory = results.roof("memory"), flops = results.roof(row.arithmetic);
    const double ridge = memory > 0 && flops > 0 ? flops / memory : usual_ridge;
    return row.bytes == 0 || row.flops / row.bytes >= ridge;
  }
  return false;
}

}  // namespace tut::learn
