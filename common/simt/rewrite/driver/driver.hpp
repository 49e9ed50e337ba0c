/// \file
/// What cucc does with a command line.
#pragma once

#include <string>
#include <vector>

namespace simt::rewrite {

/// Where the runtime lives.
struct Installation {
  std::string include_folder;          ///< with cuda_runtime.h
  std::vector<std::string> libraries;  ///< in link order
  std::string check_library;           ///< what --check adds
  std::string count_library;           ///< what --count adds
  std::string toolkit;                 ///< a folder laid out as the CUDA Toolkit is
};

/// The installation cucc was built with; the environment variables SIMT_INCLUDE (a folder) and
/// SIMT_LIBRARY (library files, parted by colons) override it.
Installation find_installation();

/// `cucc ARGUMENTS...`: like nvcc. Returns the exit status; throws UsageError.
int drive(const std::vector<std::string>& arguments, const Installation& installation);

/// `cucc --launcher [--check | --count] COMPILER ARGUMENTS...`: runs a compiler command, rewriting
/// its .cu source.
int launch_compiler(std::vector<std::string> command, const Installation& installation);

}  // namespace simt::rewrite
