/// @file
/// How the work of a library runs: cuBLAS, cuRAND. Every call that touches memory of the device
/// goes through run_library(), which cannot be called without saying what it touches.
#ifndef SIMT_LIBRARY_HPP
#define SIMT_LIBRARY_HPP

#include <cstddef>
#include <vector>

#include "simt/launch.hpp"

namespace simt {

/// `rows` stretches of `width` bytes, whose beginnings are `pitch` bytes apart.
struct MemoryUse {
  const void* address;
  std::size_t width;
  std::size_t rows;
  std::size_t pitch;
  bool writes;
};

/// What a call reads and writes. Sizes and distances are in elements.
class MemoryUses {
 public:
  template <class T>
  void read(const T* first, std::ptrdiff_t count) {
    read_rows(first, count, 1, count);
  }
  template <class T>
  void write(const T* first, std::ptrdiff_t count) {
    write_rows(first, count, 1, count);
  }

  /// The columns of a matrix, or with `width` 1 the elements of a vector that lie apart.
  template <class T>
  void read_rows(const T* first, std::ptrdiff_t width, std::ptrdiff_t rows, std::ptrdiff_t pitch) {
    add(first, sizeof(T), width, rows, pitch, false);
  }
  template <class T>
  void write_rows(const T* first, std::ptrdiff_t width, std::ptrdiff_t rows, std::ptrdiff_t pitch) {
    add(first, sizeof(T), width, rows, pitch, true);
  }

  const std::vector<MemoryUse>& all() const { return all_; }

 private:
  void add(const void* first, std::size_t element, std::ptrdiff_t width, std::ptrdiff_t rows,
           std::ptrdiff_t pitch, bool writes) {
    if (width <= 0 || rows <= 0) return;
    if (pitch == 0) rows = 1;
    const std::size_t bytes = element * static_cast<std::size_t>(width);
    if (rows == 1 || pitch == width) {
      const std::size_t size = bytes * static_cast<std::size_t>(rows);
      all_.push_back({first, size, 1, size, writes});
    } else {
      const auto step = static_cast<std::size_t>(pitch < 0 ? -pitch : pitch);
      all_.push_back({first, bytes, static_cast<std::size_t>(rows), element * step, writes});
    }
  }

  std::vector<MemoryUse> all_;
};

/// Does somebody want to know?
bool is_watched();
/// What the library's kernel that runs is about to do. Does not return if it cannot.
void tell_uses(const MemoryUses& uses);

/// Runs work(i) for i in [0, pieces) on a stream, as a kernel of that many blocks: in stream order,
/// on the backend's worker threads, with its handling of bad addresses. `uses(MemoryUses&)` says
/// what all pieces together do to memory; like the work, it is called when its turn comes. False if
/// the launch failed.
template <class Uses, class Work>
bool run_library(KernelInfo& kernel, unsigned pieces, cudaStream_t stream, Uses uses, Work work) {
  if (pieces == 0) return true;
  configure(dim3(pieces), dim3(1), 0, stream);
  Launch launch(kernel);
  if (!launch.ready()) return false;
  launch.run_loop<false>([uses, work](const uint3, const uint3 block, const dim3, const dim3) {
    if (block.x == 0 && is_watched()) {
      MemoryUses told;
      uses(told);
      tell_uses(told);
    }
    work(block.x);
  });
  return true;
}

}  // namespace simt

#endif
