/// @file
/// Work that is recorded for later: what a node of a graph does.
#ifndef SIMT_RUNTIME_WORK_HPP
#define SIMT_RUNTIME_WORK_HPP

#include <functional>
#include <string>

#include "driver_types.h"

namespace simt::detail {

struct Work {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::function<cudaError_t()> run;  ///< empty: nothing to do
  std::string label;                 ///< for a picture of the graph
  std::function<void()> begin{};     ///< done when the whole graph is launched, if it is not empty
  cudaMemcpy3DParms copy{};          ///< what a copy copies
  dim3 grid{}, block{};              ///< of a kernel
  const void* kernel = nullptr;      ///< tells it from others
};

/// What a launch would do, with copies of the kernel's arguments; nothing runs. The error is what
/// is wrong with the launch.
cudaError_t record_launch(const void* function, const cudaKernelNodeParams& parameters, Work& work);

/// Work of the other kinds.
Work copy_work(const cudaMemcpy3DParms& copy);
Work copy_work(void* to, const void* from, std::size_t size, cudaMemcpyKind kind);
Work copy_work(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
               std::size_t width, std::size_t height, cudaMemcpyKind kind);
Work fill_work(const cudaMemsetParams& parameters);
Work host_work(const cudaHostNodeParams& parameters);

}  // namespace simt::detail

#endif
