#include "16_cnn_trainer/model.hpp"

#include "16_cnn_trainer/architecture.hpp"
#include "tut/require.hpp"

namespace tut::ch16 {

void require_digits(const data::Split& sets) {
  using A = Architecture;
  for (const data::Dataset* set : {&sets.train, &sets.test}) {
    const bool fits = set->rows == A::side && set->cols == A::side && set->classes == A::classes;
    require(fits && set->size() > 0,
            "the data has " + std::to_string(set->size()) + " images of " +
                std::to_string(set->rows) + " x " + std::to_string(set->cols) + " in " +
                std::to_string(set->classes) + " classes; expected some of 28 x 28 in 10");
  }
}

}  // namespace tut::ch16
