#include "16_cnn_trainer/trainer/experiment/model.hpp"

#include <functional>
#include <numeric>

#include "16_cnn_trainer/architecture.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch16 {

std::size_t count_correct(std::span<const std::uint8_t> predictions, const data::Dataset& set) {
  require(predictions.size() == set.size(), {"there are ", predictions.size(), " predictions to ",
                                             set.size(), " images; expected one each"});
  return static_cast<std::size_t>(std::inner_product(predictions.begin(), predictions.end(),
                                                     set.labels.begin(), 0, std::plus<>(),
                                                     std::equal_to<>()));
}

void require_digits(const data::Split& sets) {
  using A = Architecture;
  for (const data::Dataset* set : {&sets.train, &sets.test}) {
    const bool fits = set->rows == A::side && set->cols == A::side && set->classes == A::classes;
    require(fits && set->size() > 0,
            {"the data has ", set->size(), " images of ", set->rows, " x ", set->cols, " in ",
             set->classes, " classes; expected some of 28 x 28 in 10"});
  }
}

}  // namespace tut::ch16
