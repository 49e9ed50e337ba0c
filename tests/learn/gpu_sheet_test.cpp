#include "learn/bench/gpu_sheet.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "learn/core/error.hpp"

using namespace tut::learn;

namespace {

std::string error_of(const auto& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

constexpr const char* one_sheet =
    "[[gpu]]\nname = \"box\"\ntitle = \"Box 1\"\nsource = \"https://box\"\nmemory_gb = 16\n"
    "bandwidth_gb_s = 300\nfp32_tflops = 8.1\nfp16_tflops = 65\n";

}  // namespace

TEST_CASE("the data sheets of the course: five GPUs, each figure with its document") {
  const std::vector<GpuSheet> sheets = load_gpu_sheets(TUT_SOURCE_DIR);
  REQUIRE(sheets.size() == 5);
  for (const char* name : {"h200", "h100", "a100", "rtx4090", "t4"}) {
    const GpuSheet& sheet = pick_gpu(sheets, name);
    CAPTURE(sheet.name);
    CHECK(sheet.source.starts_with("https://"));
    CHECK(sheet.title.starts_with("NVIDIA "));
    // 10^9 bytes and 10^12 FLOP/s: a figure in the wrong unit is a factor of a thousand away.
    CHECK(sheet.memory_bytes >= 8e9);
    CHECK(sheet.memory_bytes < 1e12);
    CHECK(sheet.bandwidth >= 1e11);
    CHECK(sheet.bandwidth < 1e13);
    for (const auto& rate : sheet.rates) {
      CAPTURE(rate.first);
      CHECK(rate.second >= 5e12);
      CHECK(rate.second < 2e15);
    }
  }
  CHECK(&pick_gpu(sheets, "H100") == &pick_gpu(sheets, usual_gpu));
  CHECK(pick_gpu(sheets, "h100").bandwidth == 3.35e12);
  CHECK(pick_gpu(sheets, "h100").rates.at("fp32") == 67e12);
  CHECK(pick_gpu(sheets, "h100").rates.at("fp16") == 989e12);  // dense: half of 1,979
  CHECK(pick_gpu(sheets, "rtx4090").rates.at("fp16") == doctest::Approx(165.2e12));
  // Tensor cores of compute capability 7.5 multiply neither of these.
  CHECK(pick_gpu(sheets, "t4").rates.count("tf32") == 0);
  CHECK(pick_gpu(sheets, "t4").rates.count("bf16") == 0);
}

TEST_CASE("a wrong name is one line with the names there are") {
  const std::vector<GpuSheet> sheets = load_gpu_sheets(TUT_SOURCE_DIR);
  CHECK(error_of([&] { pick_gpu(sheets, "h101"); }) ==
        "no data sheet of a GPU 'h101'; --gpu takes h200, h100, a100, rtx4090, t4");
}

TEST_CASE("a data sheet's mistakes are told with their lines") {
  CHECK(parse_gpu_sheets(one_sheet, "x").at(0).rates.size() == 2);
  const auto check_error = [](std::string text, const std::string& from, const std::string& to,
                              const std::string& expected) {
    const std::size_t at = text.find(from);
    REQUIRE(at != text.npos);
    text.replace(at, from.size(), to);
    CHECK(error_of([&] { parse_gpu_sheets(text, "x.toml"); }) == expected);
  };
  check_error(one_sheet, "memory_gb = 16\n", "",
              "x.toml:1: 'memory_gb' of a GPU; expected a number above 0");
  check_error(one_sheet, "= 300", "= 0",
              "x.toml:6: 'bandwidth_gb_s' of a GPU; expected a number above 0");
  check_error(one_sheet, "= 65", "= \"many\"",
              "x.toml:8: 'fp16_tflops' of a GPU; expected a number above 0");
  check_error(one_sheet, "\"https://box\"", "\"\"", "x.toml:4: 'source' of a GPU; expected text");
  CHECK(error_of([] { parse_gpu_sheets("a = 1", "x.toml"); }) == "x.toml has no [[gpu]]");
  CHECK(error_of([] { parse_gpu_sheets("[[gpu", "x.toml"); }).starts_with("x.toml:1: "));
}

TEST_CASE("counts get a GPU's roofs") {
  Results counts;
  counts.context = {{"counted", "true"}};
  const Results bounded = with_roofs_of(parse_gpu_sheets(one_sheet, "x").at(0), counts);
  CHECK(bounded.counted());
  CHECK(bounded.at("bounds_of") == "Box 1");
  CHECK(bounded.roof("memory") == 3e11);
  CHECK(bounded.roof("fp32") == 8.1e12);
  CHECK(bounded.roof("tf32") == 0);
}
