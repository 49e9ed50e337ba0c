/// \file
/// How much memory a network takes: to be used, and to be trained.
#pragma once

namespace tut::ch12 {

/// Bytes for each parameter, by what they are for.
struct TrainingRecipe {
  const char* name;
  double weights;        ///< what forward and backward read
  double master;         ///< FP32 weights beside shorter ones
  double gradients;      ///< one for each weight
  double optimiser;      ///< momentum; for Adam the means of gradients and of their squares
  double an_activation;  ///< bytes of one activation that is kept for the backward pass
};

inline constexpr TrainingRecipe USE_FP32{"use, FP32", 4, 0, 0, 0, 0};
inline constexpr TrainingRecipe USE_16_BITS{"use, 16 bits", 2, 0, 0, 0, 0};
inline constexpr TrainingRecipe USE_8_BITS{"use, 8 bits", 1, 0, 0, 0, 0};
inline constexpr TrainingRecipe SGD_FP32{"SGD with momentum, FP32", 4, 0, 4, 4, 4};
inline constexpr TrainingRecipe SGD_MIXED{"SGD with momentum, mixed", 2, 4, 2, 4, 2};
inline constexpr TrainingRecipe ADAM_FP32{"Adam, FP32", 4, 0, 4, 8, 4};
inline constexpr TrainingRecipe ADAM_MIXED{"Adam, mixed", 2, 4, 2, 8, 2};

/// Bytes, by what they are for.
struct TrainingMemory {
  double weights, master, gradients, optimiser, activations;
  constexpr double total() const { return weights + master + gradients + optimiser + activations; }
};

/// The memory of a network with so many parameters, which keeps so many activations for its
/// backward pass. Errors: `std::invalid_argument` if one of them is negative.
TrainingMemory memory_of_training(double parameters, const TrainingRecipe& recipe,
                                  double activations = 0);

}  // namespace tut::ch12
