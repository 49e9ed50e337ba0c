#include "learn/core/archive.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/process.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

constexpr std::time_t kPackedTime = 315532800;  // 1980-01-01 in UTC, where a zip file's times begin

bool is_zip(const fs::path& file) { return file.string().ends_with(".zip"); }

/// A folder that goes with the object.
class StagingFolder {
 public:
  StagingFolder() {
    std::string name = (fs::temp_directory_path() / "learn-pack-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw UsageError(fmt::format("cannot make a folder in {}; $TMPDIR can name another",
                                   fs::temp_directory_path().string()));
    }
    path_ = name;
  }
  ~StagingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void run_packer(const Command& command) {
  if (!find_program(command.argv[0])) {
    throw UsageError(fmt::format("{0} is not on PATH; install {0}{1}", command.argv[0],
                                 command.argv[0] == "zip" ? ", or name a FILE.tar.gz" : ""));
  }
  const Outcome outcome = run_captured(command);
  if (!outcome.ok()) {
    throw UsageError(fmt::format("{} failed: {}", command.argv[0],
                                 trim(outcome.output.substr(0, outcome.output.find('\n')))));
  }
}

void stage(const fs::path& folder, const PackedFile& packed) {
  const fs::path file = folder / packed.name;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  // Nobody needs it once it is packed: it need not reach the disk.
  std::ofstream out(file, std::ios::binary);
  out.write(packed.content.data(), static_cast<std::streamsize>(packed.content.size()));
  out.close();
  if (!out) {
    throw UsageError(
        fmt::format("cannot write {}; $TMPDIR can name another folder", file.string()));
  }
  chmod(file.c_str(), packed.executable ? 0755 : 0644);
  const timespec times[2] = {{kPackedTime, 0}, {kPackedTime, 0}};
  utimensat(AT_FDCWD, file.c_str(), times, 0);
}

}  // namespace

void require_archive_name(const fs::path& file) {
  const std::string name = file.filename().string();
  const bool known = std::ranges::any_of(
      std::initializer_list<std::string_view>{".tar.gz", ".tgz", ".zip"},
      [&](std::string_view end) { return name.ends_with(end) && name.size() > end.size(); });
  if (!known) {
    throw UsageError(
        fmt::format("'{}'; expected a name that ends in .tar.gz, .tgz or .zip", file.string()));
  }
  std::error_code error;
  if (fs::is_directory(file, error)) throw UsageError(fmt::format("{} is a folder", file.string()));
}

std::string pack(const std::vector<PackedFile>& files, const fs::path& file) {
  const StagingFolder staging;
  const fs::path tree = staging.path() / "tree", archive = staging.path() / "archive";
  std::vector<std::string> names;
  for (const PackedFile& packed : files) {
    stage(tree, packed);
    names.push_back(packed.name);
  }
  std::ranges::sort(names);
  std::string list;
  for (const std::string& name : names) list += name + "\n";
  write_file_atomically(staging.path() / "names", list);
  const std::vector<std::pair<std::string, std::string>> utc = {{"TZ", "UTC"}, {"LC_ALL", "C"}};
  if (is_zip(file)) {
    std::vector<std::string> argv = {"zip", "-q", "-X", "-9", archive.string() + ".zip", "--"};
    argv.insert(argv.end(), names.begin(), names.end());
    run_packer({argv, tree, utc});
    return read_file(archive.string() + ".zip").value_or("");
  }
  run_packer({{"tar", "--format=ustar", "--owner=0", "--group=0", "--numeric-owner",
               fmt::format("--mtime=@{}", kPackedTime), "--no-recursion", "-C", tree.string(), "-T",
               (staging.path() / "names").string(), "-cf", archive.string()},
              {},
              utc});
  run_packer({{"gzip", "-n", "-9", archive.string()}, {}, utc});
  return read_file(archive.string() + ".gz").value_or("");
}

std::string write_archive(const fs::path& file, const std::string& bytes) {
  const auto before = read_file(file);
  if (before == bytes) return "the same as before";
  std::string said;
  if (before) {
    said = fmt::format("the earlier one is kept as {}", keep_aside(file).filename().string());
  }
  write_file_atomically(fs::absolute(file), bytes);
  return said;
}

}  // namespace tut::learn
