/// @file
/// Source: Thrust API, "fill".
#ifndef SIMT_THRUST_FILL_H
#define SIMT_THRUST_FILL_H

#include <algorithm>
#include <vector>

#include "thrust/copy.h"

namespace thrust {

template <class T, class Value>
void fill(device_ptr<T> first, device_ptr<T> last, const Value& value) {
  const std::vector<T> values(static_cast<std::size_t>(last - first), static_cast<T>(value));
  copy(values.begin(), values.end(), first);
}
template <class Iterator, class Value>
void fill(Iterator first, Iterator last, const Value& value) {
  std::fill(first, last, value);
}

}  // namespace thrust

#endif
