#include "learn/bench/bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tut::learn {

std::optional<Bound> bound_of(const ResultRow& row, double bytes_moved, const Results& results) {
  const double memory = results.roof("memory"), rate = results.roof(row.arithmetic);
  if (memory <= 0 || (row.flops > 0 && rate <= 0)) return std::nullopt;
  const double by_bytes = bytes_moved / memory;
  const double by_flops = row.flops > 0 ? row.flops / rate : 0;
  return Bound{std::max(by_bytes, by_flops), by_bytes >= by_flops};
}

std::optional<Bound> bound_of(const ResultRow& row, const Results& results) {
  if (!row.counted) return std::nullopt;
  return bound_of(row, row.counted->bytes_moved, results);
}

std::string arithmetic_words(std::string_view arithmetic) {
  const std::size_t slash = arithmetic.find('/');
  std::string name(arithmetic.substr(0, arithmetic.find_first_of("/_")));  // "bf16_wgmma"
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (slash != std::string_view::npos) {
    name = fmt::format("{} {} products", arithmetic.substr(slash + 1), name);
  }
  return name + (arithmetic == "fp32" ? " on CUDA cores" : " on tensor cores");
}

}  // namespace tut::learn
