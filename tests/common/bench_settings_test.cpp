#include "tut/bench/bench_settings.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace tut {
namespace {

TEST_CASE("benchmarks refuse each setting that falsifies them, and name it") {
  CHECK(unfair_setting() == "");
  for (const char* name : {"NVIDIA_TF32_OVERRIDE", "CUBLAS_EMULATE_SINGLE_PRECISION",
                           "CUBLAS_EMULATE_DOUBLE_PRECISION", "CUBLAS_EMULATION_STRATEGY",
                           "CUBLAS_FIXEDPOINT_EMULATION_MANTISSA_BIT_COUNT"}) {
    CAPTURE(name);
    setenv(name, "0", 1);
    CHECK(unfair_setting().starts_with(std::string(name) + " is set to \"0\": "));
    unsetenv(name);
  }
  CHECK(unfair_setting() == "");
}

TEST_CASE("the context names device, toolkit, compiler and processor") {
  const auto facts = device_facts();
  for (const char* key : {"backend", "device", "cuda_toolkit", "compiler", "processor"}) {
    CAPTURE(key);
    CHECK(facts.contains(key));
  }
}

TEST_CASE("a user's arguments come after the defaults, and so win") {
  std::string name = "bench", user = "--benchmark_repetitions=2";
  char* argv[] = {name.data(), user.data(), nullptr};
  const auto arguments = with_default_arguments(2, argv);
  CHECK(arguments.front() == "bench");
  CHECK(arguments.back() == user);
  CHECK(arguments.size() > 3);
}

TEST_CASE("the least time of a row is in the form that the library takes, however it was given") {
  std::string name = "bench", plain = "--benchmark_min_time=0.25", unit = plain + "s",
              rounds = "--benchmark_min_time=5x";
  char* argv[] = {name.data(), plain.data(), unit.data(), rounds.data(), nullptr};
  const auto arguments = with_default_arguments(4, argv);
  const std::size_t last = arguments.size() - 1;
  CHECK(arguments[last] == rounds);
  CHECK(arguments[last - 1] == arguments[last - 2]);
  CHECK((arguments[last - 1] == plain || arguments[last - 1] == unit));
}

}  // namespace
}  // namespace tut
