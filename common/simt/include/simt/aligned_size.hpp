/// @file
/// cuda::aligned_size_t, which copies of several headers take.
#ifndef SIMT_ALIGNED_SIZE_HPP
#define SIMT_ALIGNED_SIZE_HPP

#include <cstddef>

namespace cuda {

/// A number of bytes, with the promise that they and both addresses are multiples of kAlignment.
template <::std::size_t kAlignment>
struct aligned_size_t {
  static constexpr ::std::size_t align = kAlignment;
  ::std::size_t value;
  explicit constexpr aligned_size_t(::std::size_t size) : value(size) {}
  constexpr operator ::std::size_t() const { return value; }
};

}  // namespace cuda

#endif
