#include "learn/core/gpu.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace tut::learn;

TEST_CASE("parse_gpus reads nvidia-smi's table and skips what it does not know") {
  const std::vector<Gpu> gpus = parse_gpus(
      "NVIDIA H200, 9.0, 143771, 700.00, 570.86.15\n"
      "NVIDIA GeForce RTX 2080, 7.5, 8192, [N/A], 550.54\n"
      "No devices were found\n");
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[0].name == "NVIDIA H200");
  CHECK(gpus[0].capability == 90);
  CHECK(gpus[0].memory_mib == 143771);
  CHECK(gpus[0].power_limit_watts == 700);
  CHECK(gpus[0].driver == "570.86.15");
  CHECK(gpus[1].capability == 75);
  CHECK(gpus[1].power_limit_watts == 0);
}

TEST_CASE("native_obstacle knows minimum, exact architecture and number of GPUs") {
  const std::vector<Gpu> none;
  const std::vector<Gpu> ampere = {{"A100", 80, 0, 0, ""}};
  const std::vector<Gpu> hopper = {{"H100", 90, 0, 0, ""}};
  const std::vector<Gpu> blackwell = {{"B200", 100, 0, 0, ""}};
  CHECK(native_obstacle("any", none) == "needs a GPU; this machine has none");
  CHECK(native_obstacle("sm_80", none) ==
        "needs a GPU of compute capability 8.0 (sm_80); this machine has none");
  CHECK(native_obstacle("gpus_2", none) == "needs 2 GPUs; this machine has none");
  CHECK(native_obstacle("any", ampere) == std::nullopt);
  CHECK(native_obstacle("sm_80", ampere) == std::nullopt);
  CHECK(native_obstacle("sm_80", hopper) == std::nullopt);
  CHECK(native_obstacle("sm_90a", hopper) == std::nullopt);
  CHECK(native_obstacle("sm_90", ampere) ==
        "needs a GPU of compute capability 9.0 (sm_90); this machine has 8.0");
  CHECK(native_obstacle("sm_90a", blackwell) ==
        "needs a GPU of compute capability 9.0 exactly (sm_90a); this machine has 10.0");
  CHECK(native_obstacle("gpus_2", hopper) == "needs 2 GPUs; this machine has 1");
}
