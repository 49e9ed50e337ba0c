#include "learn/core/update.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

fs::path update_folder(const fs::path& root) { return root / ".learn" / "update"; }
fs::path journal_file(const fs::path& root) { return update_folder(root) / "journal"; }
fs::path saved_file(const fs::path& root, const std::string& file) {
  return update_folder(root) / "files" / file;
}

void write_journal(const fs::path& root, const UpdateJournal& journal) {
  std::string text = fmt::format("from {}\nto {}\n", journal.from, journal.to);
  for (const std::string& file : journal.files) text += fmt::format("file {}\n", file);
  write_file_atomically(journal_file(root), text + "end\n");
}

/// One entry of `git status --porcelain -z`.
struct Changed {
  char staged = ' ', edited = ' ';
  std::string path;
};

std::vector<Changed> changed_files(const Git& git) {
  std::vector<Changed> changed;
  for (const std::string& entry :
       git.list({"status", "--porcelain", "-z", "--no-renames", "--untracked-files=no"},
                "git does not say what has changed")) {
    if (entry.size() > 3) changed.push_back({entry[0], entry[1], entry.substr(3)});
  }
  return changed;
}

/// Whether a text is git's work: one of the two versions, or what was written of it when git was
/// killed.
bool is_gits(const Git& git, const UpdateJournal& journal, const std::string& file,
             const std::string& text) {
  return std::ranges::any_of(std::vector{journal.from, journal.to}, [&](const std::string& commit) {
    const auto version = git.file(commit, file);
    return version && version->starts_with(text);
  });
}

/// One step of moving the learner's files out of the way and back.
class Mover {
 public:
  Mover(const Git& git, UpdateJournal& journal) : git_(git), journal_(journal) {}

  const UpdateJournal& journal() const { return journal_; }
  const std::vector<std::string>& notes() const { return notes_; }

  /// Keeps a copy of the file as it is. The journal is to be written when all are kept.
  void keep(const std::string& file) {
    const auto text = read_file(root() / file);
    if (!text) return;
    write_file_atomically(saved_file(root(), file), *text);
    if (!journal_.has(file)) journal_.files.push_back(file);
  }

  void write() const { write_journal(root(), journal_); }

  /// Moves the kept files away, whatever was saved to them since, and gives git's version of them,
  /// which git may then replace.
  void clear_way() const {
    for (const std::string& file : journal_.files) {
      std::error_code error;
      fs::rename(root() / file, saved_file(root(), file), error);
      if (const auto version = git_.file(journal_.from, file)) {
        write_file_atomically(root() / file, *version);
      }
    }
  }

  /// Where a kept file has been edited meanwhile, that text is what is kept from now on, and the
  /// one that was kept before lies beside the file.
  void take_edits() {
    for (const std::string& file : journal_.files) {
      const fs::path saved = saved_file(root(), file);
      const auto current = read_file(root() / file), kept = read_file(saved);
      if (!current || !kept || *current == *kept || is_gits(git_, journal_, file, *current)) {
        continue;
      }
      const fs::path aside = keep_aside(saved);
      const fs::path beside = root() / fs::path(file).parent_path() / aside.filename();
      write_file_atomically(beside, *kept);
      write_file_atomically(saved, *current);
      notes_.push_back(
          fmt::format("{} was edited while the update was under way: it stays so, and "
                      "what it was before is {}",
                      file, beside.lexically_relative(root()).string()));
    }
  }

  /// Files that are neither the learner's nor git's, where git is about to write.
  void keep_strangers(const std::set<std::string>& files) {
    for (const std::string& file : files) {
      if (journal_.has(file)) continue;
      const auto text = read_file(root() / file);
      if (!text || is_gits(git_, journal_, file, *text)) continue;
      if (is_learners_file(file)) {
        keep(file);
      } else {
        notes_.push_back(
            fmt::format("{} was edited meanwhile; your version is {}", file,
                        keep_aside(root() / file).lexically_relative(root()).string()));
      }
    }
    write();
  }

  void put_back() {
    take_edits();
    for (const std::string& file : journal_.files) {
      if (const auto text = read_file(saved_file(root(), file))) {
        write_file_atomically(root() / file, *text);
      }
    }
  }

  /// All is in its place: forgets the journal, then what was kept.
  void forget() const {
    std::error_code ignored;
    fs::remove(journal_file(root()), ignored);
    fs::remove_all(update_folder(root()), ignored);
  }

 private:
  const fs::path& root() const { return git_.root(); }

  const Git& git_;
  UpdateJournal& journal_;
  std::vector<std::string> notes_;
};

/// A git that was killed leaves its locks; one that is still at work takes them away soon.
void wait_for_locks(const Git& git) {
  const std::string branch =
      git.try_output({"rev-parse", "--symbolic-full-name", "HEAD"}).value_or("HEAD");
  for (const std::string& name :
       {std::string("index"), std::string("HEAD"), std::string(trim(branch))}) {
    const auto path = git.try_output({"rev-parse", "--git-path", name + ".lock"});
    if (!path) continue;
    const fs::path lock = git.root() / std::string(trim(*path));
    std::error_code error;
    for (int tenths = 0; tenths < 50 && fs::exists(lock, error); ++tenths) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    fs::remove(lock, error);
  }
}

std::string count_text(const std::string& count) {
  return count == "1" ? "a commit" : count + " commits";
}

}  // namespace

bool UpdateJournal::has(const std::string& file) const {
  return std::ranges::find(files, file) != files.end();
}

std::optional<UpdateJournal> unfinished_update(const fs::path& root) {
  const auto text = read_file(journal_file(root));
  if (!text) return std::nullopt;
  UpdateJournal journal;
  for (const std::string& line : split_lines(*text)) {
    if (line.starts_with("from ")) journal.from = line.substr(5);
    if (line.starts_with("to ")) journal.to = line.substr(3);
    if (line.starts_with("file ")) journal.files.push_back(line.substr(5));
  }
  const bool safe = std::ranges::all_of(journal.files, is_learners_file);
  if (journal.from.empty() || journal.to.empty() || !text->ends_with("end\n") || !safe) {
    throw UsageError(fmt::format(
        "{} is damaged; your files lie in {}: copy what you need, then remove the folder",
        journal_file(root).string(), (update_folder(root) / "files").string()));
  }
  return journal;
}

bool is_learners_file(const std::string& path) {
  return path.starts_with("exercises/") && path != "exercises/course.toml" &&
         !path.starts_with("exercises/given/") && path.find("..") == std::string::npos;
}

UpdateJournal plan_update(const Git& git) {
  UpdateJournal plan;
  plan.from = git.output({"rev-parse", "--verify", "HEAD"}, "this checkout has no commit");
  const auto upstream = git.try_output({"rev-parse", "--abbrev-ref", "@{upstream}"});
  if (!upstream) {
    throw UsageError(
        "this branch has no upstream to update from; 'git branch --set-upstream-to "
        "origin/BRANCH' sets it");
  }
  std::vector<std::string> others;
  for (const Changed& file : changed_files(git)) {
    if (file.staged != ' ') {
      throw UsageError(fmt::format(
          "{} is staged for a commit; 'git reset -q' undoes that and keeps the file", file.path));
    }
    if (!is_learners_file(file.path)) others.push_back(file.path);
  }
  if (!others.empty()) {
    throw UsageError(fmt::format(
        "changed, and none of your exercises: {}; 'git stash' puts it aside, 'git checkout -- "
        "FILE' drops it",
        fmt::join(others, ", ")));
  }
  git.output({"fetch", "-q"}, "cannot fetch");
  plan.to = git.output({"rev-parse", "--verify", "@{upstream}"}, "cannot read the upstream");
  const std::string own =
      git.output({"rev-list", "--count", plan.to + ".." + plan.from}, "cannot compare");
  if (own != "0") {
    throw UsageError(
        fmt::format("this copy has {} of its own, which {} lacks; 'git pull --rebase' keeps both",
                    count_text(own), trim(*upstream)));
  }
  return plan;
}

std::vector<std::string> do_update(const Git& git, UpdateJournal& journal) {
  Mover mover(git, journal);
  std::error_code ignored;
  fs::remove_all(update_folder(git.root()), ignored);  // of one that was killed before its journal
  for (const Changed& file : changed_files(git)) {
    if (is_learners_file(file.path)) mover.keep(file.path);
  }
  mover.write();
  mover.clear_way();
  try {
    git.output({"merge", "-q", "--ff-only", mover.journal().to}, "git does not update");
  } catch (const UsageError&) {
    mover.put_back();
    mover.forget();
    throw;
  }
  mover.put_back();
  mover.forget();
  return mover.notes();
}

std::vector<std::string> finish_update(const Git& git, UpdateJournal& journal) {
  wait_for_locks(git);
  Mover mover(git, journal);
  mover.take_edits();
  const UpdateJournal& plan = mover.journal();
  const std::string head = git.output({"rev-parse", "--verify", "HEAD"}, "no commit");
  if (head == plan.from || head == plan.to) {
    std::set<std::string> files;
    for (const Changed& file : changed_files(git)) files.insert(file.path);
    for (const std::string& file : git.list({"diff", "--name-only", "-z", plan.from, plan.to},
                                            "git does not say what is new")) {
      files.insert(file);
    }
    mover.keep_strangers(files);
    git.output({"reset", "-q", "--hard", plan.to}, "git does not update");
  }
  mover.put_back();
  mover.forget();
  return mover.notes();
}

}  // namespace tut::learn
