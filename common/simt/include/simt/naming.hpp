/// @file
/// What arrays are called in the learner's source: code compiled with `cucc --check` tells, so that
/// findings can say `tile[3][17]`.
#ifndef SIMT_NAMING_HPP
#define SIMT_NAMING_HPP

#include <cstddef>
#include <type_traits>
#include <utility>

extern "C" {
/// `padding` has a byte for each of an element's: 0 where the type has padding. Null: it has none.
[[gnu::weak]] void simt_name_shared(const char* name, const void* address, std::size_t size,
                                    std::size_t element, const std::size_t* extents, unsigned rank,
                                    const unsigned char* padding);
[[gnu::weak]] void simt_name_argument(const char* name, const void* base, std::size_t element,
                                      std::size_t columns, const unsigned char* padding);
}

namespace simt {

namespace detail {

template <class T>
constexpr std::size_t size_of_element() {
  if constexpr (std::is_void_v<T>) {
    return 1;
  } else {
    return sizeof(T);
  }
}

template <class T>
const unsigned char* find_padding() {
  if constexpr (std::is_class_v<T> && std::is_trivially_copyable_v<T>) {
    alignas(T) static unsigned char bytes[sizeof(T)];
    for (unsigned char& byte : bytes) byte = 0xFF;
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(reinterpret_cast<T*>(bytes));
#endif
    for (const unsigned char byte : bytes) {
      if (byte == 0) return bytes;
    }
  }
  return nullptr;
}

/// The bytes that a copy of an element reads and that are never written, such as padding. They are
/// found before a kernel runs, so that the search is not counted as an access of a thread.
template <class T>
inline const unsigned char* const padding_of = find_padding<T>();

template <class T, std::size_t... kRank>
void name_array(const char* name, const T& array, std::index_sequence<kRank...>) {
  const std::size_t extents[] = {std::extent_v<T, kRank>..., 0};
  simt_name_shared(name, const_cast<const void*>(static_cast<const volatile void*>(&array)),
                   sizeof(T), sizeof(std::remove_all_extents_t<T>), extents, sizeof...(kRank),
                   padding_of<std::remove_cv_t<std::remove_all_extents_t<T>>>);
}

}  // namespace detail

/// A variable in static shared memory.
template <class T>
void name_shared(const char* name, const T& variable) {
  if (simt_name_shared == nullptr) return;
  detail::name_array(name, variable, std::make_index_sequence<std::rank_v<T>>());
}

/// An argument of a kernel: a pointer, or a view with a pointer `data` and a row `stride`.
template <class T>
void name_argument(const char* name, const T& argument) {
  if (simt_name_argument == nullptr) return;
  if constexpr (std::is_pointer_v<T>) {
    using Element = std::remove_pointer_t<T>;
    if constexpr (!std::is_function_v<Element>) {
      simt_name_argument(name, const_cast<const void*>(static_cast<const volatile void*>(argument)),
                         detail::size_of_element<Element>(), 0,
                         detail::padding_of<std::remove_cv_t<Element>>);
    }
  } else if constexpr (requires { argument.data[0]; }) {
    std::size_t columns = 0;
    if constexpr (requires { static_cast<std::size_t>(argument.stride); }) {
      columns = static_cast<std::size_t>(argument.stride);
    }
    using Element = std::remove_cvref_t<decltype(argument.data[0])>;
    simt_name_argument(name, &argument.data[0], sizeof(Element), columns,
                       detail::padding_of<Element>);
  }
}

namespace detail {

/// By value: what takes the address of an element lets pass the one behind the end.
template <class T>
struct WatchedScalar {
  __attribute__((always_inline)) constexpr T operator()(T value) const { return value; }
};

template <class... Scalars>
struct WatchedValue : WatchedScalar<Scalars>... {
  using WatchedScalar<Scalars>::operator()...;
  template <class T>
  __attribute__((always_inline)) constexpr T operator()(T&& value) const {
    return static_cast<T&&>(value);
  }
};

}  // namespace detail

/// The right side of an assignment in a watched kernel: a value of its own, so that the assignment
/// is a store of its own.
inline constexpr detail::WatchedValue<bool, char, signed char, unsigned char, short, unsigned short,
                                      int, unsigned, long, unsigned long, long long,
                                      unsigned long long, float, double>
    watched_value;

}  // namespace simt

#endif
