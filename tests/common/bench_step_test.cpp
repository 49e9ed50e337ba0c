#include "tut/bench/bench_step.hpp"

#include <benchmark/benchmark.h>
#include <doctest/doctest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tut/bench/bench_progress.hpp"

namespace tut {
namespace {

/// Keeps what Google Benchmark reports.
class Listener : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& reported) override {
    runs.insert(runs.end(), reported.begin(), reported.end());
  }
  std::vector<Run> runs;
};

void initialize(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bench");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, pointers.data());
}

/// Why a run was not timed. Google Benchmark has another name for it from version 1.8 on.
template <class Run>
std::string error_of(const Run& run) {
  if constexpr (requires { run.error_message; }) {
    return run.error_message;
  } else {
    return run.skip_message;
  }
}

TEST_CASE("rows are verified once, before they are timed, and their labels say where they belong") {
  int verified = 0, called = 0;
  add_host_bench_step(
      {"ladder", "8", "step", {.flops = 2, .bytes = 4, .traffic = {64, "first_cache"}}},
      [&] {
        ++verified;
        return std::string();
      },
      [&](std::int64_t) { ++called; });
  add_host_bench_step(
      {"ladder", "8", "wrong", {}, true}, [] { return std::string("wrong result"); },
      [](std::int64_t) {});
  add_host_bench_step(
      {"ladder", "8", "throws", {}, true},
      []() -> std::string { throw std::runtime_error("needs a GPU"); }, [](std::int64_t) {});
  initialize({"--benchmark_min_time=0.001", "--benchmark_repetitions=3"});
  Listener listener;
  benchmark::RunSpecifiedBenchmarks(&listener, "ladder/8");
  CHECK(verified == 1);
  CHECK(called > 0);
  REQUIRE(!listener.runs.empty());
  const auto& first = listener.runs[0];
  CHECK(first.benchmark_name() == "ladder/8/step/manual_time");
  const auto label = nlohmann::json::parse(first.report_label);
  CHECK(label["ladder"] == "ladder");
  CHECK(label["size"] == "8");
  CHECK(label["step"] == "step");
  CHECK(label["rival"] == false);
  CHECK(label["flops"] == 2);
  CHECK(label["arithmetic"] == "fp32");
  CHECK(label["traffic"] == 64);
  CHECK(label["traffic_from"] == "first_cache");
  std::string errors;
  for (const auto& run : listener.runs) {
    const std::string error = error_of(run);
    if (!error.empty() && errors.find(error) == std::string::npos) errors += error + ";";
  }
  CHECK(errors == "wrong result;needs a GPU;");
}

TEST_CASE("a repetition takes about the time that was asked for, and tells that of a call") {
  constexpr auto call_time = std::chrono::microseconds(20);
  int called = 0;
  add_host_bench_step({"quick", "8", "step"}, nullptr, [&](std::int64_t) {
    ++called;
    const auto end = std::chrono::steady_clock::now() + call_time;
    while (std::chrono::steady_clock::now() < end) continue;
  });
  initialize({"--benchmark_min_time=0.05", "--benchmark_repetitions=1"});
  Listener listener;
  benchmark::RunSpecifiedBenchmarks(&listener, "quick/8/step");
  REQUIRE(listener.runs.size() == 1);
  CHECK(listener.runs[0].GetAdjustedRealTime() >= 20);  // microseconds
  CHECK(listener.runs[0].GetAdjustedRealTime() < 2000);
  CHECK(called * 20e-6 <= 3 * 0.05);  // it is warmed up, and its number of calls is looked for
}

TEST_CASE("repetitions have as many calls each, however long those take") {
  int measured = 0;
  add_host_bench_step({"slower", "8", "step"}, nullptr, [&](std::int64_t index) {
    if (index == 0) ++measured;
    const auto end = std::chrono::steady_clock::now() + measured * std::chrono::microseconds(7);
    while (std::chrono::steady_clock::now() < end) continue;
  });
  initialize({"--benchmark_min_time=0.005", "--benchmark_repetitions=5"});
  Listener listener;
  benchmark::RunSpecifiedBenchmarks(&listener, "slower/8/step");
  int repetitions = 0;
  for (const auto& run : listener.runs) {
    if (run.run_type != benchmark::BenchmarkReporter::Run::RT_Iteration) continue;
    ++repetitions;
    CHECK(run.iterations == listener.runs[0].iterations);
  }
  CHECK(repetitions == 5);
}

TEST_CASE("a row has a ladder, a size and a name of its own") {
  const auto nothing = [](std::int64_t, cudaStream_t) {};
  CHECK_THROWS_AS(add_bench_step({"", "8", "x"}, nullptr, nothing), std::invalid_argument);
  CHECK_THROWS_AS(add_bench_step({"l", "", "x"}, nullptr, nothing), std::invalid_argument);
  add_bench_step({"twice", "8", "x"}, nullptr, nothing);
  CHECK_THROWS_AS(add_bench_step({"twice", "8", "x"}, nullptr, nothing), std::invalid_argument);
  CHECK(bench_works().back()->step.row == "twice/8/x");
}

TEST_CASE("a benchmark adds its rows when the main program asks, and once") {
  static int added;
  added = 0;
  const BenchRows rows([] { ++added; });
  const BenchRows more([] { added += 10; });
  CHECK(added == 0);
  add_bench_rows();
  CHECK(added == 11);
  add_bench_rows();
  CHECK(added == 11);
}

TEST_CASE("inputs are made once, when they are first asked for") {
  static int made;
  made = 0;
  struct Inputs {
    explicit Inputs(int n) : size(n) { ++made; }
    int size;
  };
  const auto inputs = made_once<Inputs>(3);
  const auto the_same = inputs;
  CHECK(made == 0);
  CHECK(inputs().size == 3);
  CHECK(&the_same() == &inputs());
  CHECK(made == 1);
}

TEST_CASE("the filter is Google Benchmark's") {
  CHECK(keeps_row("", "a/b"));
  CHECK(keeps_row("all", "a/b"));
  CHECK(keeps_row("^a", "a/b"));
  CHECK_FALSE(keeps_row("^b", "a/b"));
  CHECK_FALSE(keeps_row("-b", "a/b"));
  CHECK_THROWS_AS(keeps_row("(", "a/b"), std::invalid_argument);
}

TEST_CASE("a filter that keeps no row is refused before anything is measured") {
  const std::vector<std::string> rows = {"sum/1024/manual_time", "copy/1024/manual_time"};
  CHECK_NOTHROW(require_kept_rows({}, rows));
  CHECK_NOTHROW(require_kept_rows({"--benchmark_filter=max"}, {}));
  CHECK_NOTHROW(require_kept_rows({"--benchmark_filter=^sum"}, rows));
  CHECK_NOTHROW(require_kept_rows({"--benchmark_filter=max", "--benchmark_filter=-sum"}, rows));
  CHECK_THROWS_WITH_AS(require_kept_rows({"--benchmark_filter=max"}, rows), "no row matches 'max'",
                       std::invalid_argument);
}

}  // namespace
}  // namespace tut
