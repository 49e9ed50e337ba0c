#include "12_mixed_precision/memory_of_training.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace tut::ch12 {

TEST_CASE("7 billion parameters: 28 GB in FP32, 14 in 16 bits, and 112 to train with Adam") {
  CHECK(memory_of_training(7e9, USE_FP32).total() == 28e9);
  CHECK(memory_of_training(7e9, USE_16_BITS).total() == 14e9);
  CHECK(memory_of_training(7e9, USE_8_BITS).total() == 7e9);
  CHECK(memory_of_training(7e9, SGD_FP32).total() == 84e9);
  CHECK(memory_of_training(7e9, ADAM_FP32).total() == 112e9);
}

TEST_CASE("mixed precision saves no memory for parameters, and half of the activations") {
  CHECK(memory_of_training(7e9, ADAM_MIXED).total() == memory_of_training(7e9, ADAM_FP32).total());
  CHECK(memory_of_training(7e9, SGD_MIXED).total() == memory_of_training(7e9, SGD_FP32).total());
  CHECK(memory_of_training(0, ADAM_MIXED, 1e9).total() == 2e9);
  CHECK(memory_of_training(0, ADAM_FP32, 1e9).activations == 4e9);
  CHECK(memory_of_training(1, ADAM_MIXED).master == 4);
}

TEST_CASE(
    "7 billion parameters on 24 GB: 16 bits fit with 4096 tokens in the KV cache, FP32 does not") {
  constexpr double TOKENS = 4096;
  const auto use = [](const TrainingRecipe& recipe) {
    return memory_of_training(SEVEN_BILLION.parameters, recipe, 0,
                              kv_cache_numbers(SEVEN_BILLION, TOKENS));
  };
  CHECK(use(USE_16_BITS).kv_cache == 2.0 * 1024 * 1024 * 1024);
  CHECK(use(USE_FP32).total() > 24e9);
  CHECK(use(USE_16_BITS).total() < 24e9);
  CHECK(use(USE_8_BITS).total() == use(USE_16_BITS).total() / 2);
  CHECK(use(USE_4_BITS).total() == use(USE_16_BITS).total() / 4);
  const double activations = kept_activations(SEVEN_BILLION, 2048);
  CHECK(memory_of_training(SEVEN_BILLION.parameters, ADAM_MIXED, activations).activations ==
        34.0 * 2048 * 4096 * 32);
  CHECK(memory_of_training(SEVEN_BILLION.parameters, ADAM_8_BIT_STATE).total() == 70e9);
}

TEST_CASE("less than nothing is refused") {
  CHECK_THROWS_AS(memory_of_training(-1, USE_FP32), std::invalid_argument);
  CHECK_THROWS_AS(memory_of_training(1, SGD_FP32, -1), std::invalid_argument);
  CHECK_THROWS_AS(memory_of_training(1, USE_FP32, 0, -1), std::invalid_argument);
}

}  // namespace tut::ch12
