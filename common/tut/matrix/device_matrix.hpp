#pragma once

#include <cstddef>
#include <cstdint>

#include "tut/device/device_buffer.hpp"
#include "tut/errors/require.hpp"
#include "tut/matrix/host_matrix.hpp"

namespace tut {

/// Owns a row-major matrix of rows x cols elements in device memory, rows `stride` elements apart.
///
/// Elements and padding start as in HostMatrix: NaN where T has one. Move-only; every copy is a
/// call. Throws std::invalid_argument for sizes that do not fit, CudaError for CUDA's errors.
template <class T>
class DeviceMatrix {
 public:
  DeviceMatrix() = default;
  DeviceMatrix(int rows, int cols) : DeviceMatrix(rows, cols, cols) {}
  DeviceMatrix(int rows, int cols, std::int64_t stride)
      : DeviceMatrix(HostMatrix<T>(rows, cols, stride)) {}
  /// A copy of `host`, padding included.
  explicit DeviceMatrix(const HostMatrix<T>& host)
      : rows_(host.rows()), cols_(host.cols()), stride_(host.stride()), buffer_(host.span()) {}

  int rows() const noexcept { return rows_; }
  int cols() const noexcept { return cols_; }
  std::int64_t stride() const noexcept { return stride_; }
  T* data() const noexcept { return buffer_.data(); }
  std::size_t bytes() const noexcept { return buffer_.bytes(); }

  MatrixView<T> view() noexcept { return {buffer_.data(), rows_, cols_, stride_}; }
  MatrixView<const T> view() const noexcept { return cview(); }
  MatrixView<const T> cview() const noexcept { return {buffer_.data(), rows_, cols_, stride_}; }

  /// Host to device, padding included, in `stream`'s order. Shapes and strides must be equal.
  void upload(const HostMatrix<T>& host, cudaStream_t stream = nullptr) {
    require_layout(host);
    buffer_.copy_from(host.span(), stream);
  }

  /// Device to host, padding included; returns when it has arrived.
  void download(HostMatrix<T>& host, cudaStream_t stream = nullptr) const {
    require_layout(host);
    buffer_.copy_to(host.span(), stream);
    check(cudaStreamSynchronize(stream));
  }
  HostMatrix<T> download(cudaStream_t stream = nullptr) const {
    HostMatrix<T> host(rows_, cols_, stride_);
    download(host, stream);
    return host;
  }

 private:
  void require_layout(const HostMatrix<T>& host) const {
    if (host.rows() == rows_ && host.cols() == cols_ && host.stride() == stride_) return;
    throw_invalid({"the host matrix is ", shape_part(host.cview()), " with stride ", host.stride(),
                   ", the device matrix ", shape_part(cview()), " with stride ", stride_,
                   "; expected the same"});
  }

  int rows_ = 0, cols_ = 0;
  std::int64_t stride_ = 0;
  DeviceBuffer<T> buffer_;
};

}  // namespace tut
