// Counters of 16 bits, two in a word; a stretch of a block is too short for more.
#include "16_cnn_trainer/confusion_matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 256;

struct alignas(4) Four {
  std::uint8_t value[4];
};

__device__ bool is_aligned(const std::uint8_t* p) {
  return reinterpret_cast<std::uintptr_t>(p) % sizeof(Four) == 0;
}

__device__ void count(unsigned* table, int label, int prediction, int classes) {
  if (label >= classes || prediction >= classes) return;
  const int cell = label * classes + prediction;
  atomicAdd(&table[cell / 2], cell % 2 == 0 ? 1u : 0x10000u);
}

__global__ void confusion_matrix_kernel(const std::uint8_t* labels, const std::uint8_t* predictions,
                                        std::size_t size, unsigned* counts, int classes) {
  __shared__ unsigned table[CONFUSION_CLASSES * CONFUSION_CLASSES / 2];
  const int cells = classes * classes;
  const std::size_t first = std::size_t{blockIdx.x} * CONFUSION_STRETCH;
  const int images = static_cast<int>(min(size - first, std::size_t{CONFUSION_STRETCH}));
  const int tx = threadIdx.x;

  for (int word = tx; word < (cells + 1) / 2; word += THREADS) table[word] = 0;
  __syncthreads();

  labels += first;
  predictions += first;
  const int fours = is_aligned(labels) && is_aligned(predictions) ? images / 4 : 0;
  for (int i = tx; i < fours; i += THREADS) {
    const Four label = reinterpret_cast<const Four*>(labels)[i];
    const Four prediction = reinterpret_cast<const Four*>(predictions)[i];
    for (int j = 0; j < 4; ++j) count(table, label.value[j], prediction.value[j], classes);
  }
  for (int i = 4 * fours + tx; i < images; i += THREADS) {
    count(table, labels[i], predictions[i], classes);
  }
  __syncthreads();

  for (int cell = tx; cell < cells; cell += THREADS) {
    const unsigned word = table[cell / 2];
    const unsigned n = cell % 2 == 0 ? word & 0xffffu : word >> 16;
    if (n > 0) atomicAdd(&counts[cell], n);
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
  const auto blocks =
      static_cast<unsigned>(ceil_div(labels.size(), std::size_t{CONFUSION_STRETCH}));
  confusion_matrix_kernel<<<blocks, THREADS, 0, stream>>>(labels.data(), predictions.data(),
                                                          labels.size(), counts.data, counts.rows);
  check_launch();
}

}  // namespace tut::ch16
