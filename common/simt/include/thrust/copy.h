/// @file
/// Source: Thrust API, "copy".
#ifndef SIMT_THRUST_COPY_H
#define SIMT_THRUST_COPY_H

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <vector>

#include "thrust/device_ptr.h"

namespace thrust {

template <class From, class T>
device_ptr<T> copy(From first, From last, device_ptr<T> to) {
  const std::vector<std::remove_cv_t<T>> values(first, last);
  detail::copy_elements(to.get(), values.data(), values.size());
  return to + static_cast<std::ptrdiff_t>(values.size());
}
template <class T, class To>
To copy(device_ptr<T> first, device_ptr<T> last, To to) {
  std::vector<std::remove_cv_t<T>> values(static_cast<std::size_t>(last - first));
  detail::copy_elements(values.data(), static_cast<const std::remove_cv_t<T>*>(first.get()),
                        values.size());
  return std::copy(values.begin(), values.end(), to);
}
template <class T, class U>
device_ptr<U> copy(device_ptr<T> first, device_ptr<T> last, device_ptr<U> to) {
  std::vector<std::remove_cv_t<T>> values(static_cast<std::size_t>(last - first));
  copy(first, last, values.begin());
  return copy(values.begin(), values.end(), to);
}

}  // namespace thrust

#endif
