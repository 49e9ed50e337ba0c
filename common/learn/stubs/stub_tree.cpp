#include "learn/stubs/stub_tree.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "learn/stubs/projection.hpp"

namespace tut::learn {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

bool is_source(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".cu" || extension == ".cpp" || extension == ".hpp" || extension == ".cuh";
}

// Relative to `folder`, sorted.
std::vector<fs::path> sources_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && is_source(entry.path())) {
      files.push_back(fs::relative(entry.path(), folder));
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<Stub> find_stubs(const fs::path& root) {
  if (!fs::is_directory(root / "solutions")) {
    throw std::runtime_error("no folder " + (root / "solutions").string() +
                             "; expected the root of the course");
  }
  std::vector<Stub> stubs;
  for (const fs::path& file : sources_in(root / "solutions")) {
    const fs::path solution = root / "solutions" / file, exercise = root / "exercises" / file;
    Stub stub{fs::path("exercises") / file, Stub::State::current,
              project_stub(read_file(solution), (fs::path("solutions") / file).string())};
    if (!fs::exists(exercise)) {
      stub.state = Stub::State::missing;
    } else if (read_file(exercise) != stub.text) {
      stub.state = Stub::State::stale;
    }
    stubs.push_back(std::move(stub));
  }
  for (const fs::path& file : sources_in(root / "exercises")) {
    if (fs::exists(root / "solutions" / file)) continue;
    stubs.push_back({fs::path("exercises") / file, Stub::State::orphan, ""});
  }
  return stubs;
}

void write_stubs(const fs::path& root, const std::vector<Stub>& stubs) {
  for (const Stub& stub : stubs) {
    if (stub.state != Stub::State::stale && stub.state != Stub::State::missing) continue;
    fs::create_directories((root / stub.file).parent_path());
    std::ofstream stream(root / stub.file, std::ios::binary);
    stream << stub.text;
    stream.close();
    if (!stream) throw std::runtime_error("cannot write " + (root / stub.file).string());
  }
}

std::string complaint(const Stub& stub) {
  switch (stub.state) {
    case Stub::State::current:
      return "";
    case Stub::State::stale:
      return stub.file.string() + ": stale: differs from what its solution makes of it";
    case Stub::State::missing:
      return stub.file.string() + ": missing";
    case Stub::State::orphan:
      return stub.file.string() + ": has no solution";
  }
  return "";
}

}  // namespace tut::learn
