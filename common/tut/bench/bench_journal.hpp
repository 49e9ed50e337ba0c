/// \file
/// What a benchmark has measured so far, on disk as soon as it is known: Google Benchmark writes
/// its results at the end, and a run on a rented GPU may have to be stopped before its end.  A line
/// is a JSON object:  {"context": {"device": "..."}}                               a fact of this
/// run {"row": "LADDER/SIZE/NAME/manual_time", "label": "..."}       the row is next {"row": "...",
/// "iterations": 300, "seconds": 0.00012}         the mean of a repetition {"row": "...", "error":
/// "wrong result"}
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tut {

class BenchJournal {
 public:
  /// Writes to this file from now on and overwrites what it held. Throws std::runtime_error if it
  /// cannot.
  static void open(const std::filesystem::path& file);
  /// Notes a fact of the run, as Google Benchmark's own results have them in their context.
  static void add_context(const std::string& key, const std::string& value);
  static void begin_row(const std::string& row, const std::string& label);
  /// A row has been measured for so many iterations. Google Benchmark first looks for their number,
  /// then repeats with the same: the last number is the one that counts.
  static void add_time(const std::string& row, std::int64_t iterations, double seconds);
  static void add_error(const std::string& row, const std::string& error);
  static void close();
};

}  // namespace tut
