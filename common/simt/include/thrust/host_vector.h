/// @file
/// Source: Thrust API, "host_vector".
#ifndef SIMT_THRUST_HOST_VECTOR_H
#define SIMT_THRUST_HOST_VECTOR_H

#include <vector>

namespace thrust {

template <class T>
class device_vector;

/// A vector in host memory that a device_vector can be copied into.
template <class T>
class host_vector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  host_vector() = default;
  host_vector(const std::vector<T>& other) : std::vector<T>(other) {}
  host_vector(const device_vector<T>& other) { *this = other; }
  /// Throws std::runtime_error with CUDA's reason, such as an earlier kernel's error.
  host_vector& operator=(const device_vector<T>& other) {
    this->resize(other.size());
    other.copy_to(this->data());
    return *this;
  }
};

}  // namespace thrust

#endif
