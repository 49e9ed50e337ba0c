#include "learn/stubs/stub_tree.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
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

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// A file as git has it; "" where it has none, or there is no git. `where`: HEAD, or "" for what is
/// staged.
std::string in_git(const fs::path& root, const std::string& where, const fs::path& file) {
  const std::string command = "git -C " + quoted(root.string()) + " show " +
                              quoted(where + ":./" + file.string()) + " 2>/dev/null";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 4096> part;
  for (std::size_t read = 0; (read = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    text.append(part.data(), read);
  }
  return pclose(pipe) == 0 ? text : "";
}

/// Whether nobody has put work into this text of the exercise: a solution made it that is committed
/// or staged.
bool is_made_of_solution(const fs::path& root, const fs::path& file, const std::string& text) {
  const fs::path solution = "solutions" / file.lexically_relative("exercises");
  return std::ranges::any_of(std::array{"HEAD", ""}, [&](const char* where) {
    try {
      return text == project_stub(in_git(root, where, solution), solution.string());
    } catch (const StubError&) {
      return false;  // it is not there, or was not fit to become a stub
    }
  });
}

bool is_wanted(const fs::path& file, const std::vector<std::string>& only) {
  return only.empty() || std::ranges::find(only, file.stem().string()) != only.end();
}

}  // namespace

std::vector<Stub> find_stubs(const fs::path& root, const std::vector<std::string>& only) {
  if (!fs::is_directory(root / "solutions")) {
    throw std::runtime_error("no folder " + (root / "solutions").string() +
                             "; expected the root of the course");
  }
  std::vector<Stub> stubs;
  for (const fs::path& file : sources_in(root / "solutions")) {
    if (!is_wanted(file, only)) continue;
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
    if (fs::exists(root / "solutions" / file) || !is_wanted(file, only)) continue;
    stubs.push_back({fs::path("exercises") / file, Stub::State::orphan, ""});
  }
  return stubs;
}

std::vector<Stub> write_stubs(const fs::path& root, const std::vector<Stub>& stubs, bool force) {
  std::vector<Stub> left;
  for (const Stub& stub : stubs) {
    if (stub.state != Stub::State::stale && stub.state != Stub::State::missing) continue;
    if (stub.state == Stub::State::stale && !force &&
        !is_made_of_solution(root, stub.file, read_file(root / stub.file))) {
      left.push_back(stub);
      continue;
    }
    fs::create_directories((root / stub.file).parent_path());
    std::ofstream stream(root / stub.file, std::ios::binary);
    stream << stub.text;
    stream.close();
    if (!stream) throw std::runtime_error("cannot write " + (root / stub.file).string());
  }
  return left;
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
