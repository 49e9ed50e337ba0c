#pragma once

#include <filesystem>
#include <string>

#include "learn/core/manifest.hpp"

namespace tut::learn {

/// The exercise's file as it was given: projected from its solution, else as committed.
/// @throws UsageError when neither can be had.
std::string stub_text(const std::filesystem::path& root, const Exercise& exercise);

}  // namespace tut::learn
