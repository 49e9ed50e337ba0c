/// \file
/// Whether a call's grid reaches all elements of arrays that are longer than a test can run each
/// time.
#pragma once

#include <cuda_runtime.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "simt/inspect/check/interface.hpp"
#include "simt/runtime/interface.hpp"
#include "tut/errors/check.hpp"
#include "tut/testing/outcome.hpp"

namespace tut {

/// Elements that an int counts, and still does when a thread goes on by as many.
inline constexpr int kLongSize = 1'000'000'000;

/// The device's memory for that many elements. On the CPU backend only what is used exists, and it
/// may be larger than the machine's; on a GPU it is short, and only calls that are recorded may
/// get it.
template <class T>
class LongBuffer {
 public:
  explicit LongBuffer(std::size_t size = kLongSize) {
    size += kBeside;
    void* memory = nullptr;
    if (simt_allocate_sparse != nullptr) {
      memory = simt_allocate_sparse(size * sizeof(T), true);
      if (memory == nullptr) throw std::bad_alloc();
    } else {
      check(cudaMalloc(&memory, 16 * sizeof(T)));
    }
    data_.reset(static_cast<T*>(memory));
  }

  T* data() const noexcept { return data_.get(); }

 private:
  /// Elements behind the last: what uses memory past the end is found elsewhere.
  static constexpr std::size_t kBeside = 4096;

  struct Free {
    void operator()(T* memory) const { cudaFree(memory); }
  };
  std::unique_ptr<T, Free> data_;
};

/// Parts of a call's long results, on the CPU backend: marked, until somebody writes to them. The
/// first and the last blocks of a grid that grows have to.
class MarkedParts {
 public:
  MarkedParts() : idle_before_(idle_blocks()) {}
  /// The first and the last of `size` elements.
  template <class T>
  MarkedParts(const std::string& name, T* data, std::size_t size) : MarkedParts() {
    add_ends(name, data, size);
  }

  template <class T>
  void add_ends(const std::string& name, T* data, std::size_t size) {
    add("the first element of " + name, data, 1);
    add("the last element of " + name, data + size - 1, 1);
  }
  template <class T>
  void add(const std::string& what, T* first, std::size_t count) {
    if (simt_run_ends == nullptr) return;  // no such memory
    parts_.push_back({what, first, count * sizeof(T)});
    check(cudaMemset(first, kMark, count * sizeof(T)));
  }

  /// Fails if nobody has written to one of the parts.
  Outcome are_written() const;

 private:
  static constexpr int kMark = 0xA5;
  static std::uint64_t idle_blocks() {
    return simt_check_idle_blocks != nullptr ? simt_check_idle_blocks() : 0;
  }
  struct Part {
    std::string what;
    const void* place;
    std::size_t bytes;
  };
  std::vector<Part> parts_;
  std::uint64_t idle_before_;
};

/// Until it goes, of each launch on the CPU backend only the first and the last two blocks run.
class EndsOnly {
 public:
  static constexpr int kBlocks = 4;  ///< of a launch
  /// The most blocks of a launch: check mode numbers them, over all launches, in 32 bits.
  static constexpr std::uint64_t kNumbered = 1 << 28;

  EndsOnly() { set(kBlocks); }
  EndsOnly(const EndsOnly&) = delete;
  EndsOnly& operator=(const EndsOnly&) = delete;
  ~EndsOnly() { set(0); }

 private:
  static void set(std::uint64_t blocks) {
    if (simt_run_ends != nullptr) simt_run_ends(blocks);
  }
};

/// Until it goes, check mode looks for all but races in global memory: for long launches, of which
/// the same kernels' shorter ones tell the races.
class WithoutRaces {
 public:
  WithoutRaces() { look_for_races(false); }
  WithoutRaces(const WithoutRaces&) = delete;
  WithoutRaces& operator=(const WithoutRaces&) = delete;
  ~WithoutRaces() { look_for_races(true); }

 private:
  static void look_for_races(bool on) {
    if (simt_check_races != nullptr) simt_check_races(on);
  }
};

/// Starts work on so many elements, or columns, or whatever a failure is to call them.
class SizedCall {
 public:
  /// \param counted "elements", or "rows of C".
  template <class Call>
  requires std::invocable<const Call&, cudaStream_t, int> SizedCall(
      Call call, std::string counted = "elements")
      : call_(std::move(call)), counted_(std::move(counted)) {}

  void operator()(cudaStream_t stream, int size) const { call_(stream, size); }
  std::string text(std::int64_t size) const { return std::to_string(size) + " " + counted_; }

 private:
  std::function<void(cudaStream_t, int)> call_;
  std::string counted_;
};

namespace detail {
Outcome reach_of_grid(const SizedCall& call, const std::function<Outcome(int)>& values, int tried,
                      int most, const std::function<Outcome()>& ends);
}

/// Records `call` for up to `most` elements: whatever it launches has to be possible. On the CPU
/// backend the first and the last blocks are run for `most`, in the call's LongBuffers. A grid that
/// stops growing at some length has to go round from there on: if that is beyond `tried` elements,
/// which other cases have, and not too many to be run, `values` says whether it does, of a longer
/// array; in check mode, where that would take too long, the first and the last blocks do, which
/// must have more to do. One that is short of a block where there are many, counted in floating
/// point, is refused. `ends` judges what the first and the last blocks have left, if they were run
/// and the grid still grows: one that has stopped growing goes round. Nothing is done if the
/// program has failed already.
inline Outcome grid_reach_outcome(const SizedCall& call, const std::function<Outcome(int)>& values,
                                  int tried, int most = kLongSize,
                                  const std::function<Outcome()>& ends = {}) {
  return has_failed() ? Outcome{} : detail::reach_of_grid(call, values, tried, most, ends);
}

/// Likewise, and the first and the last blocks have to write to those parts of the result.
inline Outcome grid_reach_outcome(const SizedCall& call, const std::function<Outcome(int)>& values,
                                  int tried, const MarkedParts& parts, int most = kLongSize) {
  return grid_reach_outcome(call, values, tried, most, [&] { return parts.are_written(); });
}

}  // namespace tut
