#pragma once

#include <cstdint>
#include <vector>

#include "simt/inspect/check/interface.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/guarded.hpp"

namespace tut {

/// The device's side of a Guarded matrix: a copy of its memory, guard zones included.
template <class T>
class GuardedBuffer {
 public:
  /// Uploads the image. In check mode what lies before its first element, and behind its last, is
  /// out of bounds.
  explicit GuardedBuffer(const Guarded<T>& image) : buffer_(image.memory()), image_(&image) {
    if (simt_check_bounds == nullptr) return;
    simt_check_bounds(buffer_.data(), image.elements_before() * sizeof(T),
                      image.elements_behind() * sizeof(T));
  }

  /// The matrix on the device. The image must still be where it was.
  MatrixView<T> view() const { return image_->view_in(buffer_.data()); }
  MatrixView<const T> cview() const { return view(); }
  T* data() const { return view().data; }

  /// Other values for the same memory, of an image of the same layout.
  void upload(const Guarded<T>& image) { buffer_.copy_from(image.memory()); }
  /// What the device's memory now holds, guard zones included.
  std::vector<T> memory() const { return buffer_.to_host(); }
  /// The elements of the matrix, row by row, without what lies around them.
  std::vector<T> elements() const {
    const std::vector<T> all = memory();
    const MatrixView<const T> matrix = image_->view_in(all.data());
    std::vector<T> result;
    for (int r = 0; r < matrix.rows; ++r) {
      result.insert(result.end(), &matrix(r, 0), &matrix(r, 0) + matrix.cols);
    }
    return result;
  }
  /// What the device's memory now holds, into an image of the same layout.
  void download(Guarded<T>& image) const { buffer_.copy_to(image.memory()); }

 private:
  DeviceBuffer<T> buffer_;
  const Guarded<T>* image_;
};

}  // namespace tut
