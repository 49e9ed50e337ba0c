#include "learn/core/cuda_compiler.hpp"

#include "learn/core/status_line.hpp"

namespace tut::learn {

std::vector<std::string> build_cucc(const Context& context) {
  const BuildTree tree(context.root, context.build_folder_of("cpu"));
  // With what it links programs with.
  std::vector<std::string> targets;
  for (const char* target : {"cucc", "simt", "simt_cublas", "simt_check", "simt_count"}) {
    if (tree.has_target(target)) targets.emplace_back(target);
  }
  StatusLine status;
  if (!targets.empty()) tree.build(targets, status.build_bar("cucc"));
  return {tree.require_program("cucc", "cucc").string()};
}

std::vector<std::string> cuda_compiler(const Context& context) {
  if (context.backend == "cpu") return build_cucc(context);
  const std::string nvcc = context.tree().cache_variable("CMAKE_CUDA_COMPILER");
  return {nvcc.empty() ? "nvcc" : nvcc, "-arch=native"};
}

}  // namespace tut::learn
