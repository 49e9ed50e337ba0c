#include "tut/text/results_file.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "results XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { fs::remove_all(path); }

  fs::path file(const std::string& content) const {
    std::ofstream(path / "x.json") << content;
    return path / "x.json";
  }

  fs::path path;
};

/// Why results are refused; empty where they are not.
std::string refusal(const fs::path& file) {
  try {
    tut::require_results_file(file, "results of the tuner", {"/rows/0/bytes", "/runs"});
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("results go where nothing is, or an empty file, or such results") {
  const Folder folder;
  CHECK(refusal(folder.path / "new.json").empty());
  CHECK(refusal(folder.file("")).empty());
  CHECK(refusal(folder.file(R"({"rows": [{"bytes": 0}], "more": 1})")).empty());
  CHECK(refusal(folder.file(R"({"runs": []})")).empty());
}

TEST_CASE("what holds something else is refused, and so is what cannot be written") {
  const Folder folder;
  for (const char* content : {"precious", " ", "{", "[]", "3", "null", R"({"rows": []})",
                              R"({"rows": {"bytes": 1}})", R"([{"rows": [{"bytes": 1}]}])"}) {
    CAPTURE(content);
    const fs::path file = folder.file(content);
    CHECK(refusal(file) == file.string() +
                               ": holds something other than results of the tuner, and is not "
                               "overwritten; name another file");
  }
  CHECK(refusal(folder.path).find("it is not a regular file") != std::string::npos);
  CHECK(refusal("/dev/null").find("it is not a regular file") != std::string::npos);
  CHECK(refusal(folder.path / "none" / "x.json").find("cannot be written: No such file") !=
        std::string::npos);
  CHECK(refusal(folder.file("") / "x.json").find("cannot be written: Not a directory") !=
        std::string::npos);
}
