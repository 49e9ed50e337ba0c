/// \file
/// For tests that run cucc's driver: a folder for its files, and what it says.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "driver/driver.hpp"

/// A folder of its own for each test case.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() / ("cucc_test_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& content) const {
    std::string path = (path_ / name).string();
    std::ofstream(path) << content;
    return path;
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string read(const std::string& name) const {
    std::stringstream content;
    content << std::ifstream(path(name)).rdbuf();
    return content.str();
  }

 private:
  std::filesystem::path path_;
};

inline simt::rewrite::Installation installation() {
  return {TUT_SOURCE_DIR "/common/simt/include", {}, {}, {}, {}};
}

/// Runs `run` with standard error, its children's too, in a file; returns what was written.
template <class Run>
std::string capture_errors(const Folder& folder, Run run) {
  const std::string file = folder.path("stderr");
  const int saved = dup(2);
  const int capture = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(capture, 2);
  run();
  dup2(saved, 2);
  close(saved);
  close(capture);
  return folder.read("stderr");
}
