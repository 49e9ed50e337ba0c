#include "learn/bench/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "learn/core/error.hpp"
#include "learn/core/files.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

double number(const Json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_number() ? found->get<double>() : 0;
}

std::string word(const Json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : "";
}

double unit_seconds(const std::string& unit) {
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  return unit == "ms" ? 1e-3 : 1;
}

/// Ladder, size and so on: fields of the row, or those that its label has as text.
void read_step(const Json& row, ResultRow& result) {
  const Json label = Json::parse(word(row, "label"), nullptr, false);
  const Json& step = label.is_object() ? label : row;
  result.ladder = word(step, "ladder");
  result.size = word(step, "size");
  result.step = word(step, "step");
  result.order = static_cast<int>(number(step, "order"));
  result.rival = step.value("rival", false);
  result.flops = number(step, "flops");
  result.bytes = number(step, "bytes");
  result.arithmetic = word(step, "arithmetic");
  const double traffic = number(step, "traffic");
  if (traffic > 0) result.traffic = RowTraffic{traffic, word(step, "traffic_from")};
}

std::optional<CountedRow> read_counts(const Json& row) {
  if (!row.contains("bytes_moved")) return std::nullopt;
  return CountedRow{number(row, "bytes_moved"),    number(row, "flops_per_byte"),
                    number(row, "requests"),       number(row, "sectors"),
                    number(row, "atomic_repeats"), number(row, "shared_wavefronts"),
                    number(row, "bank_conflicts")};
}

/// The times of a row: of one repetition, or all of them where results that are kept list them; of
/// older ones the median alone.
std::vector<double> read_seconds(const Json& row) {
  const double unit = unit_seconds(word(row, "time_unit"));
  std::vector<double> seconds;
  if (row.contains("repetition_times")) {
    for (const Json& time : row["repetition_times"]) seconds.push_back(unit * time.get<double>());
  } else if (row.contains("real_time")) {
    seconds.push_back(unit * number(row, "real_time"));
  }
  return seconds;
}

/// Adds a row, or a further repetition to it.
void add_row(Results& results, const Json& row) {
  const std::string aggregate = word(row, "aggregate_name");
  const bool kept = row.contains("repetition_times") || !word(row, "ladder").empty();
  const std::string name =
      word(row, "run_name").empty() ? word(row, "name") : word(row, "run_name");
  const auto same = std::ranges::find(results.rows, name, &ResultRow::name);
  const bool known = same != results.rows.end();
  if (!aggregate.empty() && (aggregate != "median" || (known && !kept))) return;
  ResultRow& result = known ? *same : results.rows.emplace_back();
  if (!known) {
    result.name = name;
    read_step(row, result);
  }
  if (row.value("error_occurred", false)) {
    result.error = word(row, "error_message");
    return;
  }
  result.counted = read_counts(row);
  for (const double time : read_seconds(row)) result.seconds.push_back(time);
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double ResultRow::median_seconds() const { return median(seconds); }

const ResultRow* ResultLadder::rival() const {
  const auto has_figure = [](const ResultRow& row) { return row.rival && !row.seconds.empty(); };
  const auto found = std::ranges::find_if(rows, has_figure);
  return found == rows.end() ? nullptr : &*found;
}

std::string Results::at(const std::string& key) const {
  const auto found = context.find(key);
  return found == context.end() ? "" : found->second;
}

bool Results::times_of_cpu_backend() const {
  return !counted() && at("backend") != "cuda" && roof("memory") <= 0;
}

double Results::roof(const std::string& name) const {
  // "tf32/3" takes three products in TF32 for one.
  const std::size_t slash = name.find('/');
  const std::string arithmetic = name.substr(0, slash);
  std::string kept = at("roof_" + arithmetic);
  // A data sheet has one rate of the tensor cores, by whatever instruction.
  if (kept.empty() && arithmetic.ends_with("_wgmma")) {
    kept = at("roof_" + arithmetic.substr(0, arithmetic.rfind('_')));
  }
  const double rate = std::strtod(kept.c_str(), nullptr);
  if (slash == std::string::npos) return rate;
  const double products = std::strtod(name.c_str() + slash + 1, nullptr);
  return products >= 1 ? rate / products : 0;
}

const ResultRow* Results::find(const std::string& row) const {
  const auto found = std::ranges::find(rows, row, &ResultRow::name);
  return found == rows.end() ? nullptr : &*found;
}

Results parse_results(std::string_view text, const std::string& where) {
  const auto no_results = [&](const std::string& why) {
    return UsageError(fmt::format("{} holds no results of a benchmark: {}", where, why));
  };
  Results results;
  try {
    const Json json = Json::parse(text);
    if (!json.is_object() || !json.contains("benchmarks") || !json["benchmarks"].is_array()) {
      throw no_results("it has no list 'benchmarks'");
    }
    if (json.contains("context")) {
      for (const auto& [key, value] : json["context"].items()) {
        results.context[key] = value.is_string() ? value.get<std::string>() : value.dump();
      }
    }
    for (const Json& row : json["benchmarks"]) add_row(results, row);
  } catch (const Json::exception& error) {
    throw no_results(error.what());
  }
  return results;
}

Results load_results(const fs::path& file) {
  const std::optional<std::string> text = read_file(file);
  if (!text) throw UsageError(fmt::format("cannot read {}", file.string()));
  return parse_results(*text, file.string());
}

Results load_results_of(const std::string& chapter, const fs::path& file) {
  Results results = load_results(file);
  const std::string of = results.at("chapter");
  if (!of.empty() && of != chapter) {
    throw UsageError(
        fmt::format("{} holds results of chapter {}; expected {}", file.string(), of, chapter));
  }
  return results;
}

std::vector<fs::path> kept_files(const fs::path& root, int chapter) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& folder : fs::directory_iterator(root / "docs" / "results", error)) {
    const fs::path file = folder.path() / fmt::format("{:02}.json", chapter);
    if (fs::is_regular_file(file)) files.push_back(file);
  }
  std::ranges::sort(files);
  return files;
}

std::vector<ResultLadder> ladders_of(const Results& results) {
  std::vector<const ResultRow*> rows;
  for (const ResultRow& row : results.rows) {
    if (!row.ladder.empty()) rows.push_back(&row);
  }
  std::ranges::stable_sort(rows, {}, [](const ResultRow* row) { return row->order; });
  std::vector<ResultLadder> ladders;
  for (const ResultRow* row : rows) {
    const auto its = std::ranges::find_if(ladders, [&](const ResultLadder& ladder) {
      return ladder.name == row->ladder && ladder.size == row->size;
    });
    ResultLadder& ladder = its != ladders.end()
                               ? *its
                               : ladders.emplace_back(ResultLadder{row->ladder, row->size, {}});
    ladder.rows.push_back(*row);
  }
  return ladders;
}

std::string amount(double value, std::string_view unit) {
  static constexpr struct {
    double factor;
    const char* prefix;
  } scales[] = {{1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"},
                {1, ""},     {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
  for (const auto& [factor, prefix] : scales) {
    // What three digits round up to belongs to the next scale.
    const double scaled = value / factor;
    if (scaled < 0.9995 && factor > 1e-9) continue;
    const int decimals = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}{}", scaled, value == 0 ? 0 : decimals, value == 0 ? "" : prefix,
                       unit);
  }
  return "";
}

}  // namespace tut::learn
