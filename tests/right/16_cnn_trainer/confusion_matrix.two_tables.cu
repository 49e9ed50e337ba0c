// A table for each half of the block, so that fewer threads meet in an element.
#include "16_cnn_trainer/confusion_matrix.hpp"

#include <algorithm>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 256, HALF = THREADS / 2;

__global__ void count_kernel(const std::uint8_t* labels, const std::uint8_t* predictions,
                             std::size_t size, unsigned* counts, int classes) {
  __shared__ unsigned tables[2 * CONFUSION_CLASSES * CONFUSION_CLASSES];
  const int elements = classes * classes;
  for (int i = threadIdx.x; i < 2 * elements; i += THREADS) tables[i] = 0;
  __syncthreads();
  unsigned* mine = tables + (threadIdx.x < HALF ? 0 : elements);
  const std::size_t begin = std::size_t{blockIdx.x} * CONFUSION_STRETCH;
  const std::size_t end = begin + CONFUSION_STRETCH < size ? begin + CONFUSION_STRETCH : size;
  for (std::size_t i = begin + threadIdx.x; i < end; i += THREADS) {
    const int label = labels[i], prediction = predictions[i];
    if (label < classes && prediction < classes) atomicAdd(mine + label * classes + prediction, 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < elements; i += THREADS) {
    atomicAdd(counts + i, tables[i] + tables[elements + i]);
  }
}

unsigned blocks_for(std::size_t size) {
  return static_cast<unsigned>((size + CONFUSION_STRETCH - 1) / CONFUSION_STRETCH);
}

}  // namespace

void confusion_matrix(std::span<const std::uint8_t> labels,
                      std::span<const std::uint8_t> predictions, MatrixView<unsigned> counts,
                      cudaStream_t stream) {
  const std::size_t size = labels.size();
  if (size == 0 || predictions.size() != size || counts.rows < 1 ||
      counts.rows > CONFUSION_CLASSES || counts.cols != counts.rows ||
      counts.stride != counts.cols || counts.data == nullptr) {
    throw std::invalid_argument("the arguments do not fit");
  }
  count_kernel<<<blocks_for(size), THREADS, 0, stream>>>(labels.data(), predictions.data(), size,
                                                         counts.data, counts.rows);
  check_launch();
}

}  // namespace tut::ch16
