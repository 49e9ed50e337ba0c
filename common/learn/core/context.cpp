#include "learn/core/context.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "learn/core/error.hpp"

namespace tut::learn {
namespace fs = std::filesystem;

fs::path Context::build_folder_of(const std::string& other_backend) const {
  return other_backend == backend ? build_folder : build_folder.parent_path() / other_backend;
}

Context find_context(const std::string& backend) {
  Context context;
  const char* build = std::getenv("LEARN_BUILD");
  context.build_folder = build != nullptr
                             ? fs::path(build)
                             : fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  const BuildTree tree({}, context.build_folder);
  context.backend = tree.cache_variable("TUT_BACKEND");
  if (context.backend.empty()) context.backend = "cpu";
  const char* root = std::getenv("LEARN_ROOT");
  context.root = root != nullptr ? root : tree.cache_variable("CMAKE_HOME_DIRECTORY");
  if (context.root.empty() || !fs::is_directory(context.root)) {
    throw UsageError(
        fmt::format("{} belongs to no copy of the course; start ./learn in the course's folder",
                    context.build_folder.string()));
  }
  if (!backend.empty() && backend != context.backend) {
    context.build_folder = context.build_folder_of(backend);
    context.backend = backend;
  }
  context.style = style_for(stdout);
  context.interactive = isatty(STDOUT_FILENO) != 0;
  return context;
}

}  // namespace tut::learn
