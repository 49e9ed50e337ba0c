/// @file
/// How a kernel runs: what the rewriter puts in place of `kernel<<<grid, block>>>(...)` and of a
/// `__global__` function's body.
///
/// `k<<<g, b, s, st>>>(args)` becomes `(::simt::configure(g, b, s, st), k(args))`, and the kernel
/// itself becomes its own launch stub:
///
///     void k(float* a, int n) {
///       static ::simt::KernelInfo simt_kernel{"k", "file.cu", 12, 0};
///       ::simt::Launch simt_launch(simt_kernel);
///       if (!simt_launch.ready()) return;
///       simt_launch.run_fibers([=](const uint3 threadIdx, const uint3 blockIdx,
///                                  const dim3 blockDim, const dim3 gridDim) mutable { body });
///     }
#ifndef SIMT_LAUNCH_HPP
#define SIMT_LAUNCH_HPP

#include <cstddef>

#include "driver_types.h"
#include "simt/block.hpp"
#include "simt/block_collectives.hpp"
#include "simt/block_run.hpp"
#include "simt/debugger.hpp"
#include "simt/kernel_info.hpp"
#include "simt/lane_marks.hpp"
#include "simt/products.hpp"
#include "simt/shared_memory.hpp"
#include "simt/symbols.hpp"
#include "simt/watching.hpp"

namespace simt {

/// Notes the configuration for the kernel that this OS thread calls next. Configurations nest, as
/// an argument of a launch may itself launch.
void configure(dim3 grid, dim3 block, std::size_t dynamic_shared = 0,
               cudaStream_t stream = nullptr);

struct LaunchConfig {
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
  uint3 cluster{1, 1, 1};  ///< blocks in a cluster, as attributes of the launch say
};

namespace detail {

/// Like `configure`, for the launch calls of the runtime API.
void configure(const LaunchConfig& config);

/// What the runtime can do with a kernel's body without knowing its type.
struct BodyOperations {
  /// Runs one whole block (loops), or the threads of it that have not started (fibers).
  void (*run)(const void* body, Block& block);
  void* (*copy)(const void* body);
  void (*destroy)(void* body);
  std::size_t size;  ///< of the body, with the kernel's arguments
  bool fibers;
};

template <class Body>
void run_threads(const void* kernel_body, Block& block) {
  const Body body = *static_cast<const Body*>(kernel_body);
  const dim3 dim = block.dim;
  const dim3 grid = block.grid;
  const uint3 index = block.index;
  ThreadCursor cursor(block);
  while (cursor.begin()) {
    Body thread_body = body;
    thread_body(cursor.current(), index, dim, grid);
    cursor.end();
  }
}

/// From here on the checker knows which thread runs: the compiler must not move this store down.
[[gnu::always_inline]] inline void tell_thread() { asm volatile("" ::: "memory"); }

template <bool kFibers, class Body>
void run_watched(const void* kernel_body, Block& block) {
  const Body& body = *static_cast<const Body*>(kernel_body);
  const uint3 index = block.index;
  const dim3 dim = block.dim;
  const dim3 grid = block.grid;
  const auto run_thread = [&](const uint3& thread) {
    tell_thread();
    Body thread_body = body;
    thread_body(thread, index, dim, grid);
    tell_thread();
  };
  if constexpr (kFibers) {
    ThreadCursor cursor(block);
    while (cursor.begin()) {
      run_thread(cursor.current());
      cursor.end();
    }
  } else {
    for (unsigned i = 0; i < block.thread_count; ++i) {
      ::threadIdx = {i % dim.x, i / dim.x % dim.y, i / (dim.x * dim.y)};
      run_thread(::threadIdx);
    }
  }
}

template <bool kThreadState, class Body>
void run_loops(const void* kernel_body, Block& block) {
  const Body body = *static_cast<const Body*>(kernel_body);
  const uint3 index = block.index;
  const dim3 dim = block.dim;
  const dim3 grid = block.grid;
  const auto run_thread = [&](const uint3& thread) __attribute__((always_inline)) {
    Body thread_body = body;
    thread_body(thread, index, dim, grid);
  };
  for (unsigned z = 0; z < dim.z; ++z) {
    for (unsigned y = 0; y < dim.y; ++y) {
      if constexpr (kThreadState) {
        for (unsigned x = 0; x < dim.x; ++x) {
          ::threadIdx = {x, y, z};
          run_thread({x, y, z});
        }
      } else {
        LaneMarks<kMaxThreads> marks;
#pragma omp simd
        for (unsigned x = 0; x < dim.x; ++x) {
          marks.set(x);
          run_thread({x, y, z});
        }
      }
    }
  }
}

template <class Body>
void run_whole_block(const void* kernel_body, Block& block) {
  const Body& body = *static_cast<const Body*>(kernel_body);
  run_split_block(body, BlockRun{block.index, dim3(block.dim), dim3(block.grid)});
}

template <class Body>
void* copy_body(const void* body) {
  return new Body(*static_cast<const Body*>(body));
}

template <class Body>
void destroy_body(void* body) {
  delete static_cast<Body*>(body);
}

}  // namespace detail

/// One call of a kernel: takes the configuration that was noted for it and checks it. What is wrong
/// with it becomes the error that `cudaGetLastError` returns.
class Launch {
 public:
  explicit Launch(KernelInfo& kernel);

  /// False if the kernel must not run: the configuration or the context is invalid, or the call
  /// only asks which kernel this is.
  bool ready() const { return ready_; }

  /// Runs a body whose threads may wait for each other. `body(threadIdx, blockIdx, blockDim,
  /// gridDim)`; each thread calls a copy of it.
  template <class Body>
  void run_fibers(const Body& body) {
    static constexpr detail::BodyOperations operations{
        &detail::run_threads<Body>, &detail::copy_body<Body>, &detail::destroy_body<Body>,
        sizeof(Body), true};
    execute(operations, &body);
  }

  /// Runs a body whose threads never wait, as plain loops that the compiler may vectorise. Without
  /// `kThreadState` the built-in variables are right only inside the body.
  template <bool kThreadState = true, class Body>
  void run_loop(const Body& body) {
    static constexpr detail::BodyOperations operations{
        &detail::run_loops<kThreadState, Body>, &detail::copy_body<Body>,
        &detail::destroy_body<Body>, sizeof(Body), false};
    execute(operations, &body);
  }

  /// As run_fibers and run_loop, for code that reports its accesses to a checker.
  template <bool kFibers, class Body>
  void run_watched(const Body& body) {
    static constexpr detail::BodyOperations operations{
        &detail::run_watched<kFibers, Body>, &detail::copy_body<Body>, &detail::destroy_body<Body>,
        sizeof(Body), kFibers};
    execute(operations, &body);
  }

  /// Runs a body that loops over the threads itself: `body(blockIdx, blockDim, gridDim)` runs one
  /// whole block.
  template <class Body>
  void run_blocks(const Body& body) {
    static constexpr detail::BodyOperations operations{
        &detail::run_whole_block<Body>, &detail::copy_body<Body>, &detail::destroy_body<Body>,
        sizeof(Body), false};
    execute(operations, &body);
  }

 private:
  void execute(const detail::BodyOperations& operations, const void* body);

  KernelInfo& kernel_;
  LaunchConfig config_;
  bool ready_ = false;
};

}  // namespace simt

#endif
