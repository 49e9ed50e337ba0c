/// @file
/// Elements of arrays that references are bound to, as watched kernels are rewritten to name them.
#ifndef SIMT_ELEMENTS_HPP
#define SIMT_ELEMENTS_HPP

#include <cstddef>
#include <type_traits>

namespace simt {

/// An element as the member of one.
template <class T>
struct Whole {
  T value;
};

namespace detail {

/// What is no array, with subscripts all the same.
template <class T>
struct Subscripted {
  T&& object;
  template <class Index>
  __attribute__((always_inline)) constexpr auto operator[](Index&& index) const {
    using Element = decltype(static_cast<T&&>(object)[static_cast<Index&&>(index)]);
    return Whole<Element>{static_cast<T&&>(object)[static_cast<Index&&>(index)]};
  }
};

}  // namespace detail

/// `elements(a)[i].value` is `a[i]`, and there must be such an element even if no more than its
/// address is taken.
template <class T, std::size_t N>
__attribute__((always_inline)) inline Whole<T> (&elements(T (&array)[N]))[N] {
  void* const first = const_cast<std::remove_cv_t<std::remove_all_extents_t<T>>*>(
      reinterpret_cast<const std::remove_all_extents_t<T>*>(array));
  return *static_cast<Whole<T>(*)[N]>(first);
}
template <class T>
__attribute__((always_inline)) constexpr detail::Subscripted<T> elements(T&& object) {
  return {static_cast<T&&>(object)};
}

}  // namespace simt

#endif
