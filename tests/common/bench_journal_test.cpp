#include "tut/bench/bench_journal.hpp"

#include <benchmark/benchmark.h>
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tut/bench/bench_step.hpp"

namespace tut {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// The lines of a journal so far.
std::vector<Json> lines_of(const fs::path& file) {
  std::vector<Json> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
  return lines;
}

class Silent : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

void measure_briefly() {
  std::string program = "bench", time = "--benchmark_min_time=0.001";
  char* arguments[] = {program.data(), time.data(), nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments);
}

TEST_CASE("a journal has what was measured before the run is over") {
  const fs::path file = fs::temp_directory_path() / "tut_bench_journal_test.jsonl";
  std::size_t seen = 0;
  add_host_bench_step(
      {"journal", "8", "measured", {.flops = 2}}, [] { return std::string(); },
      [](std::int64_t) {});
  add_host_bench_step(
      {"journal", "8", "wrong"}, [] { return std::string("wrong result"); }, [](std::int64_t) {});
  // The last row sees what the others left.
  add_host_bench_step(
      {"journal", "8", "reads"},
      [&] {
        seen = lines_of(file).size();
        return std::string("read");
      },
      [](std::int64_t) {});
  measure_briefly();
  BenchJournal::open(file);
  BenchJournal::add_context("journal_test", "a \"fact\"");
  Silent silent;
  benchmark::RunSpecifiedBenchmarks(&silent, "^journal/8");
  BenchJournal::close();

  const std::vector<Json> lines = lines_of(file);
  fs::remove(file);
  REQUIRE(lines.size() >= 6);
  CHECK(seen >= 5);
  CHECK(lines[0]["context"]["journal_test"] == "a \"fact\"");
  CHECK(lines[1]["row"] == "journal/8/measured/manual_time");
  CHECK(Json::parse(lines[1]["label"].get<std::string>())["step"] == "measured");
  CHECK(lines[2]["iterations"] >= 1);
  CHECK(lines[2]["seconds"].get<double>() >= 0);
  const Json& last = lines[lines.size() - 3];
  CHECK(last["row"] == "journal/8/wrong/manual_time");
  CHECK(last["error"] == "wrong result");
}

TEST_CASE("a journal that cannot be written is an error before anything is measured") {
  CHECK_THROWS_AS(BenchJournal::open("/nowhere/journal.jsonl"), std::runtime_error);
  BenchJournal::close();
}

}  // namespace
}  // namespace tut
