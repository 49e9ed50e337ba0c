#include "tut/bench/bench_progress.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <regex>
#include <stdexcept>
#include <utility>

#include "tut/bench/bench_step.hpp"
#include "tut/text/terminal.hpp"

namespace tut {
namespace {

struct State {
  std::unique_ptr<ProgressBar> bar;
  int repetitions = 1;
  std::map<std::string, std::pair<std::int64_t, int>> rows;  // iterations, repetitions with them
};

State& state() {
  static State only;
  return only;
}

/// The value of the last such flag.
std::string value_of(const std::vector<std::string>& arguments, const std::string& flag) {
  std::string value;
  for (const std::string& argument : arguments) {
    if (argument.starts_with(flag + "=")) value = argument.substr(flag.size() + 1);
  }
  return value;
}

}  // namespace

std::string row_name(const BenchStep& step) { return step.row + "/manual_time"; }

std::vector<std::string> bench_row_names() {
  std::vector<std::string> names;
  for (const auto& work : bench_works()) names.push_back(row_name(work->step));
  return names;
}

bool keeps_row(const std::string& filter, const std::string& row) {
  if (filter.empty() || filter == "all") return true;
  const bool negative = filter.starts_with('-');
  try {
    return std::regex_search(row, std::regex(filter.substr(negative ? 1 : 0))) != negative;
  } catch (const std::regex_error& error) {
    throw std::invalid_argument("the filter '" + filter + "' is not a regular expression");
  }
}

void require_kept_rows(const std::vector<std::string>& arguments,
                       const std::vector<std::string>& rows) {
  const std::string filter = value_of(arguments, "--benchmark_filter");
  if (rows.empty()) return;  // a program with benchmarks that are no steps of a chapter
  if (std::ranges::none_of(rows, [&](const std::string& row) { return keeps_row(filter, row); })) {
    throw std::invalid_argument("no row matches '" + filter + "'");
  }
}

void BenchProgress::begin(const std::vector<std::string>& arguments) {
  const std::string filter = value_of(arguments, "--benchmark_filter");
  const int asked = std::atoi(value_of(arguments, "--benchmark_repetitions").c_str());
  state().repetitions = asked > 0 ? asked : 1;
  const auto rows = std::ranges::count_if(
      bench_row_names(), [&](const std::string& row) { return keeps_row(filter, row); });
  state().bar = std::make_unique<ProgressBar>("measuring", rows * state().repetitions);
}

void BenchProgress::measured(const std::string& row, std::int64_t iterations) {
  if (state().bar == nullptr) return;
  auto& [known, times] = state().rows[row];
  times = known == iterations ? times + 1 : 1;
  known = iterations;
  std::int64_t done = 0;
  for (const auto& entry : state().rows) {
    done += std::min(entry.second.second, state().repetitions);
  }
  state().bar->set(done);
}

void BenchProgress::finish() { state().bar.reset(); }

}  // namespace tut
