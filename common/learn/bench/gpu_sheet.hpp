#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "learn/bench/results.hpp"

namespace tut::learn {

/// What a GPU can do at most, by its data sheet: an entry of docs/gpus.toml.
struct GpuSheet {
  std::string name;                     ///< "h100", as --gpu takes it
  std::string title;                    ///< "NVIDIA H100 SXM"
  std::string source;                   ///< address of the document that has the figures
  double memory_bytes = 0;              ///< how much fits
  double bandwidth = 0;                 ///< bytes/s of device memory
  std::map<std::string, double> rates;  ///< FLOP/s by arithmetic: "fp32", "fp16" ...
};

/// The GPU that a picture of counts shows bounds of if none is named: the lessons' example.
inline constexpr std::string_view usual_gpu = "h100";

/// @throws UsageError that names `where` and the line, if the text has no such entries.
std::vector<GpuSheet> parse_gpu_sheets(std::string_view text, const std::string& where);

/// docs/gpus.toml of a checkout.
std::vector<GpuSheet> load_gpu_sheets(const std::filesystem::path& root);

/// The entry of a name; capital letters do not matter.
/// @throws UsageError that lists the names there are.
const GpuSheet& pick_gpu(std::span<const GpuSheet> sheets, std::string_view name);

/// Counts with the roofs of a GPU in their context, and its title as "bounds_of".
Results with_roofs_of(const GpuSheet& sheet, Results counts);

/// @throws UsageError if the results of this file are times: a GPU's data sheet bounds counts.
void require_counts(const Results& results, const std::filesystem::path& file);

}  // namespace tut::learn
