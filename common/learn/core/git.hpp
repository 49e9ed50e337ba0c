#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tut::learn {

/// The git checkout that a folder is. Never asks for a password: what needs one fails.
class Git {
 public:
  /// @throws UsageError in one line where there is no git, or the folder is no checkout of its own
  explicit Git(std::filesystem::path root);

  /// A folder in any checkout, for commands about what lies in it: nothing where there is no git,
  /// or no checkout around it.
  static std::optional<Git> around(const std::filesystem::path& folder);

  const std::filesystem::path& root() const { return root_; }

  /// What a git command prints; nothing when it fails.
  std::optional<std::string> try_output(std::vector<std::string> arguments) const;

  /// The same, without the line's end.
  /// @throws UsageError `what`: git's own reason
  std::string output(std::vector<std::string> arguments, const std::string& what) const;

  /// What a command prints with -z, taken apart.
  /// @throws UsageError `what`: git's own reason
  std::vector<std::string> list(std::vector<std::string> arguments, const std::string& what) const;

  /// A file as a commit has it; nothing where it has none.
  std::optional<std::string> file(const std::string& commit, const std::string& path) const;

 private:
  Git() = default;

  std::filesystem::path root_;
};

}  // namespace tut::learn
