/// \file
/// Contract of the exercise average_ms: time work on the GPU by events.
#pragma once

#include <cuda_runtime.h>

#include <functional>

namespace tut::ch03 {

/// The mean time of `work` on the device, in milliseconds, measured with events on `stream`.
///
/// Calls work(stream) once without timing it, so that one-time costs (loading the kernel, caches,
/// clocks) stay out, then `repeats` times between two events. The host does not wait between the
/// timed calls, but only once, after the last of them; it may also wait after the untimed call. No
/// kernels are launched except those that `work` launches.
///
/// \param work     issues work to the stream it is given, and returns, perhaps before it is done
/// \param repeats  timed calls, at least 1
/// \param stream   stream to time; other streams are neither timed nor waited for, except that CUDA
///                 itself makes the default stream and most others wait for each other
/// \return milliseconds of one call: the mean over those that are timed
///
/// Errors: `std::invalid_argument` if repeats is below 1; `tut::CudaError` for CUDA's errors,
/// including those of kernels that `work` launched and that went wrong; whatever `work` throws.
/// `work` itself asks whether its launches were accepted: if it does not, such an error may be
/// thrown or be lost.
///
/// **Launch**: nothing but what `work` launches.
///
/// **Cost**: two events and one synchronisation in the worked solution, besides the work itself.
///
/// **Source**: CUDA C++ Best Practices Guide, "Using CUDA GPU Timers".
float average_ms(const std::function<void(cudaStream_t)>& work, int repeats,
                 cudaStream_t stream = nullptr);

}  // namespace tut::ch03
