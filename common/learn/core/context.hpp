#pragma once

#include <filesystem>
#include <string>

#include "learn/core/build_tree.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {

/// Which checkout and which build a command works on, and how it may print.
struct Context {
  std::filesystem::path root;          ///< the checkout
  std::filesystem::path build_folder;  ///< the configured build of `backend`
  std::string backend;                 ///< cpu or cuda
  Style style;                         ///< of standard output
  bool interactive = false;            ///< standard output is a terminal

  BuildTree tree() const { return {root, build_folder}; }

  /// The build folder of a backend: this one's, or its sibling of that name.
  std::filesystem::path build_folder_of(const std::string& other_backend) const;

  /// "on the CPU backend" or "on the GPU".
  std::string where() const { return backend == "cuda" ? "on the GPU" : "on the CPU backend"; }
};

/// The context of this program: its build folder is the one it lies in (FOLDER/bin/learn_cli),
/// its checkout is the one that folder was configured from. LEARN_ROOT and LEARN_BUILD override
/// the two.
/// @param backend cpu, cuda, or empty: the backend of that build folder
/// @throws UsageError when there is no such build.
Context find_context(const std::string& backend);

}  // namespace tut::learn
