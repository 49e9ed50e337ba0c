#include "16_cnn_trainer/confusion_matrix.hpp"

#include <cstddef>
#include <string>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 256;

__global__ void confusion_matrix_kernel(const std::uint8_t* labels, const std::uint8_t* predictions,
                                        std::size_t size, unsigned* counts, int classes) {
  __shared__ unsigned table[CONFUSION_CLASSES * CONFUSION_CLASSES];
  const std::size_t first = std::size_t{blockIdx.x} * CONFUSION_STRETCH;

  // TODO: Clear the part of the table that is used. Who may count before all of it is clear?

  // TODO: Count the block's images in its table, neighbouring threads on neighbouring images, up to the
  // last there is. Two threads may add to one element at the same time. Mind what is no class.

  // TODO: When all have counted, add the table to the counts of all blocks. What is 0 need not travel.
}

}  // namespace

void confusion_matrix(std::span<const std::uint8_t> labels,
                      std::span<const std::uint8_t> predictions, MatrixView<unsigned> counts,
                      cudaStream_t stream) {
  ch14::require_elements(labels.size(), labels.data(), "the vector of labels");
  require_same_size(predictions.size(), "the predictions", labels.size(), "the labels");
  require_matrix(counts, "the counts");
  if (counts.rows != counts.cols || counts.stride != counts.cols ||
      counts.rows > CONFUSION_CLASSES) {
    require(false, {"the counts are ", shape_part(counts), " with stride ", counts.stride,
                    "; expected a square of at most 64 rows without gaps"});
  }
  const auto blocks =
      static_cast<unsigned>(ceil_div(labels.size(), std::size_t{CONFUSION_STRETCH}));
  confusion_matrix_kernel<<<blocks, THREADS, 0, stream>>>(labels.data(), predictions.data(),
                                                          labels.size(), counts.data, counts.rows);
  check_launch();
}

}  // namespace tut::ch16
