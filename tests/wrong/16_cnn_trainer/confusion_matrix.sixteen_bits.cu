// fails: values
// says: 5000000 images
// Two counters of 16 bits share a word, and 64 blocks at most share all images.
#include "16_cnn_trainer/confusion_matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 256;
constexpr std::size_t MOST_BLOCKS = 64;  // fewer tables to add up at the end

__global__ void confusion_matrix_kernel(const std::uint8_t* labels, const std::uint8_t* predictions,
                                        std::size_t size, unsigned* counts, int classes) {
  // Counts of at most 8192 fit into 16 bits: two to a word, the even element in the lower half.
  __shared__ unsigned table[CONFUSION_CLASSES * CONFUSION_CLASSES / 2];
  const int cells = classes * classes;

  for (int word = threadIdx.x; word < (cells + 1) / 2; word += THREADS) table[word] = 0;
  __syncthreads();

  const std::size_t step = std::size_t{gridDim.x} * CONFUSION_STRETCH;
  for (std::size_t first = std::size_t{blockIdx.x} * CONFUSION_STRETCH; first < size;
       first += step) {
    const std::size_t last = min(first + CONFUSION_STRETCH, size);
    for (std::size_t i = first + threadIdx.x; i < last; i += THREADS) {
      const int label = labels[i], prediction = predictions[i];
      if (label >= classes || prediction >= classes) continue;
      const int cell = label * classes + prediction;
      atomicAdd(&table[cell / 2], cell % 2 == 0 ? 1u : 0x10000u);
    }
  }
  __syncthreads();

  for (int cell = threadIdx.x; cell < cells; cell += THREADS) {
    const unsigned word = table[cell / 2];
    const unsigned count = cell % 2 == 0 ? word & 0xffffu : word >> 16;
    if (count > 0) atomicAdd(&counts[cell], count);
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
  const auto blocks = static_cast<unsigned>(
      std::min(ceil_div(labels.size(), std::size_t{CONFUSION_STRETCH}), MOST_BLOCKS));
  confusion_matrix_kernel<<<blocks, THREADS, 0, stream>>>(labels.data(), predictions.data(),
                                                          labels.size(), counts.data, counts.rows);
  check_launch();
}

}  // namespace tut::ch16
