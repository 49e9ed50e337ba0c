// Some blocks go through all images, and add their tables at the end.
#include "16_cnn_trainer/confusion_matrix.hpp"

#include <algorithm>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 512;

__global__ void count_kernel(const std::uint8_t* labels, const std::uint8_t* predictions,
                             std::size_t size, unsigned* counts, int classes) {
  __shared__ unsigned table[CONFUSION_CLASSES][CONFUSION_CLASSES];
  for (int i = threadIdx.x; i < CONFUSION_CLASSES * CONFUSION_CLASSES; i += THREADS) {
    table[i / CONFUSION_CLASSES][i % CONFUSION_CLASSES] = 0;
  }
  __syncthreads();
  for (std::size_t i = std::size_t{blockIdx.x} * THREADS + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * THREADS) {
    const unsigned label = labels[i], prediction = predictions[i];
    if (label >= unsigned(classes) || prediction >= unsigned(classes)) continue;
    atomicAdd(&table[label][prediction], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < classes * classes; i += THREADS) {
    const unsigned count = table[i / classes][i % classes];
    if (count > 0) atomicAdd(counts + i, count);
  }
}

unsigned blocks_for(std::size_t size) {
  return static_cast<unsigned>(std::min((size + 8191) / 8192, std::size_t{8}));
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
