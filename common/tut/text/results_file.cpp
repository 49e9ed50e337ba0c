#include "tut/text/results_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tut {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const fs::path& file, const std::string& reason) {
  throw std::runtime_error(file.string() + ": " + reason);
}

void require_access(const fs::path& path, int mode, const fs::path& file) {
  if (faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0) return;
  refuse(file, std::string("cannot be written: ") + std::strerror(errno));
}

}  // namespace

void require_results_file(const fs::path& file, const std::string& what,
                          std::initializer_list<const char*> places) {
  std::error_code error;
  if (!fs::exists(file, error)) {
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    require_access(folder / ".", W_OK | X_OK, file);
    return;
  }
  if (!fs::is_regular_file(file, error))
    refuse(file, "cannot be written: it is not a regular file");
  require_access(file, R_OK | W_OK, file);
  if (fs::file_size(file, error) == 0) return;
  std::ifstream stream(file);
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  const bool known = !json.is_discarded() && std::ranges::any_of(places, [&](const char* place) {
    return json.contains(nlohmann::json::json_pointer(place));
  });
  if (!known)
    refuse(file,
           "holds something other than " + what + ", and is not overwritten; name another file");
}

}  // namespace tut
