/// @file
/// Pointers into device memory, by which the host reads and writes single elements.
/// Source: Thrust API, "device_ptr", "device_reference".
#ifndef SIMT_THRUST_DEVICE_PTR_H
#define SIMT_THRUST_DEVICE_PTR_H

#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "cuda_runtime.h"

namespace thrust {

namespace detail {

/// Copies elements between any two kinds of memory. Throws std::runtime_error with CUDA's reason.
template <class T>
void copy_elements(T* to, const T* from, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>,
                "the CPU backend's device_vector has elements that are trivially copyable");
  if (count == 0) return;
  const cudaError_t error = cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDefault);
  if (error != cudaSuccess) {
    throw std::runtime_error(std::string("thrust: a copy failed: ") + cudaGetErrorString(error));
  }
}

}  // namespace detail

/// An element in device memory.
template <class T>
class device_reference {
 public:
  using value_type = std::remove_cv_t<T>;

  explicit device_reference(T* place) : place_(place) {}
  device_reference(const device_reference&) = default;

  operator value_type() const {
    value_type value;
    detail::copy_elements(&value, place_, 1);
    return value;
  }
  const device_reference& operator=(const value_type& value) const {
    detail::copy_elements(place_, &value, 1);
    return *this;
  }
  device_reference& operator=(const device_reference& other) {
    detail::copy_elements(place_, other.place_, 1);
    return *this;
  }
  const device_reference& operator+=(const value_type& value) const {
    return *this = static_cast<value_type>(value_type(*this) + value);
  }
  const device_reference& operator-=(const value_type& value) const {
    return *this = static_cast<value_type>(value_type(*this) - value);
  }
  T* address() const { return place_; }

 private:
  T* place_;
};

template <class T>
class device_ptr {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_cv_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = device_ptr;
  using reference = device_reference<T>;

  device_ptr() = default;
  device_ptr(std::nullptr_t) {}
  explicit device_ptr(T* place) : place_(place) {}
  /// To a pointer to what may not be changed.
  template <class U>
  requires std::is_convertible_v<U*, T*> device_ptr(const device_ptr<U>& other)
      : place_(other.get()) {}

  T* get() const { return place_; }
  reference operator*() const { return reference(place_); }
  reference operator[](difference_type i) const { return reference(place_ + i); }
  explicit operator bool() const { return place_ != nullptr; }

  device_ptr& operator+=(difference_type n) {
    place_ += n;
    return *this;
  }
  device_ptr& operator-=(difference_type n) { return *this += -n; }
  device_ptr& operator++() { return *this += 1; }
  device_ptr& operator--() { return *this += -1; }
  device_ptr operator++(int) {
    const device_ptr old = *this;
    ++*this;
    return old;
  }
  device_ptr operator--(int) {
    const device_ptr old = *this;
    --*this;
    return old;
  }
  friend device_ptr operator+(device_ptr a, difference_type n) { return a += n; }
  friend device_ptr operator+(difference_type n, device_ptr a) { return a += n; }
  friend device_ptr operator-(device_ptr a, difference_type n) { return a -= n; }
  friend difference_type operator-(device_ptr a, device_ptr b) { return a.place_ - b.place_; }
  friend auto operator<=>(const device_ptr&, const device_ptr&) = default;

 private:
  T* place_ = nullptr;
};

template <class T>
device_ptr<T> device_pointer_cast(T* place) {
  return device_ptr<T>(place);
}
template <class T>
T* raw_pointer_cast(const device_ptr<T>& pointer) {
  return pointer.get();
}
template <class T>
T* raw_pointer_cast(T* pointer) {
  return pointer;
}

}  // namespace thrust

#endif
