/// @file
/// What the backend's own headers report to check mode about their synchronisation.
#ifndef SIMT_WATCHING_HPP
#define SIMT_WATCHING_HPP

#include <cstddef>
#include <type_traits>

namespace simt {
/// What check mode knows of the last write to a word.
struct LastWrite {
  unsigned long long bits[2];
};
/// A call, as check mode remembers it.
struct CallMark {
  const void* site = nullptr;     ///< where it returns to
  unsigned calls = 0;             ///< the number of the calls that it stands in
  unsigned long long moment = 0;  ///< later ones have greater numbers
};
}  // namespace simt

extern "C" {
[[gnu::weak]] void simt_watch_release(const void* key);
[[gnu::weak]] void simt_watch_acquire(const void* key);
[[gnu::weak]] void simt_watch_block_scope();
[[gnu::weak]] void simt_watch_async_proxy(bool begins);
[[gnu::weak]] void simt_watch_proxy_fence();
[[gnu::weak]] void simt_watch_copy_engine(bool begins);
/// A unit of its own begins to read 16 bytes of shared memory, and has read them, for the running
/// thread and by the call that it made. `writes` is who wrote each word last; `alone` says that the
/// thread has it done alone.
[[gnu::weak]] void simt_watch_read_begins(const void* address, simt::LastWrite* writes);
[[gnu::weak]] void simt_watch_read_ends(const void* address, const simt::CallMark* call,
                                        const simt::LastWrite* writes, bool alone);
/// What the running thread does until this ends is not looked at.
[[gnu::weak]] void simt_watch_pause(bool begins);
[[gnu::weak]] void simt_watch_nameless_variables();
[[gnu::weak]] void simt_watch_unused(const volatile void* address, std::size_t size);
[[gnu::weak]] void simt_watch_read_only(const void* address, std::size_t size);
[[gnu::weak]] void simt_watch_ignored(const char* call);
/// What each byte holds of a variable that nothing is assigned to.
[[gnu::weak]] unsigned char simt_watch_unset(void* variable);
}

namespace simt {

/// A release: what this thread did so far is visible to any thread that acquires the same key
/// later.
inline void watch_release(const void* key) {
  if (simt_watch_release != nullptr) simt_watch_release(key);
}
inline void watch_acquire(const void* key) {
  if (simt_watch_acquire != nullptr) simt_watch_acquire(key);
}

/// The fence or atomic operation that comes next works within the block only.
inline void watch_block_scope() {
  if (simt_watch_block_scope != nullptr) simt_watch_block_scope();
}

/// While one lives, accesses are those of a unit of its own, which sees what threads have written
/// to shared memory only behind a fence.
class AsyncProxy {
 public:
  AsyncProxy() { tell(true); }
  ~AsyncProxy() { tell(false); }
  AsyncProxy(const AsyncProxy&) = delete;
  AsyncProxy& operator=(const AsyncProxy&) = delete;

 private:
  static void tell(bool begins) {
    if (simt_watch_async_proxy != nullptr) simt_watch_async_proxy(begins);
  }
};
/// While one lives, a unit that copies makes the accesses, for the running thread, and not a load
/// or store by it.
class CopyEngine {
 public:
  CopyEngine() { tell(true); }
  ~CopyEngine() { tell(false); }
  CopyEngine(const CopyEngine&) = delete;
  CopyEngine& operator=(const CopyEngine&) = delete;

 private:
  static void tell(bool begins) {
    if (simt_watch_copy_engine != nullptr) simt_watch_copy_engine(begins);
  }
};
/// The fence between threads and such units: fence.proxy.async.
inline void watch_proxy_fence() {
  if (simt_watch_proxy_fence != nullptr) simt_watch_proxy_fence();
}

/// The thread copies registers between an instruction and their variables.
inline void watch_registers([[maybe_unused]] bool begins) {
#ifdef __SIMT_WATCHED__
  if (simt_watch_pause != nullptr) simt_watch_pause(begins);
#endif
}

/// Passes on the address of an atomic operation whose old value is not used: an exchange then only
/// writes, and the operation acquires nothing.
template <class P>
inline P&& watch_unused(P&& pointer) {
  if constexpr (std::is_pointer_v<std::decay_t<P>>) {
    if (simt_watch_unused != nullptr) simt_watch_unused(pointer, sizeof(*pointer));
  }
  return static_cast<P&&>(pointer);
}

/// The statement that has just called a function of CUDA's by that name throws the error away.
inline void watch_ignored(const char* call) {
  if (simt_watch_ignored != nullptr) simt_watch_ignored(call);
}

/// What the running thread is about to read may not change while the kernel runs.
template <class T>
[[gnu::always_inline]] inline void watch_read_only([[maybe_unused]] const T* p) {
#ifdef __SIMT_WATCHED__  // not asked for in kernels that are not watched
  if (simt_watch_read_only != nullptr) simt_watch_read_only(p, sizeof(T));
#endif
}

/// A declaration of a thread's variable that gives it no value.
struct UnsetVariable {
  const char* name;
  const char* file;
  int line;
  unsigned char byte = 0;
  bool reached = false;
};

namespace detail {

template <class T>
[[gnu::always_inline]] inline void fill_bytes(T& variable, unsigned char byte) {
  if constexpr (std::is_array_v<T>) {
    for (auto& element : variable) fill_bytes(element, byte);
  } else if constexpr (std::is_same_v<T, bool>) {
    variable = (byte & 1) != 0;
  } else {
    struct Bytes {
      unsigned char of[sizeof(T)];
    } bytes;
    for (unsigned char& one : bytes.of) one = byte;
    variable = __builtin_bit_cast(T, bytes);
  }
}

}  // namespace detail

/// Gives a variable that was declared without a value one that check mode chooses, by value: what a
/// thread keeps in registers stays there.
template <class T>
[[gnu::always_inline]] inline void fill_unset([[maybe_unused]] T& variable,
                                              [[maybe_unused]] UnsetVariable& declaration) {
  using Element = std::remove_all_extents_t<T>;
  if constexpr (std::is_trivially_default_constructible_v<Element> &&
                std::is_trivially_copyable_v<Element> && std::is_copy_assignable_v<Element>) {
    if (simt_watch_unset != nullptr) {
      const unsigned char byte = simt_watch_unset(&declaration);
      watch_registers(true);  // nothing that the program does
      detail::fill_bytes(variable, byte);
      watch_registers(false);
    }
  }
}

/// The program has device variables that cannot be told from the host's.
inline void watch_nameless_variables() {
  if (simt_watch_nameless_variables != nullptr) simt_watch_nameless_variables();
}

}  // namespace simt

#endif
