/// \file
/// What students get of an assignment: the course as it is committed, without the solutions of the
/// assigned exercises and without versions of any that try their tests.
#pragma once

#include <string>
#include <vector>

#include "learn/core/archive.hpp"
#include "learn/core/assignment.hpp"
#include "learn/core/context.hpp"

namespace tut::learn {

struct BundleOptions {
  std::string assignment;              ///< its file; empty: `exercises` says what is assigned
  std::vector<std::string> exercises;  ///< names, where there is no file
  std::string out;                     ///< FILE.tar.gz or FILE.zip
};

/// Writes the archive and says what is in it.
/// @throws UsageError where the course is no git checkout or has changes that are not committed, or
/// where the assignment's secret stands in a file that students would get
int bundle_command(const Context& context, const BundleOptions& options);

/// Whether students get a file of the course.
/// @param path from the root
/// @param assigned the assigned exercises
bool is_for_students(const std::string& path, const std::vector<const Exercise*>& assigned);

/// The assignment as students get it: without its secret and without comments.
/// @param text the instructor's
std::string public_assignment(const std::string& text, const std::string& source);

/// The names that a solution calls and its stub does not, and that a header declares: those an
/// answer may call. One a line, sorted.
/// @param headers the texts of the course's headers
std::string called_names(const std::string& solution, const std::string& stub,
                         const std::vector<std::string>& headers);

}  // namespace tut::learn
