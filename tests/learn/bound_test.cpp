#include "learn/bench/bound.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "learn/bench/chart.hpp"
#include "learn/bench/gpu_sheet.hpp"

using namespace tut::learn;

namespace {

const ChartStyle plain{Style(), false};

Results kept_counts(const std::string& chapter, const std::string& gpu) {
  const std::vector<GpuSheet> sheets = load_gpu_sheets(TUT_SOURCE_DIR);
  return with_roofs_of(
      pick_gpu(sheets, gpu),
      load_results(std::string(TUT_SOURCE_DIR) + "/docs/results/cpu_backend/" + chapter + ".json"));
}

ResultRow counted_row(const std::string& step, double flops, double least, double moved) {
  ResultRow row;
  row.name = row.step = step;
  row.ladder = "l";
  row.size = "8";
  row.flops = flops;
  row.bytes = least;
  row.arithmetic = "fp32";
  row.counted = CountedRow{.bytes_moved = moved};
  return row;
}

Results on_box(std::vector<ResultRow> rows) {
  Results results;
  results.context = {{"counted", "true"}, {"roof_memory", "1e12"}, {"roof_fp32", "2e13"}};
  results.rows = std::move(rows);
  return results;
}

/// The lines of a chart without bars and runs of blanks.
std::string words_of(const std::string& chart) {
  std::string words;
  for (const char c : chart) {
    if (c == '#' || c == '=') continue;
    if (c == ' ' && (words.empty() || words.back() == ' ' || words.back() == '\n')) continue;
    words += c;
  }
  return words;
}

}  // namespace

TEST_CASE("a bound is the longer of the bytes' time and the FLOPs' time") {
  // 1 TB/s and 20 TFLOP/s: they meet at 20 FLOPs for each byte.
  const Results results = on_box({});
  const auto by_bytes = bound_of(counted_row("a", 10e9, 1e8, 1e9), results);
  REQUIRE(by_bytes);
  CHECK(by_bytes->by_bytes);
  CHECK(by_bytes->seconds == doctest::Approx(1e-3));
  const auto by_flops = bound_of(counted_row("b", 40e9, 1e8, 1e9), results);
  REQUIRE(by_flops);
  CHECK_FALSE(by_flops->by_bytes);
  CHECK(by_flops->seconds == doctest::Approx(2e-3));
  const auto copied = bound_of(counted_row("c", 0, 1e8, 2e9), results);
  REQUIRE(copied);
  CHECK(copied->by_bytes);
  CHECK(copied->seconds == doctest::Approx(2e-3));
}

TEST_CASE("there is no bound without a count, a roof of memory, or a roof of the arithmetic") {
  ResultRow row = counted_row("a", 10e9, 1e8, 1e9);
  CHECK_FALSE(bound_of(row, Results{}));
  row.arithmetic = "tf32";
  CHECK_FALSE(bound_of(row, on_box({})));
  row.arithmetic = "fp32";
  row.counted.reset();
  CHECK_FALSE(bound_of(row, on_box({})));
}

// 2 * 256^3 FLOPs; matmul_coalesced requests 84148224 bytes, 0.39875 FLOPs for each, and
// matmul_tiled 4456448, 7.5294 for each. Moved once, the matrices are 786432 bytes: 42.67 for each.
TEST_CASE("chapter 05's bounds on an H100: 3.35 TB/s and 67 TFLOP/s, which meet at 20 FLOP/byte") {
  const std::string chart = words_of(bound_charts(kept_counts("05", "h100"), plain));
  CAPTURE(chart);
  CHECK(chart.find("matmul, 256x256x256: bound, not measured\n") != chart.npos);
  CHECK(chart.find("matmul_coalesced 1.34 TFLOP/s 0.399 FLOP/B 1 x bytes: 3.35 TB/s\n") !=
        chart.npos);
  CHECK(chart.find("matmul_tiled 25.2 TFLOP/s 7.53 FLOP/B 18.9 x bytes: 3.35 TB/s\n") !=
        chart.npos);
  CHECK(chart.find("the least bytes 67.0 TFLOP/s 42.7 FLOP/B 50.2 x "
                   "FLOPs: 67.0 TFLOP/s of FP32 on CUDA cores\n") != chart.npos);
  // The library's kernels are not counted.
  CHECK(chart.find("cublasSgemm") == chart.npos);
  CHECK(chart.find("nan") == chart.npos);
}

TEST_CASE("chapter 05's bounds on a T4: 300 GB/s and 8.1 TFLOP/s, which meet at 27 FLOP/byte") {
  const std::string chart = words_of(bound_charts(kept_counts("05", "t4"), plain));
  CAPTURE(chart);
  CHECK(chart.find("matmul_coalesced 120 GFLOP/s 0.399 FLOP/B 1 x bytes: 300 GB/s\n") !=
        chart.npos);
  CHECK(chart.find("matmul_tiled 2.26 TFLOP/s 7.53 FLOP/B 18.9 x bytes: 300 GB/s\n") != chart.npos);
  CHECK(chart.find("the least bytes 8.10 TFLOP/s") != chart.npos);
}

TEST_CASE("what does no FLOPs is bound by the bytes that it moves beside those that it must") {
  const std::string chart = words_of(bound_charts(
      on_box({counted_row("along columns", 0, 2e6, 8e6), counted_row("tiled", 0, 2e6, 2e6)}),
      plain));
  CAPTURE(chart);
  // 2 MB that must move in the 8 us that 8 MB take.
  CHECK(chart.find("along columns 250 GB/s 1 x bytes: 1.00 TB/s\n") != chart.npos);
  CHECK(chart.find("tiled 1.00 TB/s 4 x bytes: 1.00 TB/s\n") != chart.npos);
}

TEST_CASE("a GPU that lacks an arithmetic says so in the row") {
  const std::string chart = words_of(bound_charts(kept_counts("12", "t4"), plain));
  CAPTURE(chart);
  CHECK(chart.find("matmul_tf32 the GPU has no TF32 on tensor cores\n") != chart.npos);
}

TEST_CASE("three products in TF32 for one: a third of TF32's rate") {
  // 2 * 256^3 FLOPs by 1310720 bytes are 25.6 for each byte: on an H100 memory would allow 85.8
  // TFLOP/s, and tensor cores 494/3.
  const std::string chart = words_of(bound_charts(kept_counts("12", "h100"), plain));
  CAPTURE(chart);
  CHECK(chart.find("matmul_3xtf32 85.8 TFLOP/s 25.6 FLOP/B 6.6 x bytes: 3.35 TB/s\n") !=
        chart.npos);
  // On an RTX 4090 arithmetic is the limit once each byte moves once: 82.6/3 TFLOP/s.
  const std::string other = words_of(bound_charts(kept_counts("12", "rtx4090"), plain));
  CAPTURE(other);
  CHECK(other.find("FLOPs: 27.5 TFLOP/s of 3 TF32 products on tensor cores\n") != other.npos);
  Results results = on_box({});
  results.context["roof_tf32"] = "3e13";
  CHECK(results.roof("tf32/3") == 1e13);
  CHECK(results.roof("tf32/x") == 0);
  CHECK(results.roof("fp16/3") == 0);
}
