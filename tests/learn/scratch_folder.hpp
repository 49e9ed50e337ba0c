#pragma once

#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

/// A temporary folder, with a space in its name, that goes when the object goes.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "learn test XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// While it lives nobody writes in a folder, root neither: then it runs as somebody else.
class ReadOnlyFolder {
 public:
  explicit ReadOnlyFolder(std::filesystem::path path) : path_(std::move(path)), user_(geteuid()) {
    namespace fs = std::filesystem;
    fs::permissions(path_.parent_path(), fs::perms{0777});
    fs::permissions(path_, fs::perms{0555});
    if (user_ == 0 && seteuid(65534) != 0) throw std::runtime_error("cannot leave root");
  }
  ~ReadOnlyFolder() {
    std::error_code ignored;
    if (user_ == 0 && seteuid(0) != 0) std::abort();
    prctl(PR_SET_DUMPABLE, 1);  // it went with the user, and leak checkers need it
    std::filesystem::permissions(path_, std::filesystem::perms{0755}, ignored);
  }
  ReadOnlyFolder(const ReadOnlyFolder&) = delete;
  ReadOnlyFolder& operator=(const ReadOnlyFolder&) = delete;

 private:
  std::filesystem::path path_;
  uid_t user_;
};
