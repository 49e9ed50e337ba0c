// The main program of every chapter's benchmarks: Google Benchmark with the project's defaults, the
// device's facts and its measured roofs in the context, and no result under settings that would
// falsify it. With --progress a bar on standard error stands in for the table. --journal=FILE notes
// every repetition when it is over (bench_journal.hpp). --roofs measures the bounds of a GPU,
// whatever the rows need, and no row.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tut/bench/bench_journal.hpp"
#include "tut/bench/bench_progress.hpp"
#include "tut/bench/bench_settings.hpp"
#include "tut/bench/bench_step.hpp"
#include "tut/bench/device_roofline.hpp"
#include "tut/device/backend.hpp"
#include "tut/text/program.hpp"
#include "tut/text/terminal.hpp"

namespace {

/// Google Benchmark's table without the labels, which are for programs.
class TableReporter : public benchmark::ConsoleReporter {
 public:
  TableReporter() : ConsoleReporter(tut::has_colour(stdout) ? OO_ColorTabular : OO_Tabular) {}
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> without = runs;
    for (Run& run : without) run.report_label.clear();
    ConsoleReporter::ReportRuns(without);
  }
};

class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

void add_measured(const std::string& name, double (*measure)(const std::string&)) {
  try {
    char text[32];
    std::snprintf(text, sizeof(text), "%.6g", measure(name));
    tut::BenchJournal::add_context("roof_" + name, text);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "the bound '%s' is not measured: %s\n", name.c_str(), error.what());
  }
}

double measure_added(const std::string& name) {
  const auto& roofs = tut::bench_roofs();
  return std::ranges::find(roofs, name, &tut::BenchRoof::name)->measure();
}

/// The bounds of a GPU: its memory's, and these arithmetics'.
void add_device_roofs(const std::set<std::string>& arithmetics) {
  add_measured("memory", [](const std::string&) { return tut::measure_copy_rate(); });
  for (const std::string& name : arithmetics) {
    add_measured(name, [](const std::string& n) { return tut::measure_flop_rate(n); });
  }
}

/// The bounds of what was added: those of a GPU, and those that the benchmark has itself.
void add_roofs() {
  std::set<std::string> on_device;
  for (const auto& work : tut::bench_works()) {
    const std::string& arithmetic = work->step.cost.arithmetic;
    if (work->on_device && !tut::on_cpu_backend) {
      on_device.insert(arithmetic.substr(0, arithmetic.find('/')));
    }
  }
  for (const tut::BenchRoof& roof : tut::bench_roofs()) {
    add_measured(roof.name, measure_added);
    on_device.erase(roof.name);
  }
  if (!on_device.empty()) add_device_roofs(on_device);
}

bool has_flag(const std::vector<std::string>& arguments, const std::string& start) {
  return std::ranges::any_of(arguments, [&](const auto& a) { return a.starts_with(start); });
}

/// The value of a flag that Google Benchmark does not know, which is taken away; empty without one.
std::string take_value(std::vector<std::string>& arguments, const std::string& start) {
  std::string value;
  std::erase_if(arguments, [&](const std::string& argument) {
    const bool found = argument.starts_with(start);
    if (found) value = argument.substr(start.size());
    return found;
  });
  return value;
}

/// What Google Benchmark's own flags ask for: null for its own choice.
std::unique_ptr<benchmark::BenchmarkReporter> make_reporter(bool progress, bool own_format) {
  if (progress) return std::make_unique<SilentReporter>();
  if (own_format) return nullptr;
  return std::make_unique<TableReporter>();
}

int run(std::vector<std::string> arguments) {
  const bool progress = std::erase(arguments, "--progress") > 0;
  const bool only_roofs = std::erase(arguments, "--roofs") > 0;
  const std::string journal = take_value(arguments, "--journal=");
  const bool own_format = has_flag(arguments, "--benchmark_format");
  const bool only_list = has_flag(arguments, "--benchmark_list_tests");
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;
  if (!journal.empty()) tut::BenchJournal::open(journal);
  for (const auto& [key, value] : tut::device_facts()) tut::BenchJournal::add_context(key, value);
  if (only_roofs) {
    if (!tut::on_cpu_backend) add_device_roofs({"fp32", "fp16", "bf16", "tf32"});
    return 0;
  }
  tut::add_bench_rows();
  if (!tut::bench_chapter().empty()) {
    tut::BenchJournal::add_context("chapter", tut::bench_chapter());
  }
  if (!only_list) {
    tut::require_kept_rows(arguments, tut::bench_row_names());
    add_roofs();
  }
  if (progress) tut::BenchProgress::begin(arguments);
  const auto reporter = make_reporter(progress, own_format || only_list);
  const std::size_t rows = benchmark::RunSpecifiedBenchmarks(reporter.get());
  if (progress) tut::BenchProgress::finish();
  benchmark::Shutdown();
  return rows > 0 ? 0 : 2;  // what was asked for is not there; Google Benchmark has said so
}

}  // namespace

int main(int argc, char** argv) {
  const std::string unfair = tut::unfair_setting();
  if (!unfair.empty()) {
    std::fprintf(stderr, "%s\n", unfair.c_str());
    return 1;
  }
  try {
    const int code = run(tut::with_default_arguments(argc, argv));
    return tut::flush_output("benchmark") ? code : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
