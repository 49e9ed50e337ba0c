#pragma once

#include <cstddef>

namespace tut::ch02 {

/// Memory for packed panels, kept from one multiplication to the next: fresh pages from the system
/// have to be zeroed first, which costs more than the packing.
///
/// Starts at a 2 MiB boundary and, on Linux, asks for huge pages: a block of B spans more 4 KiB
/// pages than the processor's first-level table of addresses holds.
class PanelBuffer {
 public:
  PanelBuffer() = default;
  PanelBuffer(const PanelBuffer&) = delete;
  PanelBuffer& operator=(const PanelBuffer&) = delete;
  ~PanelBuffer();

  /// At least `floats` elements of room; what was in it before is lost if it has to grow.
  /// Throws std::bad_alloc if there is no memory.
  float* reserve(std::size_t floats);

 private:
  float* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tut::ch02
