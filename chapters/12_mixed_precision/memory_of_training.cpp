#include "12_mixed_precision/memory_of_training.hpp"

#include <string>

#include "tut/errors/require.hpp"

namespace tut::ch12 {

TrainingMemory memory_of_training(double parameters, const TrainingRecipe& recipe,
                                  double activations, double cached) {
  require(parameters >= 0 && activations >= 0 && cached >= 0,
          {parameters, " parameters, ", activations, " activations and ", cached,
           " numbers in the KV cache; expected at least 0 of each"});
  return {parameters * recipe.weights,        parameters * recipe.master,
          parameters * recipe.gradients,      parameters * recipe.optimiser,
          activations * recipe.an_activation, cached * recipe.cached};
}

}  // namespace tut::ch12
