#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tut/errors/check.hpp"
#include "tut/errors/message.hpp"

namespace tut {

/// Owns `size()` elements of device memory, uninitialised at first. Move-only; every copy is a
/// call. Lengths that differ throw std::invalid_argument, CUDA's errors CudaError.
template <class T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T>, "device memory is copied byte by byte");

 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t size) : size_(size) {
    if (size > 0) check(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()));
  }
  /// A buffer with a copy of `host`.
  explicit DeviceBuffer(std::span<const T> host) : DeviceBuffer(host.size()) { copy_from(host); }
  explicit DeviceBuffer(const std::vector<T>& host) : DeviceBuffer(std::span<const T>(host)) {}
  ~DeviceBuffer() {
    if (data_ != nullptr) cudaFree(data_);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return size_ * sizeof(T); }

  /// Host to device, in `stream`'s order. Returns when `host` may be changed again, except for
  /// pinned memory: there the copy is asynchronous, and the stream must be synchronised first.
  void copy_from(std::span<const T> host, cudaStream_t stream = nullptr) {
    require_size(host.size());
    if (bytes() == 0) return;
    check(cudaMemcpyAsync(data_, host.data(), bytes(), cudaMemcpyHostToDevice, stream));
  }
  void copy_from(const std::vector<T>& host, cudaStream_t stream = nullptr) {
    copy_from(std::span<const T>(host), stream);
  }

  /// Device to host, in `stream`'s order. Returns when `host` is filled, except for pinned memory:
  /// there the copy is asynchronous, and the stream must be synchronised first.
  void copy_to(std::span<T> host, cudaStream_t stream = nullptr) const {
    require_size(host.size());
    if (bytes() == 0) return;
    check(cudaMemcpyAsync(host.data(), data_, bytes(), cudaMemcpyDeviceToHost, stream));
  }
  void copy_to(std::vector<T>& host, cudaStream_t stream = nullptr) const {
    copy_to(std::span<T>(host), stream);
  }

  /// The contents, once `stream` has reached this point.
  std::vector<T> to_host(cudaStream_t stream = nullptr) const {
    std::vector<T> host(size_);
    copy_to(std::span<T>(host), stream);
    check(cudaStreamSynchronize(stream));
    return host;
  }

  /// Sets every byte, in `stream`'s order: 0 for zeros, 0xFF for NaN in every floating type.
  void fill_bytes(unsigned char value, cudaStream_t stream = nullptr) {
    if (bytes() > 0) check(cudaMemsetAsync(data_, value, bytes(), stream));
  }

 private:
  void require_size(std::size_t host_size) const {
    if (host_size == size_) return;
    throw_invalid({"the host span has ", host_size, " elements, the device buffer ", size_,
                   "; expected the same number"});
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Owns `size()` elements of page-locked host memory, uninitialised at first: the kind that
/// copies can overlap with. Move-only.
template <class T>
class PinnedBuffer {
  static_assert(std::is_trivially_copyable_v<T>, "pinned memory is copied byte by byte");

 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t size) : size_(size) {
    if (size > 0) check(cudaMallocHost(reinterpret_cast<void**>(&data_), bytes()));
  }
  ~PinnedBuffer() {
    if (data_ != nullptr) cudaFreeHost(data_);
  }
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return size_ * sizeof(T); }
  std::span<T> span() const noexcept { return {data_, size_}; }
  T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() const noexcept { return data_; }
  T* end() const noexcept { return data_ + size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tut
