// The lanes of a warp with the same pair find each other, and one adds for all of them.
#include "16_cnn_trainer/confusion_matrix.hpp"

#include <algorithm>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 128;

__global__ void count_kernel(const std::uint8_t* labels, const std::uint8_t* predictions,
                             std::size_t size, unsigned* counts, int classes) {
  __shared__ unsigned table[CONFUSION_CLASSES * CONFUSION_CLASSES];
  for (int i = threadIdx.x; i < classes * classes; i += THREADS) table[i] = 0;
  __syncthreads();
  const std::size_t first = std::size_t{blockIdx.x} * CONFUSION_STRETCH;
  for (int k = 0; k < CONFUSION_STRETCH / THREADS; ++k) {
    const std::size_t i = first + std::size_t{THREADS} * k + threadIdx.x;
    int place = -1;
    if (i < size && labels[i] < classes && predictions[i] < classes) {
      place = labels[i] * classes + predictions[i];
    }
    const unsigned same = __match_any_sync(0xffffffff, place);
    if (place >= 0 && threadIdx.x % 32 == static_cast<unsigned>(__ffs(same) - 1)) {
      atomicAdd(&table[place], static_cast<unsigned>(__popc(same)));
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < classes * classes; i += THREADS) {
    if (table[i] != 0) atomicAdd(&counts[i], table[i]);
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
