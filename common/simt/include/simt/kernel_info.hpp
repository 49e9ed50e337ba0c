/// @file
/// What is known of a kernel, and the way from a function pointer to it.
#ifndef SIMT_KERNEL_INFO_HPP
#define SIMT_KERNEL_INFO_HPP

#include <cstddef>
#include <type_traits>
#include <utility>

namespace simt {

/// A value that several threads of the host read and write, in no order with anything else:
/// std::atomic without its header, which would be a quarter of what every kernel is compiled with.
template <class T>
class Relaxed {
 public:
  constexpr explicit Relaxed(T value) : value_(value) {}
  Relaxed(const Relaxed&) = delete;
  Relaxed& operator=(const Relaxed&) = delete;

  T load() const {
    T value;
    __atomic_load(&value_, &value, __ATOMIC_RELAXED);
    return value;
  }
  void store(T value) { __atomic_store(&value_, &value, __ATOMIC_RELAXED); }
  operator T() const { return load(); }

 private:
  T value_;
};

/// Blocks in a cluster, as `__cluster_dims__` says.
struct ClusterDims {
  unsigned x = 1, y = 1, z = 1;
};
constexpr ClusterDims cluster_dims(unsigned x, unsigned y = 1, unsigned z = 1) { return {x, y, z}; }

/// One per kernel (and per instantiation of a kernel template).
struct KernelInfo {
  /// `max_threads` is what `__launch_bounds__` says, 0 without one.
  constexpr KernelInfo(const char* kernel_name, const char* source_file, int source_line,
                       int launch_bound, ClusterDims blocks_of_cluster = {})
      : name(kernel_name),
        file(source_file),
        line(source_line),
        max_threads(launch_bound),
        cluster(blocks_of_cluster) {}

  const char* name;
  const char* file;
  int line;  ///< 0 if it is a library's
  int max_threads;
  ClusterDims cluster;
  bool large_clusters = false;  ///< cudaFuncSetAttribute has allowed more than 8 blocks
  static constexpr std::size_t kNotAsked = ~std::size_t{0};
  std::size_t requested_dynamic = kNotAsked;  ///< what cudaFuncSetAttribute asked for
  /// Bytes of static shared memory: what the kernel itself declares, before it first runs; what it
  /// uses in functions that it calls, as far as blocks have come to it.
  Relaxed<std::size_t> static_shared{0};
  int carveout = -1;
  Relaxed<float> block_seconds{1.0F};  ///< how long a block of the last launch took
};

namespace detail {

/// One for each variable in static shared memory that a kernel declares itself: made before main(),
/// it tells the kernel what that takes. `Owner::kernel()` is the kernel.
template <class T, class Owner>
inline const bool declared_shared = [] {
  Relaxed<std::size_t>& known = Owner::kernel().static_shared;
  known.store(known + sizeof(T));
  return true;
}();

/// Calls a kernel with the arguments that `arguments` points to, one pointer for each.
using Invoker = void (*)(const void* function, void** arguments);

void register_kernel(const void* function, Invoker invoke);

/// While one lives, kernels called on this OS thread report their KernelInfo and do nothing.
class Probe {
 public:
  Probe();
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  KernelInfo* found() const;
};

/// Arguments for a call whose body does not run: zero bytes of the right type.
template <class T>
T& dummy_argument() {
  using Value = std::remove_cv_t<T>;
  alignas(Value) static unsigned char bytes[sizeof(Value)] = {};
  return *reinterpret_cast<T*>(bytes);
}

template <class... Args>
void invoke_kernel(const void* function, void** arguments) {
  const auto kernel = reinterpret_cast<void (*)(Args...)>(const_cast<void*>(function));
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    if (arguments == nullptr) {
      kernel(dummy_argument<Args>()...);
    } else {
      kernel(*static_cast<std::remove_reference_t<Args>*>(arguments[kIndex])...);
    }
  }
  (std::index_sequence_for<Args...>());
}

}  // namespace detail

/// The kernel behind a function pointer; null if the pointer is no known kernel. The typed form
/// knows every kernel, the untyped one those that `kernel_ref` has seen.
KernelInfo* kernel_info(const void* function);

/// A kernel as the untyped pointer that cudaLaunchKernel and the like take.
template <class... Args>
const void* kernel_ref(void (*kernel)(Args...)) {
  const void* function = reinterpret_cast<const void*>(kernel);
  if (kernel != nullptr) detail::register_kernel(function, &detail::invoke_kernel<Args...>);
  return function;
}

namespace detail {
template <class T>
inline constexpr bool kIsKernel = false;
template <class... Args>
inline constexpr bool kIsKernel<void (*)(Args...)> = true;
}  // namespace detail

/// Something that has a kernel's name and is no kernel stays as it is.
template <class T>
requires(!detail::kIsKernel<std::decay_t<T>>) constexpr T&& kernel_ref(T&& operand) noexcept {
  return static_cast<T&&>(operand);
}

/// The operand itself. Where it is a kernel, kernel_ref has seen it.
template <class T>
constexpr T&& known_kernel(T&& operand) noexcept {
  if constexpr (detail::kIsKernel<std::decay_t<T>>) kernel_ref(operand);
  return static_cast<T&&>(operand);
}

template <class... Args>
KernelInfo* kernel_info(void (*kernel)(Args...)) {
  return kernel_info(kernel_ref(kernel));
}

}  // namespace simt

#endif
