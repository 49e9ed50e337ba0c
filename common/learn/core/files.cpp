#include "learn/core/files.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>

#include "learn/core/error.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

void require_access(const fs::path& path, int access, const fs::path& named) {
  if (faccessat(AT_FDCWD, path.c_str(), access, AT_EACCESS) == 0 || errno == ENOENT) return;
  throw UsageError(fmt::format("{} is not writable ({}); copy the course to a folder of your own",
                               named.string(), std::strerror(errno)));
}

}  // namespace

std::optional<std::string> read_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string with_paths_from(const std::filesystem::path& root, std::string text) {
  const std::string prefix = root.string() + "/";
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) {
    text.erase(at, prefix.size());
  }
  constexpr std::string_view up = "../";
  for (std::size_t at = 0; (at = text.find(up, at)) != std::string::npos;) {
    std::size_t rest = at;
    while (text.compare(rest, up.size(), up) == 0) rest += up.size();
    const bool begins =
        at == 0 || std::string_view(" (\"'").find(text[at - 1]) != std::string_view::npos;
    const std::string file = text.substr(rest, text.find_first_of(" :,)\"'\n", rest) - rest);
    if (begins && !file.empty() && !file.starts_with("..") &&
        std::filesystem::exists(root / file)) {
      text.erase(at, rest - at);
    } else {
      at = rest;
    }
  }
  return text;
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  std::error_code no_folder;
  fs::create_directories(path.parent_path(), no_folder);
  const std::string temporary = fmt::format("{}.tmp{}", path.string(), getpid());
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const auto fail = [&] {
    const int error = no_folder ? no_folder.value() : errno;
    if (fd >= 0) unlink(temporary.c_str());
    throw UsageError(fmt::format("cannot write {}: {}", path.string(), std::strerror(error)));
  };
  if (fd < 0) fail();
  bool written = true;
  while (written && !content.empty()) {
    const ssize_t count = write(fd, content.data(), content.size());
    written = count > 0;
    if (written) content.remove_prefix(static_cast<std::size_t>(count));
  }
  written = written && fsync(fd) == 0;
  if (close(fd) != 0 || !written) fail();
  if (rename(temporary.c_str(), path.c_str()) != 0) fail();
}

fs::path keep_aside(const fs::path& file) {
  const std::time_t now = std::time(nullptr);
  const std::string stem = fmt::format("{}.{:%Y%m%d-%H%M%S}", file.string(), *std::localtime(&now));
  fs::path target = stem + ".bak";
  for (int i = 2; fs::exists(target); ++i) target = fmt::format("{}-{}.bak", stem, i);
  std::error_code error;
  fs::copy_file(file, target, error);
  if (error) throw UsageError(fmt::format("cannot write {}: {}", target.string(), error.message()));
  return target;
}

void require_writable_folder(const fs::path& folder) {
  // With the point a file in its place is an error, too.
  require_access(folder / ".", W_OK | X_OK, folder);
}

void require_writable_file(const fs::path& file) { require_access(file, W_OK, file); }

FileLock::FileLock(const fs::path& path) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ >= 0) flock(fd_, LOCK_EX);
}

FileLock::~FileLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace tut::learn
