#pragma once

#include <string>
#include <vector>

#include "learn/core/context.hpp"

namespace tut::learn {

/// Brings the CPU backend's compiler driver up to date.
/// @return the start of its command line
/// @throws UsageError when the CPU backend is not set up or does not build.
std::vector<std::string> build_cucc(const Context& context);

/// The start of the command line of the backend's CUDA compiler: cucc, or nvcc for the machine's
/// own GPU.
std::vector<std::string> cuda_compiler(const Context& context);

}  // namespace tut::learn
