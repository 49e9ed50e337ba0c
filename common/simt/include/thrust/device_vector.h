/// @file
/// A vector in device memory. Its elements are trivially copyable here; Thrust's algorithms other
/// than copy and fill are not supported.
/// Source: Thrust API, "device_vector".
#ifndef SIMT_THRUST_DEVICE_VECTOR_H
#define SIMT_THRUST_DEVICE_VECTOR_H

#include <cstddef>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "thrust/device_ptr.h"
#include "thrust/host_vector.h"

namespace thrust {

template <class T>
class device_vector {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = device_ptr<T>;
  using const_pointer = device_ptr<const T>;
  using reference = device_reference<T>;
  using const_reference = device_reference<const T>;
  using iterator = pointer;
  using const_iterator = const_pointer;

  device_vector() = default;
  /// `count` elements of T(). Throws std::bad_alloc where there is no room.
  explicit device_vector(size_type count) : device_vector(count, T()) {}
  device_vector(size_type count, const T& value) { resize(count, value); }
  device_vector(const std::vector<T>& values) { assign_from(values.data(), values.size()); }
  template <class Iterator>
  requires(!std::is_integral_v<Iterator>) device_vector(Iterator first, Iterator last) {
    assign(first, last);
  }
  device_vector(const device_vector& other) { assign_from(other.data_, other.size_); }
  device_vector(device_vector&& other) noexcept { swap(other); }
  ~device_vector() { cudaFree(data_); }

  device_vector& operator=(const device_vector& other) {
    if (this != &other) assign_from(other.data_, other.size_);
    return *this;
  }
  device_vector& operator=(device_vector&& other) noexcept {
    swap(other);
    return *this;
  }
  device_vector& operator=(const std::vector<T>& values) {
    assign_from(values.data(), values.size());
    return *this;
  }
  template <class Iterator>
  void assign(Iterator first, Iterator last) {
    const std::vector<T> values(first, last);
    assign_from(values.data(), values.size());
  }

  size_type size() const { return size_; }
  size_type capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  pointer data() { return pointer(data_); }
  const_pointer data() const { return const_pointer(data_); }
  iterator begin() { return data(); }
  iterator end() { return data() + static_cast<difference_type>(size_); }
  const_iterator begin() const { return data(); }
  const_iterator end() const { return data() + static_cast<difference_type>(size_); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  reference operator[](size_type i) { return reference(data_ + i); }
  const_reference operator[](size_type i) const { return const_reference(data_ + i); }
  reference front() { return (*this)[0]; }
  reference back() { return (*this)[size_ - 1]; }

  void clear() { size_ = 0; }
  void shrink_to_fit() {
    if (capacity_ > size_) reallocate(size_);
  }
  void reserve(size_type count) {
    if (count > capacity_) reallocate(count);
  }
  /// What is added has the value.
  void resize(size_type count, const T& value = T()) {
    reserve(count);
    if (count > size_) {
      const std::vector<T> added(count - size_, value);
      detail::copy_elements(data_ + size_, added.data(), added.size());
    }
    size_ = count;
  }
  void push_back(const T& value) {
    if (size_ == capacity_) reallocate(2 * size_ + 1);
    detail::copy_elements(data_ + size_++, &value, 1);
  }
  void swap(device_vector& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  /// All elements into host or device memory.
  void copy_to(T* place) const { detail::copy_elements(place, data_, size_); }

 private:
  void assign_from(const T* values, size_type count) {
    reserve(count);
    detail::copy_elements(data_, values, count);
    size_ = count;
  }
  /// Keeps the elements: at least as much room as they need.
  void reallocate(size_type capacity) {
    T* place = nullptr;
    if (capacity > 0 && cudaMalloc(&place, capacity * sizeof(T)) != cudaSuccess) {
      throw std::bad_alloc();
    }
    detail::copy_elements(place, data_, size_);
    cudaFree(data_);
    data_ = place;
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  size_type size_ = 0;
  size_type capacity_ = 0;
};

}  // namespace thrust

#include "thrust/copy.h"
#include "thrust/fill.h"

#endif
