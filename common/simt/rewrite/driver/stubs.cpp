#include "driver/stubs.hpp"

#include <filesystem>

namespace simt::rewrite {

namespace fs = std::filesystem;

Stubs::~Stubs() {
  std::error_code error;
  fs::remove_all(folder_, error);
}

bool Stubs::add(const std::string& header) {
  const fs::path file = fs::path(folder_) / header;
  std::error_code error;
  if (header.find("..") != std::string::npos || fs::exists(file, error)) return false;
  fs::create_directories(file.parent_path(), error);
  return !error && (write_file(file.string(), {}), true);
}

std::vector<std::string> Stubs::seen_by(std::vector<std::string> command) const {
  std::error_code error;
  if (fs::exists(folder_, error)) {
    command.insert(command.begin() + 1, {"-isystem", folder_});
  }
  return command;
}

}  // namespace simt::rewrite
