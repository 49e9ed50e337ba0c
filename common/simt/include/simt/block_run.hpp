/// @file
/// One block of a kernel that was cut into phases at its barriers and loops over the threads of
/// each phase itself.
#ifndef SIMT_BLOCK_RUN_HPP
#define SIMT_BLOCK_RUN_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>

#include "simt/builtins.hpp"
#include "simt/lane_marks.hpp"

struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;

namespace cuda {
template <std::size_t kAlignment>
struct aligned_size_t;
}  // namespace cuda

namespace simt {

// What the splitter relies on and the compiler confirms, kernel by kernel.

/// A number or a pointer, whose operators are the language's own.
template <class T>
inline constexpr bool kIsSplitNumber =
    std::is_arithmetic_v<std::remove_cvref_t<T>> || std::is_pointer_v<std::remove_cvref_t<T>>;

template <class T>
inline constexpr bool kIsAlignedSize = false;
template <std::size_t kAlignment>
inline constexpr bool kIsAlignedSize<cuda::aligned_size_t<kAlignment>> = true;

/// The same of a constant, one that an enumeration names, or a number of bytes.
template <class T>
inline constexpr bool kIsSplitConstant =
    kIsSplitNumber<T> || std::is_null_pointer_v<std::remove_cv_t<T>> ||
    std::is_enum_v<std::remove_cv_t<T>> || kIsAlignedSize<std::remove_cv_t<T>>;

template <class T, class... Types>
inline constexpr bool kIsOneOf = (std::is_same_v<T, Types> || ...);

/// A number, a pointer or one of CUDA's vectors: making and copying one does nothing else, and no
/// member function of it keeps its address.
template <class T>
inline constexpr bool kIsSplitValue =
    kIsSplitNumber<T> || std::is_enum_v<T> ||
    kIsOneOf<std::remove_cv_t<T>, char1, char2, char3, char4, uchar1, uchar2, uchar3, uchar4,
             short1, short2, short3, short4, ushort1, ushort2, ushort3, ushort4, int1, int2, int3,
             int4, uint1, uint2, uint3, uint4, longlong2, ulonglong2, float1, float2, float3,
             float4, double1, double2, dim3, __half, __half2, __nv_bfloat16, __nv_bfloat162>;

/// A pointer's type without `__restrict__`, which is no part of the value.
template <class T>
struct Unrestricted {
  using type = T;
};
template <class T>
struct Unrestricted<T* __restrict__> {
  using type = T*;
};
template <class T>
using unrestricted_t = typename Unrestricted<T>::type;

/// Nothing happens at the end of its life.
template <class T>
inline constexpr bool kEndsWithoutEffect =
    std::is_reference_v<T> ? std::is_trivially_destructible_v<std::remove_cvref_t<T>> ||
                                 !std::is_class_v<std::remove_cvref_t<T>>
                           : std::is_trivially_destructible_v<T>;

/// Memory of this type holds no address of a thread's variable: numbers, vectors, and what is
/// smaller than an address. The argument of a template may be a value as well.
template <class T>
consteval bool holds_no_address() {
  using Value = std::remove_cv_t<std::remove_all_extents_t<T>>;
  if constexpr (std::is_void_v<Value> || std::is_function_v<Value>)
    return std::is_void_v<Value>;
  else if constexpr (std::is_pointer_v<Value> || std::is_reference_v<Value>)
    return false;
  else
    return kIsSplitValue<Value> || std::is_empty_v<Value> || sizeof(Value) < sizeof(void*);
}
template <auto>
consteval bool holds_no_address() {
  return true;
}

/// What a phase has of a variable that lives in memory, an element for each thread: a copy of a
/// value, a reference to anything else.
template <class T>
using carried_t = std::conditional_t<kIsSplitValue<T>, T, T&>;

template <class T>
[[gnu::always_inline]] inline void write_back(T& stored, const T& carried) {
  if constexpr (kIsSplitValue<T>) stored = carried;
}

/// What a phase has of an array that lives in memory, an array for each thread: a copy of one that
/// would lie in a GPU thread's registers, so that it can lie in this processor's while the phase
/// runs; a reference to any other.
template <class Array>
inline constexpr bool kIsCopiedArray = kIsSplitValue<std::remove_all_extents_t<Array>> &&
                                       sizeof(Array) <= 1024;

template <class Array, bool = kIsCopiedArray<Array>>
struct CarriedArray {
  Array& array;
  [[gnu::always_inline]] explicit CarriedArray(Array& stored) : array(stored) {}
  [[gnu::always_inline]] void write_back(Array&) const {}
};

template <class Array>
struct CarriedArray<Array, true> {
  std::remove_const_t<Array> array;
  // Copied as a whole: element by element g++ would not make vectors of it.
  [[gnu::always_inline]] explicit CarriedArray(const Array& stored) {
    std::memcpy(&array, &stored, sizeof(array));
  }
  [[gnu::always_inline]] void write_back(Array& stored) const {
    std::memcpy(&stored, &array, sizeof(array));
  }
};

struct BlockRun {
  /// Slots of a kernel, and of each function that runs once for the block.
  static constexpr unsigned kSlots = 1024;

  uint3 index;
  dim3 dim;
  dim3 grid;
  unsigned first_slot = 0;
  const bool* alive = nullptr;  ///< which threads have not ended; null: all

  /// Storage of one variable for all threads of the block; `slot` tells a kernel's variables apart.
  /// It belongs to the OS thread and is used again by its next block.
  template <class T>
  T* per_thread(unsigned slot) {
    return static_cast<T*>(storage(first_slot + slot, sizeof(T) * threads()));
  }

  std::size_t threads() const { return std::size_t{dim.x} * dim.y * dim.z; }

  /// The same block in a function that it runs once for all its threads.
  BlockRun inside() const {
    BlockRun run = *this;
    run.first_slot += kSlots;
    return run;
  }

  /// Tells functions outside the kernel which thread runs.
  void enter(const uint3& thread) { ::threadIdx = thread; }

 private:
  static void* storage(unsigned slot, std::size_t bytes);
};

/// `value + step` as it wraps round in T.
template <class T>
[[gnu::always_inline]] constexpr T stepped(T value, T step) {
  using Unsigned = std::make_unsigned_t<T>;
  return static_cast<T>(
      static_cast<Unsigned>(static_cast<Unsigned>(value) + static_cast<Unsigned>(step)));
}

/// The range of values at which the threads of a block begin a loop. As long as no thread has left,
/// and steps go up without wrapping around, the thread that began highest is the first to leave.
class StrideRange {
 public:
  template <class T>
  void add(T value) {
    const Wide wide = value;
    if (!any_ || wide < lowest_) lowest_ = wide;
    if (!any_ || wide > highest_) highest_ = wide;
    any_ = true;
  }

  /// Sets `value` to that of the thread that began highest, `offset` further, and returns true; or
  /// returns false if threads have to be asked one by one.
  template <class T>
  bool highest(T offset, T& value) {
    const Wide wide = offset;
    regular_ = regular_ && any_ && lowest_ >= 0 && wide >= 0 && (wide == 0 || wide > last_);
    last_ = wide;
    if (!regular_ || highest_ + wide > static_cast<Wide>(std::numeric_limits<T>::max())) {
      return false;
    }
    value = static_cast<T>(highest_ + wide);
    return true;
  }

  /// From now on there may be threads that have left.
  void leave() { regular_ = false; }

 private:
  __extension__ typedef __int128 Wide;
  Wide lowest_ = 0, highest_ = 0, last_ = 0;
  bool any_ = false, regular_ = true;
};

/// The flags of those who come to a loop: all, or those whose flag `from` has.
inline void copy_flags(bool* to, const bool* from, std::ptrdiff_t count) {
  if (from == nullptr) {
    std::memset(to, 1, static_cast<std::size_t>(count));
  } else {
    std::memcpy(to, from, static_cast<std::size_t>(count));
  }
}

/// The flags of those in `from`, or of all, that have none in `then`. Returns whether there are
/// any.
inline bool other_flags(bool* to, const bool* from, const bool* then, std::ptrdiff_t count) {
  bool any = false;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    to[i] = (from == nullptr || from[i]) && !then[i];
    any = any || to[i];
  }
  return any;
}

/// The initialiser of a variable that counts up from thread to thread: a whole number.
template <class T>
constexpr T integer(T value) {
  static_assert(std::is_integral_v<T>);
  return value;
}

/// Such a variable, of type T, in the thread `lane` places after one whose initialiser is `first`.
/// The sum is made in T, whose overflow the compiler need not allow for if T is signed, unless the
/// initialiser's type is the smaller one: then it wraps round as the initialiser does.
template <class T, class Initial>
[[gnu::always_inline]] constexpr std::remove_cv_t<T> in_row(Initial first, std::ptrdiff_t lane) {
  using Value = std::remove_cv_t<T>;
  using Sum = std::conditional_t<sizeof(Value) <= sizeof(Initial), Value, Initial>;
  return static_cast<Value>(static_cast<Sum>(static_cast<Sum>(first) + static_cast<Sum>(lane)));
}

/// A whole number as one of 64 bits, in the same order and at the same distances.
template <class T>
[[gnu::always_inline]] constexpr std::int64_t in_order(T value) {
  constexpr bool kShift = std::is_unsigned_v<T> && sizeof(T) == sizeof(std::int64_t);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) -
                                   (kShift ? std::uint64_t{1} << 63 : 0));
}

/// Does such a variable count up in a whole row? What it is made of goes up with the thread and can
/// only fall by wrapping round, so the values of the row's two ends tell.
template <class T>
[[gnu::always_inline]] constexpr bool counts_up(T first, T last, std::ptrdiff_t threads) {
  const std::int64_t low = in_order(first), high = in_order(last);
  return high >= low && static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) ==
                            static_cast<std::uint64_t>(threads - 1);
}

namespace detail {

/// A grid small enough for `blockIdx.x * blockDim.x + threadIdx.x` to stay below 2^31. The split
/// kernel tells the compiler so, which then knows that neighbouring threads have neighbouring
/// indices and vectorises their loads.
inline constexpr unsigned kSmallGrid = 1u << 21;

/// kLanes neighbouring threads: body(first, lane). A constant number of them is what lets the
/// compiler vectorise across threads whatever loops the body has inside.
template <int kLanes, class Body>
[[gnu::always_inline]] inline void run_strip(std::ptrdiff_t first, const Body& body) {
  LaneMarks<kLanes> marks;
#pragma omp simd
  for (std::ptrdiff_t lane = 0; lane < kLanes; ++lane) {
    marks.set(lane);
    body(first, lane);
  }
}

inline std::uint64_t eight_flags(const bool* flags) {
  std::uint64_t word;
  std::memcpy(&word, flags, sizeof(word));
  return word;
}

/// Are all of eight flags set?
inline bool eight_set(const bool* flags) { return eight_flags(flags) == 0x0101010101010101u; }

/// Do all threads of a strip pass?
template <int kLanes, class Guard>
[[gnu::always_inline]] inline bool all_pass(std::ptrdiff_t first, const Guard& guard) {
  bool all = true;
#pragma omp simd reduction(& : all)
  for (std::ptrdiff_t lane = 0; lane < kLanes; ++lane) all &= guard(first, lane);
  return all;
}

/// Hardly any grid is as large: `cold` has the compiler spend little time on it.
template <class Body>
[[gnu::noinline, gnu::cold]] void run_block_of_large_grid(const Body& body, BlockRun run) {
  Body block_body = body;
  block_body(run, false);
}

template <class Body>
[[gnu::noinline]] void run_split_block(const Body& body, BlockRun run) {
  if (run.grid.x > kSmallGrid) return run_block_of_large_grid(body, run);
  Body block_body = body;
  block_body(run, true);
}

}  // namespace detail

/// Runs the threads of a row one after another: a body that needs to know its thread.
template <class Body>
[[gnu::always_inline]] inline void for_each_lane(std::ptrdiff_t count, const Body& body) {
  for (std::ptrdiff_t lane = 0; lane < count; ++lane) body(lane, 0);
}

/// Runs the threads of a row in strips. Threads have no order between barriers, so any will do.
/// One after another where variables that count up from thread to thread wrap round in between.
template <class Body>
[[gnu::always_inline]] inline void for_lanes(std::ptrdiff_t count, const Body& body,
                                             bool counts_up = true) {
  std::ptrdiff_t lane = 0;
  for (; lane + 16 <= count && counts_up; lane += 16) {
    detail::run_strip<16>(lane, body);
  }
  if (lane + 8 <= count && counts_up) {
    detail::run_strip<8>(lane, body);
    lane += 8;
  }
  for (; lane < count; ++lane) detail::run_strip<1>(lane, body);
}

/// The same for a phase that begins with guards, such as `if (row >= rows) return;`. Where all
/// threads of a strip pass, `body` runs, which is the phase without its guards: the compiler does
/// not vectorise loops that a condition surrounds. Elsewhere `guarded_body` runs, which has them.
template <class Guard, class Body, class GuardedBody>
[[gnu::always_inline]] inline void for_guarded_lanes(std::ptrdiff_t count, const Guard& guard,
                                                     const Body& body,
                                                     const GuardedBody& guarded_body,
                                                     bool counts_up = true) {
  // Nothing here may take the address of the bodies, or the compiler must take their variables for
  // something that every store may change.
  for (std::ptrdiff_t lane = 0; lane < count;) {
    if (lane + 16 <= count && counts_up && detail::all_pass<16>(lane, guard)) {
      detail::run_strip<16>(lane, body);
      lane += 16;
    } else if (lane + 8 <= count && counts_up && detail::all_pass<8>(lane, guard)) {
      detail::run_strip<8>(lane, body);
      lane += 8;
    } else {
      const std::ptrdiff_t end = lane + 8 < count ? lane + 8 : count;
      for (; lane < end; ++lane) guarded_body(lane, 0);
    }
  }
}

/// The same for threads that passed the kernel's guards before: `inside` tells which.
template <class Body>
[[gnu::always_inline]] inline void for_masked_lanes(std::ptrdiff_t count, const bool* inside,
                                                    const Body& body, bool counts_up = true) {
  for (std::ptrdiff_t lane = 0; lane < count;) {
    if (lane + 16 <= count && detail::eight_set(inside + lane) &&
        detail::eight_set(inside + lane + 8) && counts_up) {
      detail::run_strip<16>(lane, body);
      lane += 16;
    } else if (lane + 8 <= count && detail::eight_set(inside + lane) && counts_up) {
      detail::run_strip<8>(lane, body);
      lane += 8;
    } else if (lane + 8 <= count && detail::eight_flags(inside + lane) == 0) {
      lane += 8;
    } else {
      if (inside[lane]) body(lane, 0);
      ++lane;
    }
  }
}

/// The same one after another, for a body that needs to know its thread.
template <class Body>
[[gnu::always_inline]] inline void for_each_masked_lane(std::ptrdiff_t count, const bool* inside,
                                                        const Body& body) {
  for (std::ptrdiff_t lane = 0; lane < count;) {
    if (lane + 8 <= count && detail::eight_flags(inside + lane) == 0) {
      lane += 8;
      continue;
    }
    if (inside[lane]) body(lane, 0);
    ++lane;
  }
}

/// Did any thread of the block pass the kernel's guards?
inline bool any_inside(const bool* inside, std::ptrdiff_t count) {
  return std::memchr(inside, 1, static_cast<std::size_t>(count)) != nullptr;
}

}  // namespace simt

#endif
