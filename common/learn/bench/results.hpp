#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tut::learn {

/// What count mode says of a row.
struct CountedRow {
  double bytes_moved = 0;
  double flops_per_byte = 0;
  double requests = 0;
  double sectors = 0;
  double atomic_repeats = 0;
  double shared_wavefronts = 0;
  double bank_conflicts = 0;

  double sectors_per_request() const { return requests > 0 ? sectors / requests : 0; }
};

/// Bytes that a row moves, and the roof that bounds them: "memory", "first_cache".
struct RowTraffic {
  double bytes = 0;
  std::string from;
};

/// One row of a benchmark: a step of a lesson, or a rival.
struct ResultRow {
  std::string name;  ///< in the results
  std::string ladder, size, step;
  int order = 0;
  bool rival = false;
  double flops = 0, bytes = 0;        ///< of one call; bytes that must move at least
  std::string arithmetic;             ///< whose roof bounds the FLOPs
  std::optional<RowTraffic> traffic;  ///< what limits it in place of `bytes` from memory

  std::string error;            ///< why there is no figure; empty where there is one
  std::vector<double> seconds;  ///< of a call, one figure for each repetition
  std::optional<CountedRow> counted;

  double median_seconds() const;
  /// The traffic that limits it: its own, or else the bytes that must move, from memory.
  RowTraffic limiting_traffic() const { return traffic.value_or(RowTraffic{bytes, "memory"}); }
};

/// Rows of one ladder and one size, in the lesson's order.
struct ResultLadder {
  std::string name, size;
  std::vector<ResultRow> rows;

  std::string title() const { return name + ", " + size; }
  /// The first rival with a figure; null where there is none.
  const ResultRow* rival() const;
};

/// What a benchmark wrote: Google Benchmark's JSON, or the same form with counts.
struct Results {
  std::map<std::string, std::string> context;
  std::vector<ResultRow> rows;  ///< also those without a ladder, of older results

  bool counted() const { return at("counted") == "true"; }
  /// Times of kernels on the CPU backend, which say nothing about a GPU. Work of the host itself
  /// has its roofs measured.
  bool times_of_cpu_backend() const;
  /// A fact of the context; empty where it is not there.
  std::string at(const std::string& key) const;
  /// A roof by its name ("memory", "fp32", "tf32/3": a third of TF32's); 0 where it is not known.
  /// That of "bf16_wgmma" is that of "bf16" where it was not measured.
  double roof(const std::string& name) const;
  const ResultRow* find(const std::string& row) const;
};

/// @throws UsageError in one line that names `where`, if the text is no such JSON.
Results parse_results(std::string_view text, const std::string& where);

/// @throws UsageError if the file cannot be read, too.
Results load_results(const std::filesystem::path& file);

/// The same, of the chapter in this folder of chapters/.
///
/// @throws UsageError if the results say that they are of another chapter, too.
Results load_results_of(const std::string& chapter, const std::filesystem::path& file);

/// The files docs/results/DEVICE/NN.json of a chapter, sorted by device.
std::vector<std::filesystem::path> kept_files(const std::filesystem::path& root, int chapter);

/// By first appearance; rows without a ladder are left out.
std::vector<ResultLadder> ladders_of(const Results& results);

/// A number in three digits with its unit: "1.25 TFLOP/s", "17.1 MB", "12.3 us".
std::string amount(double value, std::string_view unit);

/// The middle value, or the mean of the two middle ones; 0 of none.
double median(std::vector<double> values);

}  // namespace tut::learn
