#include "learn/bench/gpu_sheet.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "learn/core/error.hpp"
#include "learn/core/files.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

constexpr const char* sheet_rates[] = {"fp32", "tf32", "fp16", "bf16", "fp8"};

/// Reads the fields of one [[gpu]], and says where in the file a field is wrong.
class SheetReader {
 public:
  SheetReader(const toml::table& table, const std::string& where) : table_(table), where_(where) {}

  std::string words(const char* key) const {
    const auto value = table_[key].value<std::string>();
    if (!value || value->empty()) fail(key, "text");
    return *value;
  }

  std::optional<double> optional_amount(const char* key) const {
    if (!table_.contains(key)) return std::nullopt;
    const auto value = table_[key].value<double>();
    if (!value || !(*value > 0)) fail(key, "a number above 0");
    return value;
  }

  double amount(const char* key) const {
    const std::optional<double> value = optional_amount(key);
    if (!value) fail(key, "a number above 0");
    return *value;
  }

 private:
  [[noreturn]] void fail(const char* key, const char* expected) const {
    const toml::node* node = table_.get(key);
    const auto line = (node == nullptr ? table_.source() : node->source()).begin.line;
    throw UsageError(fmt::format("{}:{}: '{}' of a GPU; expected {}", where_, line, key, expected));
  }

  const toml::table& table_;
  const std::string& where_;
};

GpuSheet read_sheet(const SheetReader& reader) {
  GpuSheet sheet;
  sheet.name = reader.words("name");
  sheet.title = reader.words("title");
  sheet.source = reader.words("source");
  sheet.memory_bytes = 1e9 * reader.amount("memory_gb");
  sheet.bandwidth = 1e9 * reader.amount("bandwidth_gb_s");
  for (const std::string arithmetic : sheet_rates) {
    const std::string key = arithmetic + "_tflops";
    const auto rate = arithmetic == "fp32" ? std::optional(reader.amount(key.c_str()))
                                           : reader.optional_amount(key.c_str());
    if (rate) sheet.rates[arithmetic] = 1e12 * *rate;
  }
  return sheet;
}

}  // namespace

std::vector<GpuSheet> parse_gpu_sheets(std::string_view text, const std::string& where) {
  std::vector<GpuSheet> sheets;
  try {
    const toml::table file = toml::parse(text, where);
    const toml::array* entries = file["gpu"].as_array();
    if (entries == nullptr) throw UsageError(fmt::format("{} has no [[gpu]]", where));
    for (const toml::node& entry : *entries) {
      const toml::table* table = entry.as_table();
      if (table == nullptr) throw UsageError(fmt::format("{}: 'gpu'; expected [[gpu]]", where));
      sheets.push_back(read_sheet(SheetReader(*table, where)));
    }
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}:{}: {}", where, error.source().begin.line, error.description()));
  }
  return sheets;
}

std::vector<GpuSheet> load_gpu_sheets(const fs::path& root) {
  const fs::path file = root / "docs" / "gpus.toml";
  const std::optional<std::string> text = read_file(file);
  if (!text) throw UsageError(fmt::format("cannot read {}", file.string()));
  return parse_gpu_sheets(*text, file.string());
}

const GpuSheet& pick_gpu(std::span<const GpuSheet> sheets, std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto found = std::ranges::find(sheets, lower, &GpuSheet::name);
  if (found != sheets.end()) return *found;
  std::vector<std::string> names;
  for (const GpuSheet& sheet : sheets) names.push_back(sheet.name);
  throw UsageError(
      fmt::format("no data sheet of a GPU '{}'; --gpu takes {}", name, fmt::join(names, ", ")));
}

Results with_roofs_of(const GpuSheet& sheet, Results counts) {
  counts.context["bounds_of"] = sheet.title;
  counts.context["roof_memory"] = fmt::format("{:.6g}", sheet.bandwidth);
  for (const auto& [arithmetic, rate] : sheet.rates) {
    counts.context["roof_" + arithmetic] = fmt::format("{:.6g}", rate);
  }
  return counts;
}

void require_counts(const Results& results, const fs::path& file) {
  if (results.counted()) return;
  throw UsageError(fmt::format("--gpu bounds what was counted; {} holds times", file.string()));
}

}  // namespace tut::learn
