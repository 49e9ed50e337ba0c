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
  double cached = 0;     ///< bytes of one number of the KV cache
};

inline constexpr TrainingRecipe USE_FP32{"use, FP32", 4, 0, 0, 0, 0, 4};
inline constexpr TrainingRecipe USE_16_BITS{"use, 16 bits", 2, 0, 0, 0, 0, 2};
inline constexpr TrainingRecipe USE_8_BITS{"use, 8 bits", 1, 0, 0, 0, 0, 1};
inline constexpr TrainingRecipe USE_4_BITS{"use, 4 bits", 0.5, 0, 0, 0, 0, 0.5};
inline constexpr TrainingRecipe SGD_FP32{"SGD with momentum, FP32", 4, 0, 4, 4, 4};
inline constexpr TrainingRecipe SGD_MIXED{"SGD with momentum, mixed", 2, 4, 2, 4, 2};
inline constexpr TrainingRecipe ADAM_FP32{"Adam, FP32", 4, 0, 4, 8, 4};
inline constexpr TrainingRecipe ADAM_MIXED{"Adam, mixed", 2, 4, 2, 8, 2};
inline constexpr TrainingRecipe ADAM_8_BIT_STATE{"Adam, mixed, 8-bit state", 2, 4, 2, 2, 2};

/// Bytes, by what they are for.
struct TrainingMemory {
  double weights, master, gradients, optimiser, activations, kv_cache;
  constexpr double total() const {
    return weights + master + gradients + optimiser + activations + kv_cache;
  }
};

/// The memory of a network with so many parameters, which keeps so many activations for its
/// backward pass and so many numbers in its KV cache. Errors: `std::invalid_argument` if one of
/// them is negative.
TrainingMemory memory_of_training(double parameters, const TrainingRecipe& recipe,
                                  double activations = 0, double cached = 0);

/// The sizes of a language model on which its memory depends.
struct LanguageModel {
  double parameters, layers, width;
};

/// Source: H. Touvron et al., "LLaMA: Open and Efficient Foundation Language Models", 2023, table
/// 2, whose smallest model this is; its 6.7 billion parameters are commonly called 7.
inline constexpr LanguageModel SEVEN_BILLION{7e9, 32, 4096};

//! [language-model]
/// Numbers in the KV cache: in each layer a key and a value of `width` numbers for every token.
constexpr double kv_cache_numbers(const LanguageModel& model, double tokens) {
  return 2 * model.layers * model.width * tokens;
}

/// Activations that are kept for the backward pass, about, if attention keeps no matrix of all
/// pairs of tokens: 17 vectors of `width` numbers for every token and layer.
constexpr double kept_activations(const LanguageModel& model, double tokens) {
  return 17 * model.layers * model.width * tokens;
}
//! [language-model]

}  // namespace tut::ch12
