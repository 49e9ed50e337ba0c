#include "16_cnn_trainer/trainer/checkpoint/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace tut::ch16 {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& reason) {
  throw FileError(path.string() + ": cannot be written: " + reason);
}

bool write_parts(std::FILE* file, std::span<const std::string_view> parts) {
  for (const std::string_view part : parts) {
    if (part.empty()) continue;  // perhaps a null pointer
    if (std::fwrite(part.data(), 1, part.size(), file) != part.size()) return false;
  }
  return std::fflush(file) == 0 && fsync(fileno(file)) == 0;
}

void write_file(const fs::path& path, std::span<const std::string_view> parts,
                const fs::path& named) {
  std::FILE* file = std::fopen(path.c_str(), "wbe");
  if (!file) fail(named, std::strerror(errno));
  const bool written = write_parts(file, parts);
  int error = errno;
  const bool closed = std::fclose(file) == 0;
  if (written && closed) return;
  if (written) error = errno;
  std::remove(path.c_str());
  fail(named, std::strerror(error));
}

// A rename is on the disk once its folder is.
void sync_folder(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // it may be written and not read: nothing more can be done
  const bool synced = fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP;
  const int error = errno;
  close(descriptor);
  if (!synced)
    fail(path, std::string("the folder does not reach the disk: ") + std::strerror(error));
}

}  // namespace

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
  std::error_code error;
  if (fs::exists(path_, error)) {
    if (!fs::is_regular_file(path_, error)) fail(path_, "it is not a regular file");
    if (access(path_.c_str(), W_OK) != 0) fail(path_, std::strerror(errno));
    path_ = fs::canonical(path_);  // a link stays one, and what it names is replaced
  }
  temporary_ = path_;
  temporary_ += ".tmp" + std::to_string(getpid());
  write_file(temporary_, {}, path_);
  fs::remove(temporary_, error);
}

void AtomicFile::write(std::span<const std::string_view> parts) const {
  write_file(temporary_, parts, path_);
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error) {
    std::remove(temporary_.c_str());
    fail(path_, error.message());
  }
  sync_folder(path_);
}

}  // namespace tut::ch16
