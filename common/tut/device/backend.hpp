#pragma once

namespace tut {

/// Whether this build runs kernels on the CPU backend instead of a GPU.
#ifdef TUT_BACKEND_CPU
inline constexpr bool on_cpu_backend = true;
#else
inline constexpr bool on_cpu_backend = false;
#endif

}  // namespace tut
