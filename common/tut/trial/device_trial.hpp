/// \file
/// How a call under test is run on device memory: so that it shows whether it keeps to the stream
/// that it is given, and whether it keeps anything from one call to the next.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "simt/inspect/check/interface.hpp"
#include "tut/numeric/precision.hpp"
#include "tut/trial/guarded_buffer.hpp"
#include "tut/trial/recorded_call.hpp"

namespace tut {

/// What a call may do that most calls may not, or must do that most need not.
struct CallRules {
  /// False: it may make the host wait, allocate, and copy from and to the host.
  bool recordable = true;
  /// False: two calls share memory that a test does not see, so they never run at the same time.
  bool at_once = true;
  /// False: it returns the error of a launch that CUDA refuses, and does not throw it.
  bool throws_refusals = true;
  /// True: its results have the same bits in whatever order the blocks run.
  bool same_bits = false;
  /// True: and wherever its arguments lie in memory.
  bool same_bits_anywhere = false;
  /// The most kernels that it may launch; 0: any number.
  int most_launches = 0;
  /// What it launches, where the contract leaves no choice.
  std::optional<LaunchShape> launch = std::nullopt;
};

/// Runs `call(stream)`, which launches kernels, to their end. Throws CudaError, also for a launch
/// that was refused without a word and for what went wrong in a kernel.
void run_to_end(const StreamCall& call);

/// How far two results are the same.
enum class Agreement { none, values, bits };

/// The parts of a trial. Memory is what the call uses; other memory is there for a second call, on
/// other data.
struct TrialParts {
  StreamCall call, call_on_other_memory;
  /// Makes other memory, laid out in the way of that number.
  std::function<void(int)> set_other_memory;
  std::function<void()> set_data, set_other_data;
  /// What the memory holds now.
  std::function<std::vector<std::byte>()> contents;
  /// Notes what the arguments hold now that lie in it; and how far those in the other memory, now,
  /// are the same.
  std::function<void()> note_result;
  std::function<Agreement()> agreement;
  /// Keeps what the arguments hold now. What it returns says how far they then hold the same.
  std::function<std::function<Agreement()>()> keep_result;
  /// What the call wrote around the arguments in the other memory, said in words; "" if nothing.
  std::function<std::string()> written_around;
  bool is_small = true;
  /// How many ways of the other memory are tried in one trial.
  int ways = 1;
};

/// Leaves the result of one call on its data. If it is recordable, this is what happens:
/// 1. a call on other data at the same addresses, so that what it keeps is wrong for the next;
///    Where kernels have variables that are declared without a value, and check mode chooses it,
///    once more with another content of these, which may change nothing;
/// 2. a call that is recorded into a CUDA graph, and may do nothing yet; then it is made again for
///    each of its calls to CUDA, launches among them, which fails, and it has to say so;
/// 3. the graph is replayed on the call's own data after calls on other memory, the first and the
///    last of them, and with every other one the two are recorded together, where neither waits
///    for the other: if they share memory that the caller does not see, one overwrites the
///    other's, and the result is not that of the call alone. In the other memory one argument lies
///    at an odd place or has an odd stride, or all have rows that begin at multiples of 16 bytes
///    and end before the next: one after the other where the data are tiny and of the first sizes,
///    some where they are of new ones, and else another one in the next trial. In check mode it
///    fits to the byte. Its result is that of 1, but for the rounding of sums in another order, and
///    what lies around it stays as it is;
/// 4. the graph is replayed in other orders of the blocks, where it has to give the same bits.
/// For large data, and after the first trials of a program, there is no 1 and no other memory:
/// whoever keeps something shows it before. Nor do calls fail then, but of one that launches other
/// kernels than those before.
/// While a CountingTrial lives, the call is made once on its own data, and counted. With
/// TUT_STOP_AT_FINDING in the environment the program ends behind a trial in which check mode found
/// something, as it says by its exit status.
/// Throws CallFailure of kind "stream", "launch", "state" or "unset", CudaError, or what the call
/// throws. Where results differ that may not, the failure is kept until the call's own values are
/// judged (keep_failure): if they are wrong, they show better why.
void run_trial(const CallRules& rules, const TrialParts& parts);

namespace detail {

/// Device copies of some images.
template <class... T>
class DeviceImages {
 public:
  explicit DeviceImages(const Guarded<T>&... images) : buffers_{GuardedBuffer<T>(images)...} {}

  void upload(const std::tuple<Guarded<T>...>& images) {
    each(buffers_, images, [](auto& buffer, const auto& image) { buffer.upload(image); });
  }
  void download(Guarded<T>&... images) const {
    std::apply([&](const auto&... buffer) { (buffer.download(images), ...); }, buffers_);
  }
  template <class Call>
  void run(Call&& call, cudaStream_t stream) const {
    std::apply([&](const auto&... buffer) { call(stream, buffer.view()...); }, buffers_);
  }
  /// The device's memory, guard zones included.
  std::vector<std::byte> contents() const {
    std::vector<std::byte> bytes;
    const auto append = [&](const auto& values) {
      const auto more = std::as_bytes(std::span(values));
      bytes.insert(bytes.end(), more.begin(), more.end());
    };
    std::apply([&](const auto&... buffer) { (append(buffer.memory()), ...); }, buffers_);
    return bytes;
  }
  /// What has changed around the elements of a matrix since its image was uploaded.
  std::string written_around(const std::tuple<Guarded<T>...>& images) const {
    std::string change;
    each(buffers_, images, [&](const auto& buffer, const auto& before) {
      if (!change.empty()) return;
      auto after = before;
      buffer.download(after);
      change = after.change_outside(before, "an argument", before.rows() == 1);
    });
    return change;
  }
  /// The elements alone, of each matrix.
  std::tuple<std::vector<T>...> elements() const {
    return std::apply(
        [](const auto&... buffer) { return std::tuple<std::vector<T>...>{buffer.elements()...}; },
        buffers_);
  }

 private:
  template <class Buffers, class Action>
  static void each(Buffers& buffers, const std::tuple<Guarded<T>...>& images, Action action) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (action(std::get<I>(buffers), std::get<I>(images)), ...);
    }
    (std::index_sequence_for<T...>());
  }

  std::tuple<GuardedBuffer<T>...> buffers_;
};

/// Whether arithmetic on a type rounds, so that the order of additions changes a sum.
template <class T>
constexpr bool is_rounded = Precision<T>::rounding > 0;

/// The largest finite magnitude; 0 of a type that is not rounded.
template <class T>
double largest_magnitude(const std::vector<T>& values) {
  double largest = 0;
  if constexpr (is_rounded<T>) {
    for (const T& value : values) {
      if (const double size = std::abs(to_double(value)); std::isfinite(size)) {
        largest = std::max(largest, size);
      }
    }
  }
  return largest;
}

/// Whether two vectors of a type that is rounded are the same within `tolerance`. Special values
/// have to be the same; where `may_overflow`, an order of the sum decides whether there are any.
template <class T>
bool are_close(const std::vector<T>& a, const std::vector<T>& b, double tolerance,
               bool may_overflow) {
  return std::ranges::equal(a, b, [&](const T& left, const T& right) {
    const double x = to_double(left), y = to_double(right);
    if (x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= tolerance) return true;
    return may_overflow && !(std::isfinite(x) && std::isfinite(y));
  });
}

/// How far two results, of the same shapes, are the same. Of rounded values each matrix may differ
/// by 2^-7 of its largest, and by 2^-14 of the largest of all, which sums may have cancelled.
template <class... T>
Agreement agreement_of(const std::tuple<std::vector<T>...>& a,
                       const std::tuple<std::vector<T>...>& b) {
  constexpr double kOwn = 0x1p-7, kAll = 0x1p-14, kNearOverflow = 0x1p100;
  const double all = std::apply(
      [](const auto&... values) {
        return std::max({0.0, largest_magnitude(values)...});
      },
      a);
  Agreement agreement = Agreement::bits;
  const auto compare = [&](const auto& left, const auto& right) {
    using Value = typename std::decay_t<decltype(left)>::value_type;
    const std::size_t bytes = left.size() * sizeof(Value);
    if (left.empty() || std::memcmp(left.data(), right.data(), bytes) == 0) return;
    bool close = false;
    if constexpr (is_rounded<Value>) {
      close =
          are_close(left, right, kOwn * largest_magnitude(left) + kAll * all, all > kNearOverflow);
    }
    agreement = close ? std::min(agreement, Agreement::values) : Agreement::none;
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (compare(std::get<I>(a), std::get<I>(b)), ...);
  }
  (std::index_sequence_for<T...>());
  return agreement;
}

/// The rows, columns and strides of images.
using KnownSizes = std::set<std::vector<std::int64_t>>;

/// In how many ways a trial with images of these sizes is to move them: in all of them if they are
/// among the first of the `known` sizes, where they are then, in some if they are new, and else in
/// one. Those go on from the ways of the trial before.
int ways_for(const std::vector<std::int64_t>& sizes, KnownSizes& known, int all);

/// In how many ways moved_in_turn moves so many images.
constexpr int ways_to_move(std::size_t images) { return 3 * static_cast<int>(images) + 1; }

/// How much longer a row has to be, so that the next one begins at a multiple of 16 bytes, and
/// behind something that is no element.
template <class T>
std::int64_t wider_for_vectors(const Guarded<T>& image) {
  if (image.rows() == 1 || image.placement().stride == 0) return 0;
  const auto step = std::lcm(image.placement().stride, std::int64_t{16 / sizeof(T)});
  return (image.cols() / step + 1) * step - image.stride();
}

/// The image in other memory, in one of three ways, as far as its placement allows: further by one
/// element, with a stride that is longer by one, or further by 16 bytes; of a single row, further
/// by two elements in place of a longer stride. Any other way leaves it where it is.
template <class T>
Guarded<T> moved_in_way(const Guarded<T>& image, int way, bool fits) {
  constexpr std::size_t kVector = 16 / sizeof(T);
  const Placement& to = image.placement();
  if (way == 0) return image.moved(to.start, 0, fits);
  if (way == 1) {
    return image.rows() > 1 && to.stride > 0 ? image.moved(0, to.stride, fits)
                                             : image.moved(2 * to.start, 0, fits);
  }
  const std::size_t by_vector = to.start > kVector ? to.start : kVector;
  return image.moved(way == 2 && to.start > 0 ? by_vector : 0, 0, fits);
}

/// The images in other memory, where one of them is moved: each in turn, and in each way; at last
/// all have rows for vectors, and numbers between them in place of NaN. The memory fits to the byte
/// where check mode sees what is used beside it.
template <class... T>
std::tuple<Guarded<T>...> moved_in_turn(const std::tuple<Guarded<T>...>& images, int way) {
  unsigned number = 0;
  const bool fits = simt_check_findings != nullptr;
  const bool for_vectors = way == ways_to_move(sizeof...(T)) - 1;
  const auto moved = [&](const auto& image) {
    auto result = for_vectors ? image.moved(0, wider_for_vectors(image), fits)
                              : moved_in_way(image, way - 3 * static_cast<int>(number), fits);
    using Value = std::decay_t<decltype(image.cview()(0, 0))>;
    if (for_vectors && is_rounded<Value>) {
      result.replace_padding(from_float<Value>(3.0f + static_cast<float>(number++ % 8)));
    } else {
      result.number_padding(number++ % 8);
    }
    return result;
  };
  // In braces they are moved from left to right.
  return std::apply(
      [&](const auto&... image) { return std::tuple<Guarded<T>...>{moved(image)...}; }, images);
}

}  // namespace detail

/// Runs `call(stream, views...)` on device copies of the images, as run_trial says, and leaves in
/// the images what the device's memory then holds. Each type of call has its own first sizes.
template <class Call, class... T>
void run_on_images(const CallRules& rules, Call&& call, Guarded<T>&... images) {
  constexpr std::size_t kSmall = std::size_t{256} << 10, kTiny = std::size_t{32} << 10;  // bytes
  constexpr int ways = detail::ways_to_move(sizeof...(T));
  const std::size_t bytes = (std::size_t{0} + ... + (images.memory().size() * sizeof(T)));
  const std::size_t of_elements = (std::size_t{0} + ... +
                                   (static_cast<std::size_t>(images.rows()) *
                                    static_cast<std::size_t>(images.cols()) * sizeof(T)));
  static detail::KnownSizes known;
  const std::vector<std::int64_t> sizes{images.rows()..., images.cols()..., images.stride()...};
  const std::tuple<Guarded<T>...> own{images...}, other{images.reversed()...};
  detail::DeviceImages<T...> memory(images...);
  std::optional<std::tuple<Guarded<T>...>> laid_out;
  std::optional<detail::DeviceImages<T...>> other_memory;
  std::tuple<std::vector<T>...> result;
  // What is kept on the way may be other parts of the sums where they begin at other places.
  const auto results_of = [&](const detail::DeviceImages<T...>& of) {
    std::tuple<std::vector<T>...> elements = of.elements();
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((std::get<I>(own).is_scratch() ? std::get<I>(elements).clear() : void()), ...);
    }
    (std::index_sequence_for<T...>());
    return elements;
  };
  const auto set_other_memory = [&](int way) {
    laid_out = detail::moved_in_turn(other, way % ways);
    std::apply([&](const auto&... image) { other_memory.emplace(image...); }, *laid_out);
  };
  run_trial(rules,
            {.call = [&](cudaStream_t stream) { memory.run(call, stream); },
             .call_on_other_memory = [&](cudaStream_t stream) { other_memory->run(call, stream); },
             .set_other_memory = set_other_memory,
             .set_data = [&] { memory.upload(own); },
             .set_other_data = [&] { memory.upload(other); },
             .contents = [&] { return memory.contents(); },
             .note_result = [&] { result = results_of(memory); },
             .agreement = [&] { return detail::agreement_of(result, results_of(*other_memory)); },
             .keep_result =
                 [&] {
                   return [&, kept = results_of(memory)] {
                     return detail::agreement_of(kept, results_of(memory));
                   };
                 },
             .written_around = [&] { return other_memory->written_around(*laid_out); },
             .is_small = bytes <= kSmall,
             .ways = of_elements <= kTiny ? detail::ways_for(sizes, known, ways) : 1});
  memory.download(images...);
}

}  // namespace tut
