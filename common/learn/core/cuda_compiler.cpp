#include "learn/core/cuda_compiler.hpp"

#include "learn/core/status_line.hpp"

namespace tut::learn {

std::vector<std::string> build_cucc(const Context& context) {
  const BuildTree tree(context.root, context.build_folder_of("cpu"));
  StatusLine status;
  const BuildProgress bar = status.build_bar("cucc");
  // What it links programs with.
  for (const char* library : {"simt", "simt_cublas", "simt_check", "simt_count"}) {
    if (tree.has_target(library)) tree.build({library}, bar);
  }
  return {tree.require_program("cucc", "cucc", bar).string()};
}

std::vector<std::string> cuda_compiler(const Context& context) {
  if (context.backend == "cpu") return build_cucc(context);
  const std::string nvcc = context.tree().cache_variable("CMAKE_CUDA_COMPILER");
  return {nvcc.empty() ? "nvcc" : nvcc, "-arch=native"};
}

}  // namespace tut::learn
