#include "01_naive_matmul/roofline.hpp"

#include <doctest/doctest.h>

namespace tut::ch01 {

TEST_CASE("the roofline is a slope and a roof") {
  const Roofline machine{100, 20};
  CHECK(machine.attainable(1) == 20);
  CHECK(machine.attainable(5) == 100);
  CHECK(machine.attainable(50) == 100);
}

TEST_CASE("the intensity of a product counts each matrix once") {
  CHECK(matmul_intensity(1, 1, 1) == doctest::Approx(2.0 / 12));
  CHECK(matmul_intensity(1024, 1024, 1024) == doctest::Approx(1024.0 / 6));
  CHECK(matmul_intensity(1, 1000, 1000) == doctest::Approx(0.5).epsilon(0.01));
}

TEST_CASE("the measured rates are those of a processor") {
  // Wide: from a slow, busy core to one that no machine has yet.
  CHECK(measure_peak_gflops() > 0.5);
  CHECK(measure_peak_gflops() < 5000);
  const double cached = measure_read_gb_s(16 << 10);
  CHECK(cached > 0.5);
  CHECK(cached < 5000);
}

}  // namespace tut::ch01
