#include "02_fast_cpu_matmul/panel_buffer.hpp"

#include <cstdlib>
#include <new>

#include "tut/numeric/math.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tut::ch02 {

PanelBuffer::~PanelBuffer() { std::free(data_); }

float* PanelBuffer::reserve(std::size_t floats) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  if (floats * sizeof(float) <= bytes_) return data_;

  std::free(data_);
  bytes_ = 0;
  const std::size_t bytes = round_up(floats * sizeof(float), huge_page);
  data_ = static_cast<float*>(std::aligned_alloc(huge_page, bytes));
  if (data_ == nullptr) throw std::bad_alloc();
  bytes_ = bytes;
#ifdef __linux__
  madvise(data_, bytes, MADV_HUGEPAGE);  // a wish: without it the product is only slower
#endif
  return data_;
}

}  // namespace tut::ch02
