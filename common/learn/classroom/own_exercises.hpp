/// \file
/// Exercises of an instructor's own course (LEARN_COURSE_PATH) in a bundle: there they are
/// exercises like the others, at the places that they have in their own course.
#pragma once

#include <string>
#include <vector>

#include "learn/core/archive.hpp"
#include "learn/core/manifest.hpp"

namespace tut::learn {

/// Adds what students need of the assigned exercises that are of an own course: the files of their
/// chapters' folders, their tests, and their entries in exercises/course.toml. A chapter that the
/// course does not have gets a CMakeLists.txt, if it has none. Of a chapter that it has the lesson
/// stays the course's.
///
/// Where an own course lies in a git checkout, it is handed out as it is committed: what git
/// ignores is left out. Elsewhere files are taken as they are.
/// @param files the course's, which this adds to; without a folder around them
/// @return the files that were taken as they are, without git, by their paths
/// @throws UsageError where a file has the place of one of the course's, or cannot be read, or is
/// not committed
std::vector<std::string> add_own_exercises(const std::vector<const Exercise*>& assigned,
                                           std::vector<PackedFile>& files);

/// The manifest with the entries of these exercises, each behind those of its chapter.
/// @throws UsageError where an own course's manifest cannot be read
std::string with_own_entries(const std::string& manifest,
                             const std::vector<const Exercise*>& exercises);

}  // namespace tut::learn
