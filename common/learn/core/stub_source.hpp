#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "learn/core/manifest.hpp"

namespace tut::learn {

/// Whether this copy has the exercise's solution: one that comes with an assignment has not.
bool has_solution(const std::filesystem::path& root, const Exercise& exercise);

/// The exercise's file as it was given, without asking git: projected from its solution or, where a
/// copy comes without it, as it lies under exercises/given.
std::optional<std::string> given_text(const std::filesystem::path& root, const Exercise& exercise);

/// The exercise's file as it was given: given_text, else as committed.
/// @throws UsageError when neither can be had.
std::string stub_text(const std::filesystem::path& root, const Exercise& exercise);

}  // namespace tut::learn
