/// \file
/// Contract of the exercise average_ms: time work on the GPU by events.
#pragma once

#include <cuda_runtime.h>

#include <functional>

namespace tut::ch03 {

/// The mean time of `work` on the device, in milliseconds, measured with events on `stream`.
///
/// Calls work(stream) once without timing it, so that one-time costs (loading the kernel, caches,
/// clocks) stay out, then `repeats` times for the clock of the events. The host does not wait from
/// one timed call to the next, but once, behind the last; a wait behind the untimed call does no
/// harm. No kernel is launched but by `work`.
///
/// \param work     issues work to the stream it is given, and returns, perhaps before it is done
/// \param repeats  timed calls, at least 1
/// \param stream   stream to time; other streams are neither timed nor waited for, but for those
///                 that CUDA orders with it, as the default stream with most
/// \return milliseconds of one call: the mean of those that are timed
///
/// Errors: `std::invalid_argument` if repeats is below 1; `tut::CudaError` for CUDA's errors, those
/// included that the work's kernels end with; what `work` throws. Whether CUDA took its launches is
/// for `work` to ask: an error that it leaves behind may be thrown, or lost.
///
/// **Launch**: nothing but what `work` launches.
///
/// **Cost**: two events and one synchronisation in the worked solution, beside the work.
///
/// **Source**: CUDA C++ Best Practices Guide, "Using CUDA GPU Timers".
float average_ms(const std::function<void(cudaStream_t)>& work, int repeats,
                 cudaStream_t stream = nullptr);

}  // namespace tut::ch03
