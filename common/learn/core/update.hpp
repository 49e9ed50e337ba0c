/// \file
/// A new version of the course under a learner's files. Those lie in exercises/, which git tracks:
/// they are kept aside in .learn/update while git moves from one commit to the other, and put back.
/// A journal is written before the first file changes and goes after the last is back, so that an
/// update that was killed is finished by the next one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "learn/core/git.hpp"

namespace tut::learn {

/// What is under way: from which commit to which, and whose files are kept aside.
struct UpdateJournal {
  std::string from, to;  ///< commits
  std::vector<std::string>
      files;  ///< the learner's, from the root; they lie in .learn/update/files

  bool has(const std::string& file) const;
};

/// The update that was killed; nothing where none was.
/// @throws UsageError where the journal is damaged
std::optional<UpdateJournal> unfinished_update(const std::filesystem::path& root);

/// Whether a tracked file is the learner's to edit: all of exercises/ but its list and what is
/// given.
bool is_learners_file(const std::string& path);

/// What an update is to do, if all allows it: an upstream, no commits of the learner's own, nothing
/// staged, nothing changed but the learner's files. Fetches.
/// @return from == to where there is nothing new
/// @throws UsageError in one line that names what is in the way, or why git cannot fetch
UpdateJournal plan_update(const Git& git);

/// Does it: keeps the learner's files aside, moves git, puts them back.
/// @param journal the plan; gets the files that were kept
/// @return what was put beside a file under another name, a line for each
/// @throws UsageError where git refuses; then all is as it was before
std::vector<std::string> do_update(const Git& git, UpdateJournal& journal);

/// Finishes one that was killed. What was edited since then stays in its place.
/// @return as do_update
std::vector<std::string> finish_update(const Git& git, UpdateJournal& journal);

}  // namespace tut::learn
