#include <doctest/doctest.h>

#include <string>

#include "learn/bench/chart.hpp"
#include "learn/bench/limit.hpp"
#include "learn/bench/results.hpp"
#include "learn/core/error.hpp"

using namespace tut::learn;

namespace {

// As Google Benchmark writes it: a step's place is text in its label.
constexpr const char* measured_lines = R"({
  "context": {"backend": "cuda", "device": "Box 1", "num_cpus": 4,
              "roof_memory": "4e12", "roof_fp32": "5e13"},
  "benchmarks": [
    {"name": "peak", "run_name": "peak", "run_type": "iteration", "real_time": 5, "time_unit": "ms"},
    {"name": "m/64/library/manual_time", "run_name": "m/64/library/manual_time",
     "run_type": "iteration", "real_time": 10, "time_unit": "us",
     "label": "{\"ladder\":\"m\",\"size\":\"64\",\"step\":\"library\",\"order\":2,\"rival\":true,\"flops\":4e8,\"bytes\":1e6,\"arithmetic\":\"fp32\"}"},
    {"name": "m/64/tiled/manual_time", "run_name": "m/64/tiled/manual_time",
     "run_type": "iteration", "real_time": 20, "time_unit": "us",
     "label": "{\"ladder\":\"m\",\"size\":\"64\",\"step\":\"tiled\",\"order\":1,\"rival\":false,\"flops\":4e8,\"bytes\":1e6,\"arithmetic\":\"fp32\"}"},
    {"name": "m/64/tiled/manual_time", "run_name": "m/64/tiled/manual_time",
     "run_type": "iteration", "real_time": 40, "time_unit": "us",
     "label": "{\"ladder\":\"m\",\"size\":\"64\",\"step\":\"tiled\",\"order\":1,\"rival\":false,\"flops\":4e8,\"bytes\":1e6,\"arithmetic\":\"fp32\"}"},
    {"name": "m/64/tiled/manual_time", "run_name": "m/64/tiled/manual_time",
     "run_type": "iteration", "real_time": 30, "time_unit": "us",
     "label": "{\"ladder\":\"m\",\"size\":\"64\",\"step\":\"tiled\",\"order\":1,\"rival\":false,\"flops\":4e8,\"bytes\":1e6,\"arithmetic\":\"fp32\"}"},
    {"name": "m/64/tiled/manual_time_median", "run_name": "m/64/tiled/manual_time",
     "run_type": "aggregate", "aggregate_name": "median", "real_time": 30, "time_unit": "us"},
    {"name": "m/64/naive/manual_time", "run_name": "m/64/naive/manual_time",
     "error_occurred": true, "error_message": "wrong result",
     "label": "{\"ladder\":\"m\",\"size\":\"64\",\"step\":\"naive\",\"order\":0,\"rival\":false,\"flops\":4e8,\"bytes\":1e6,\"arithmetic\":\"fp32\"}"}
  ]})";

constexpr const char* counted_lines = R"({
  "context": {"counted": "true", "backend": "cpu"},
  "benchmarks": [
    {"name": "t/8x8/turn", "ladder": "t", "size": "8x8", "step": "turn", "order": 0, "rival": false,
     "flops": 0, "bytes": 512.0, "arithmetic": "fp32", "bytes_moved": 1024, "flops_per_byte": 0.0,
     "requests": 4, "sectors": 32, "atomic_repeats": 0, "shared_wavefronts": 8,
     "bank_conflicts": 6},
    {"name": "t/8x8/cudaMemcpy", "ladder": "t", "size": "8x8", "step": "cudaMemcpy", "order": 1,
     "rival": true, "flops": 0, "bytes": 512.0, "arithmetic": "fp32"}]})";

ResultRow row_of(double seconds, double flops, double bytes) {
  ResultRow row;
  row.seconds = {seconds};
  row.flops = flops;
  row.bytes = bytes;
  row.arithmetic = "fp32";
  return row;
}

}  // namespace

TEST_CASE("rows become ladders in the lesson's order, with the medians of their repetitions") {
  const Results results = parse_results(measured_lines, "x.json");
  CHECK(results.roof("memory") == 4e12);
  CHECK(results.roof("fp16") == 0);
  CHECK(results.rows.size() == 4);
  const auto ladders = ladders_of(results);
  REQUIRE(ladders.size() == 1);
  CHECK(ladders[0].title() == "m, 64");
  REQUIRE(ladders[0].rows.size() == 3);
  CHECK(ladders[0].rows[0].error == "wrong result");
  CHECK(ladders[0].rows[1].step == "tiled");
  CHECK(ladders[0].rows[1].seconds.size() == 3);
  CHECK(ladders[0].rows[1].median_seconds() == doctest::Approx(30e-6));
  REQUIRE(ladders[0].rival() != nullptr);
  CHECK(ladders[0].rival()->step == "library");
}

TEST_CASE("results that are kept list their repetitions; older ones have a median") {
  const Results results = parse_results(R"({"benchmarks": [
    {"name": "a_median", "run_name": "a", "aggregate_name": "median", "real_time": 3,
     "time_unit": "us", "repetition_times": [2, 3, 4], "ladder": "l", "size": "1", "step": "a"},
    {"name": "b_median", "run_name": "b", "aggregate_name": "median", "real_time": 5,
     "time_unit": "us"}]})",
                                        "x.json");
  REQUIRE(results.find("a") != nullptr);
  CHECK(results.find("a")->seconds.size() == 3);
  REQUIRE(results.find("b") != nullptr);
  CHECK(results.find("b")->median_seconds() == doctest::Approx(5e-6));
  CHECK(ladders_of(results).size() == 1);
}

TEST_CASE("what is no result is told in one line") {
  for (const char* text : {"", "{", "[]", "{}", R"({"benchmarks": 3})", R"({"benchmarks": [3]})"}) {
    CAPTURE(text);
    try {
      parse_results(text, "x.json");
      FAIL("accepted");
    } catch (const UsageError& error) {
      const std::string message = error.what();
      CHECK(message.starts_with("x.json holds no results of a benchmark: "));
      CHECK(message.find('\n') == std::string::npos);
    }
  }
  CHECK_THROWS_AS(load_results("/nowhere/x.json"), UsageError);
}

TEST_CASE("amounts have three digits and a prefix") {
  CHECK(amount(4.05e12, "B/s") == "4.05 TB/s");
  CHECK(amount(999.9e9, "B") == "1.00 TB");
  CHECK(amount(123456, "B") == "123 kB");
  CHECK(amount(12.34e-6, "s") == "12.3 us");
  CHECK(amount(0, "B") == "0 B");
}

TEST_CASE("the limit is the nearer roof, or neither") {
  const Results results = parse_results(measured_lines, "x.json");
  CHECK(limit_text(row_of(1, 1e12, 3.2e12), results) == "bytes: 80 % of 4.00 TB/s");
  CHECK(limit_text(row_of(1, 3.1e13, 1e12), results) == "FLOPs: 62 % of 50.0 TFLOP/s");
  CHECK(limit_text(row_of(1, 1e13, 1e12), results) == "neither: under half of both");
  CHECK(limit_text(row_of(1, 0, 1e12), results) == "neither: under half of the bytes");
  ResultRow half = row_of(1, 1e13, 0);
  half.arithmetic = "fp16";  // whose roof nobody measured
  CHECK(limit_text(half, results) == "");
  Results tensor = results;
  tensor.context["roof_fp16"] = "4e14";
  half.flops = 3.2e14;
  CHECK(limit_text(half, tensor) == "FLOPs: 80 % of 400 TFLOP/s by WMMA");
  tensor.context["roof_fp8_wgmma"] = "4e14";
  half.arithmetic = "fp8_wgmma";
  CHECK(limit_text(half, tensor) == "FLOPs: 80 % of 400 TFLOP/s by wgmma");
  CHECK(tensor.roof("fp16_wgmma") == 4e14);  // not measured: a data sheet's
  tensor.context["roof_fp16_wgmma"] = "6e14";
  CHECK(tensor.roof("fp16_wgmma") == 6e14);
  CHECK(tensor.roof("fp16") == 4e14);
  CHECK(tensor.roof("bf16_wgmma") == 0);
}

TEST_CASE("a row's own traffic limits it, by the rate of what it comes from") {
  const Results results = parse_results(
      R"({"context": {"backend": "cpu", "roof_memory": "1e10", "roof_first_cache": "2e11",
                      "roof_fp32": "1e11"},
          "benchmarks": [
            {"name": "a", "ladder": "m", "size": "64", "step": "a", "real_time": 1,
             "time_unit": "s", "flops": 2e10, "bytes": 1e9, "arithmetic": "fp32",
             "traffic": 1.6e11, "traffic_from": "first_cache"},
            {"name": "b", "ladder": "m", "size": "64", "step": "b", "real_time": 1,
             "time_unit": "s", "flops": 2e10, "bytes": 1e9, "arithmetic": "fp32",
             "traffic": 9e9, "traffic_from": "memory"},
            {"name": "c", "ladder": "m", "size": "64", "step": "c", "real_time": 1,
             "time_unit": "s", "flops": 2e10, "bytes": 8e9, "arithmetic": "fp32"}]})",
      "x.json");
  CHECK(limit_text(results.rows[0], results) == "bytes: 80 % of 200 GB/s of the first cache");
  CHECK(limit_text(results.rows[1], results) == "bytes: 90 % of 10.0 GB/s");
  CHECK(limit_text(results.rows[2], results) == "bytes: 80 % of 10.0 GB/s");
  CHECK_FALSE(results.rows[2].traffic);
}

TEST_CASE("a chart of times: order, rival, ratio, limit and what went wrong") {
  const std::string text =
      time_charts(parse_results(measured_lines, "x.json"), ChartStyle{Style()});
  CHECK(
      text ==
      "m, 64\n"
      "  naive                              wrong result\n"
      "  tiled    ########                  30.0 us  13.3 TFLOP/s  0.333 x  neither: under half of "
      "both\n"
      "  library  ========================  10.0 us  40.0 TFLOP/s    rival  FLOPs: 80 % of 50.0 "
      "TFLOP/s\n");
}

TEST_CASE("a chart of counts leaves libraries out and shows the least there is") {
  const std::string text =
      count_charts(parse_results(counted_lines, "x.json"), ChartStyle{Style()});
  CHECK(text ==
        "t, 8x8: bytes moved\n"
        "  turn                ########################  1.02 kB    8 sectors/request  6 bank "
        "conflicts\n"
        "  the least there is  ============                512 B\n");
}
