#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tut::learn {

/// The names of the kernels that a CUDA source defines or declares, in its order, each once.
std::vector<std::string> kernel_names(std::string_view source);

/// A kernel, and the file that it stands in.
struct KernelFile {
  std::string kernel;
  std::filesystem::path file;  ///< relative to the checkout
};

/// The kernels of the chapters and of the learner's exercises.
std::vector<KernelFile> find_kernels(const std::filesystem::path& root);

/// The one of that name, with or without "_kernel" at its end.
/// @throws UsageError that names the files where several have one, or near names where none has.
const KernelFile& pick_kernel(const std::vector<KernelFile>& kernels, const std::string& word);

}  // namespace tut::learn
