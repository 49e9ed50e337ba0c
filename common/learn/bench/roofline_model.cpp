#include "learn/bench/roofline_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "learn/bench/bound.hpp"
#include "learn/bench/limit.hpp"

namespace tut::learn {
namespace {

/// "171", and what is one by a whole number as such: "1/32".
std::string intensity_words(double intensity) {
  const double inverse = std::round(1 / intensity);
  if (inverse > 1 && std::abs(inverse * intensity - 1) < 1e-6) return fmt::format("1/{}", inverse);
  return fmt::format("{:.3g}", intensity);
}

/// The last size of each ladder: those before are smaller.
std::vector<ResultLadder> largest_ladders(const Results& results) {
  std::vector<ResultLadder> ladders;
  for (const ResultLadder& ladder : ladders_of(results)) {
    const auto same = std::ranges::find(ladders, ladder.name, &ResultLadder::name);
    if (same == ladders.end()) {
      ladders.push_back(ladder);
    } else if (ladder.rows.front().flops >= same->rows.front().flops) {
      *same = ladder;
    }
  }
  std::erase_if(ladders, [](const ResultLadder& ladder) {
    return std::ranges::all_of(ladder.rows, [](const ResultRow& row) { return row.flops <= 0; });
  });
  return ladders;
}

bool has_traffic(const ResultLadder& ladder) {
  return std::ranges::any_of(ladder.rows, [](const ResultRow& row) { return !!row.traffic; });
}

std::optional<Dot> dot_of(const ResultRow& row, const std::string& name, const Results& results,
                          bool says_traffic) {
  if (row.flops <= 0 || results.roof(row.arithmetic) <= 0) return std::nullopt;
  if (results.counted()) {
    const std::optional<Bound> bound = bound_of(row, results);
    if (!bound) return std::nullopt;
    return Dot{name, row.flops / row.counted->bytes_moved, row.flops / bound->seconds, row.rival,
               ""};
  }
  const RowTraffic traffic = row.limiting_traffic();
  if (traffic.bytes <= 0 || row.seconds.empty()) return std::nullopt;
  return Dot{name, row.flops / traffic.bytes, row.flops / row.median_seconds(), row.rival,
             says_traffic ? source_words(traffic.from) : ""};
}

/// What a ladder's kernels could reach if each byte moved once.
std::optional<Dot> least_bytes_dot(const ResultLadder& ladder, const Results& results) {
  for (const ResultRow& row : ladder.rows) {
    const std::optional<Bound> bound = bound_of(row, row.bytes, results);
    if (!row.counted || row.bytes <= 0 || row.flops <= 0 || !bound) continue;
    return Dot{"each byte moved once", row.flops / row.bytes, row.flops / bound->seconds, true, ""};
  }
  return std::nullopt;
}

std::vector<Dot> dots_of(const Results& results) {
  std::vector<Dot> dots;
  const std::vector<ResultLadder> ladders = largest_ladders(results);
  const bool says_traffic = !results.counted() && std::ranges::any_of(ladders, has_traffic);
  for (const ResultLadder& ladder : ladders) {
    for (const ResultRow& row : ladder.rows) {
      const std::string name =
          ladders.size() == 1 ? row.step : fmt::format("{}: {}", ladder.name, row.step);
      if (const auto dot = dot_of(row, name, results, says_traffic)) dots.push_back(*dot);
    }
  }
  if (results.counted() && ladders.size() == 1) {
    if (const auto dot = least_bytes_dot(ladders[0], results)) dots.push_back(*dot);
  }
  return dots;
}

std::string processor_roof_name(const std::string& arithmetic) {
  if (arithmetic == "fp32") return "FP32, one core";
  return arithmetic == "fp32_all_cores" ? "FP32, all cores" : arithmetic;
}

/// Of a GPU "FP32 on CUDA cores", "BF16 and FP16 on tensor cores", "3 TF32 products"; of a
/// processor "FP32, one core".
std::string roof_name(const std::set<std::string>& arithmetics, const Results& results) {
  const bool is_gpu = results.counted() || results.at("backend") == "cuda";
  std::vector<std::string> names, types;
  for (const std::string& arithmetic : arithmetics) {
    const std::string words = arithmetic_words(arithmetic);
    if (!is_gpu) {
      names.push_back(processor_roof_name(arithmetic));
    } else if (arithmetic == "fp32") {
      names.push_back(words);
    } else {
      types.push_back(words.substr(0, words.find(" on ")));
    }
  }
  if (!types.empty()) {
    const bool says_products = types.size() == 1 && types[0].ends_with("products");
    names.push_back(fmt::format("{}{}{}", fmt::join(types, " and "),
                                says_products ? "" : " on tensor cores",
                                results.counted() ? "" : roof_words(*arithmetics.rbegin())));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The roofs of CUDA cores and of what the rows compute with.
std::vector<Roof> drawn_roofs(const Results& results) {
  std::map<double, std::set<std::string>> arithmetics;
  const auto add = [&](const std::string& arithmetic) {
    const double rate = results.roof(arithmetic);
    if (rate > 0) arithmetics[rate].insert(arithmetic);
  };
  add("fp32");
  for (const ResultRow& row : results.rows) {
    if (row.flops > 0) add(row.arithmetic);
  }
  constexpr double nearly = 1.05;
  std::vector<Roof> roofs;
  std::set<std::string> shared;
  for (const auto& [rate, names] : arithmetics) {
    const bool joins = !roofs.empty() && rate <= nearly * roofs.back().least_rate;
    if (!joins) {
      roofs.push_back({rate, rate, ""});
      shared.clear();
    }
    shared.insert(names.begin(), names.end());
    roofs.back().rate = rate;
    roofs.back().name = roof_name(shared, results);
  }
  return roofs;
}

/// The caches whose rates the results know.
std::vector<Slope> cache_slopes(const Results& results) {
  constexpr std::string_view start = "roof_", end = "_cache";
  std::vector<Slope> slopes;
  for (const auto& [key, value] : results.context) {
    if (!key.starts_with(start) || !key.ends_with(end)) continue;
    const std::string name = key.substr(start.size());
    if (results.roof(name) > 0) slopes.push_back({source_words(name), results.roof(name)});
  }
  std::ranges::stable_sort(slopes, std::greater(), &Slope::rate);
  return slopes;
}

}  // namespace

std::string Dot::label() const { return fmt::format("{}: {}", name, amount(rate, "FLOP/s")); }

std::string Dot::place() const {
  return from.empty() ? "" : fmt::format("{} FLOP/byte, {}", intensity_words(intensity), from);
}

std::string Slope::label() const { return fmt::format("{}: {}", name, amount(rate, "B/s")); }

std::string Roof::label() const {
  const std::string highest = amount(rate, "FLOP/s");
  std::string least = amount(least_rate, "FLOP/s");
  if (highest == least) return fmt::format("{}: {}", name, highest);
  const std::size_t unit = least.find(' ');
  if (highest.ends_with(least.substr(unit))) least.resize(unit);
  return fmt::format("{}: {} to {}", name, least, highest);
}

bool Roofline::has_traffic() const {
  return std::ranges::any_of(dots, [](const Dot& dot) { return !dot.from.empty(); });
}

double Roofline::fastest() const {
  return caches.empty() ? memory : std::max(memory, caches[0].rate);
}

Roofline roofline_of(const Results& results, const std::string& title) {
  Roofline roofline;
  roofline.title = title;
  roofline.bounds = results.counted();
  roofline.memory = results.roof("memory");
  roofline.roofs = drawn_roofs(results);
  roofline.dots = dots_of(results);
  if (roofline.bounds) {
    roofline.note =
        "A ring is a kernel's bound, not measured: all bytes that it requests come from memory. "
        "Caches can raise it.";
    roofline.intensity_label = "FLOPs for each byte that the kernel requests, counted";
  } else if (roofline.has_traffic()) {
    roofline.caches = cache_slopes(results);
    roofline.note =
        "A dot is what was measured, drawn at the FLOPs for each of the bytes that limit it, from "
        "memory or from a cache.";
    roofline.intensity_label =
        "FLOPs for each byte from memory, or from the cache that a dot's label names";
  } else {
    roofline.note =
        "A dot is what was measured, drawn at the FLOPs for each byte that it has if each byte "
        "moves once.";
    roofline.intensity_label = "FLOPs for each byte that must move at least";
  }
  return roofline;
}

}  // namespace tut::learn
