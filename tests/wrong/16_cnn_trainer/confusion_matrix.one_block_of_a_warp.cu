// fails: budget
// says: threads use memory
// One warp counts all images in one table, which then has to be added only once: the fewest bytes
// that there can be, and one warp cannot keep memory busy.
#include "16_cnn_trainer/confusion_matrix.hpp"

#include <cstddef>
#include <string>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 32;

__global__ void confusion_matrix_kernel(const std::uint8_t* labels, const std::uint8_t* predictions,
                                        std::size_t size, unsigned* counts, int classes) {
  __shared__ unsigned table[CONFUSION_CLASSES * CONFUSION_CLASSES];
  for (int i = threadIdx.x; i < classes * classes; i += THREADS) table[i] = 0;
  __syncthreads();
  for (std::size_t i = threadIdx.x; i < size; i += THREADS) {
    const int label = labels[i], prediction = predictions[i];
    if (label < classes && prediction < classes)
      atomicAdd(&table[label * classes + prediction], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < classes * classes; i += THREADS) {
    if (table[i] != 0) atomicAdd(&counts[i], table[i]);
  }
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
  confusion_matrix_kernel<<<1, THREADS, 0, stream>>>(labels.data(), predictions.data(),
                                                     labels.size(), counts.data, counts.rows);
  check_launch();
}

}  // namespace tut::ch16
