#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "../learn/scratch_folder.hpp"
#include "learn/classroom/submissions.hpp"
#include "learn/core/error.hpp"

using namespace tut::learn;
namespace fs = std::filesystem;

namespace {

class Class {
 public:
  Class() {
    reverse_.name = "reverse";
    reverse_.file = "exercises/03_first_kernels/reverse.cu";
    clamp_.name = "clamp";
    clamp_.file = "exercises/03_first_kernels/clamp.cu";
  }

  fs::path put(const fs::path& path, const std::string& text = "void f();\n") const {
    const fs::path file = folder_.path() / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  fs::path folder() const { return folder_.path(); }

  Intake take_all(const std::vector<fs::path>& arguments, const IntakeLimits& limits = {}) const {
    return take_in(arguments, {&reverse_, &clamp_}, limits);
  }
  std::vector<Submission> take(const std::vector<fs::path>& arguments,
                               const IntakeLimits& limits = {}) const {
    return take_all(arguments, limits).students;
  }
  /// The names of the students.
  std::string names(const std::vector<fs::path>& arguments) const {
    std::string text;
    for (const Submission& one : take(arguments)) text += (text.empty() ? "" : " ") + one.student;
    return text;
  }
  Submission only(const fs::path& argument, const IntakeLimits& limits = {}) const {
    const std::vector<Submission> all = take({argument}, limits);
    REQUIRE(all.size() == 1);
    return all[0];
  }

 private:
  ScratchFolder folder_;
  Exercise reverse_, clamp_;
};

bool says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

/// An archive of a folder's contents, by the system's tar.
fs::path pack(const fs::path& folder, const fs::path& archive) {
  const std::string command =
      "tar -C '" + folder.string() + "' -czf '" + archive.string() + "' . 2>/dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
  return archive;
}

}  // namespace

TEST_CASE("an exercise of an own course is looked for by its place in that course") {
  const Class c;
  Exercise own;
  own.name = "last";
  own.course = c.folder() / "own course";
  own.file = own.course / "exercises/03_extra/last.cu";
  c.put("own course/exercises/03_extra/last.cu", "the stub");
  c.put("class/ann/exercises/03_extra/last.cu", "A");
  c.put("class/ann/old/last.cu", "an older one");
  c.put("class/ben/notes.txt");
  const std::vector<Submission> all = take_in({c.folder() / "class"}, {&own}, {}).students;
  REQUIRE(all.size() == 2);  // the folder is not one student's, though the stub is there
  CHECK(all[0].files.at("last").text == "A");
  CHECK(all[1].files.at("last").problem == "last.cu: not handed in");
}

TEST_CASE("a file, a student's folder and a folder of students are told apart") {
  const Class c;
  c.put("ann/reverse.cu", "A");
  c.put("ben/exercises/03_first_kernels/clamp.cu", "B");
  c.put("ben/notes.txt");
  SUBCASE("a file is its folder's") {
    const Submission one = c.only(c.folder() / "ann/reverse.cu");
    CHECK(one.student == "ann");
    CHECK(one.files.at("reverse").text == "A");
    CHECK(one.files.at("clamp").problem == "clamp.cu: not handed in");
    CHECK_FALSE(one.files.at("clamp").is_there);
  }
  SUBCASE("a student's folder") {
    CHECK(c.only(c.folder() / "ann").student == "ann");
    const Submission one = c.only(c.folder() / "ben");
    CHECK(one.files.at("clamp").text == "B");
    CHECK(one.notes == std::vector<std::string>{"ignored: 'notes.txt'"});
  }
  SUBCASE("a class, in the order of its names") {
    const std::vector<Submission> all = c.take({c.folder()});
    REQUIRE(all.size() == 2);
    CHECK(all[0].student == "ann");
    CHECK(all[1].student == "ben");
  }
  SUBCASE("what is not there is named") {
    CHECK_THROWS_AS((void)c.take({c.folder() / "nobody"}), UsageError);
  }
}

TEST_CASE("what is no text of a source is named, and nothing of it is taken") {
  const Class c;
  const auto problem = [&](const std::string& text) {
    const HandedIn file = c.only(c.put("ann/reverse.cu", text)).files.at("reverse");
    CHECK(file.text.empty());
    CHECK(file.is_there);
    return file.problem;
  };
  CHECK(problem("") == "reverse.cu: it is empty");
  CHECK(says(problem(std::string("a\0b", 3)), "NUL at byte 1"));
  CHECK(says(problem("\xff\xfe"), "byte 0 is no UTF-8"));
  CHECK(says(problem("gr\xfc\x6e"), "byte 2 is no UTF-8"));
  CHECK(says(problem(std::string((1 << 20) + 1, 'x')), "1048577 bytes; expected 1048576 at most"));
  const std::string umlaut = "// gr\xc3\xbcn\n";
  CHECK(c.only(c.put("ann/reverse.cu", umlaut)).files.at("reverse").text == umlaut);
}

TEST_CASE("links, folders and pipes of an exercise's name are no files") {
  const Class c;
  c.put("ann/clamp.cu");
  const fs::path secret = c.put("secret", "mine");
  const fs::path name = c.folder() / "ann/reverse.cu";
  SUBCASE("a link") { fs::create_symlink(secret, name); }
  SUBCASE("a folder") { fs::create_directory(name); }
  SUBCASE("a pipe") { REQUIRE(mkfifo(name.c_str(), 0600) == 0); }
  const Submission one = c.only(c.folder() / "ann");
  CHECK(one.files.at("reverse").text.empty());
  CHECK(one.files.at("reverse").problem.starts_with("reverse.cu: it is "));
  CHECK(one.files.at("clamp").problem.empty());
}

TEST_CASE("of files that differ the one that lies where the exercise does is taken, or none") {
  const Class c;
  c.put("ann/reverse.cu", "1");
  c.put("ann/old/reverse.cu", "2");
  CHECK(says(c.only(c.folder() / "ann").files.at("reverse").problem,
             "2 files of this name that differ ('old/reverse.cu', 'reverse.cu'); expected one"));
  c.put("ann/exercises/03_first_kernels/reverse.cu", "3");
  const Submission one = c.only(c.folder() / "ann");
  CHECK(one.files.at("reverse").text == "3");
  REQUIRE(one.notes.size() == 1);
  CHECK(one.notes[0] ==
        "reverse.cu: 'exercises/03_first_kernels/reverse.cu' was taken, and left out, since it is "
        "another text: 'old/reverse.cu', 'reverse.cu'");
  c.put("ann/copy/exercises/03_first_kernels/reverse.cu", "4");
  CHECK(says(c.only(c.folder() / "ann").files.at("reverse").problem, "4 files of this name"));
}

TEST_CASE("files with the same text count as one") {
  const Class c;
  c.put("ann/reverse.cu", "A");
  c.put("ann/exercises/03_first_kernels/reverse.cu", "A");
  c.put("ann/copy/exercises/03_first_kernels/reverse.cu", "A");
  const Submission one = c.only(c.folder() / "ann");
  CHECK(one.files.at("reverse").text == "A");
  CHECK(one.notes.empty());
}

TEST_CASE("what lies in given/ is no answer") {
  const Class c;
  c.put("ann/exercises/03_first_kernels/reverse.cu", "A");
  c.put("ann/exercises/given/03_first_kernels/reverse.cu", "the stub");
  c.put("ann/exercises/given/03_first_kernels/reverse.calls", "");
  const Submission ann = c.only(c.folder() / "ann");
  CHECK(ann.files.at("reverse").text == "A");
  CHECK(ann.notes.empty());
  c.put("ben/given/03_first_kernels/reverse.cu", "the stub");
  c.put("ben/clamp.cu", "B");
  const HandedIn file = c.only(c.folder() / "ben").files.at("reverse");
  CHECK_FALSE(file.is_there);
  CHECK(says(file.problem, "not handed in; what lies in given/"));
  // Only a folder of this name is meant.
  c.put("cay/forgiven/reverse.cu", "C");
  c.put("cay/clamp.cu", "C");
  CHECK(c.only(c.folder() / "cay").files.at("reverse").text == "C");
}

TEST_CASE("beside the files an archive of them counts once, and is named where it differs") {
  if (!can_read_archives()) return;
  const Class c;
  c.put("ann/exercises/03_first_kernels/reverse.cu", "A");
  pack(c.folder() / "ann", c.folder() / "submission.tar.gz");
  fs::rename(c.folder() / "submission.tar.gz", c.folder() / "ann/submission.tar.gz");
  CHECK(c.only(c.folder() / "ann").files.at("reverse").text == "A");
  c.put("ann/exercises/03_first_kernels/reverse.cu", "A, mended");
  CHECK(says(c.only(c.folder() / "ann").files.at("reverse").problem,
             "reverse.cu' in 'submission.tar.gz'"));
}

TEST_CASE("a loose file beside students' folders makes a class no student") {
  const Class c;
  c.put("class/ann/reverse.cu", "A");
  c.put("class/ben/src/reverse.cu", "B");
  c.put("class/cay/notes.txt");
  c.put("class/reverse.cu", "whose?");
  const Intake intake = c.take_all({c.folder() / "class"});
  CHECK(c.names({c.folder() / "class"}) == "ann ben cay");
  REQUIRE(intake.notes.size() == 2);
  CHECK(says(intake.notes[0], "left out of 'class': 'reverse.cu' (neither a folder"));
  CHECK(says(intake.notes[1], "taken as a class, since 2 of its folders and archives hold files"));
  // A student's own copies are no students: one of them, or where the exercise's file is in place.
  c.put("dan/reverse.cu", "D");
  c.put("dan/old/reverse.cu", "D");
  const Intake dan = c.take_all({c.folder() / "dan"});
  REQUIRE(dan.students.size() == 1);
  CHECK(dan.students[0].student == "dan");
  REQUIRE(dan.notes.size() == 1);
  CHECK(says(dan.notes[0], "'dan' is taken as one student's"));
  c.put("eve/exercises/03_first_kernels/reverse.cu", "E");
  c.put("eve/old/reverse.cu", "E");
  c.put("eve/older/reverse.cu", "E");
  CHECK(c.names({c.folder() / "eve"}) == "eve");
  c.put("fay/03_first_kernels/reverse.cu", "F");
  c.put("fay/given/03_first_kernels/reverse.cu", "the stub");
  CHECK(c.names({c.folder() / "fay"}) == "fay");
}

TEST_CASE("what is no folder and no archive of a class is no student, and is named") {
  const Class c;
  c.put("class/ann/reverse.cu", "A");
  c.put("class/empty/x");
  fs::remove(c.folder() / "class/empty/x");
  c.put("class/bob.rar", "Rar!");
  for (const char* name : {"README.md", "grades.csv", ".DS_Store", "__MACOSX/ann/._reverse.cu"}) {
    c.put(fs::path("class") / name);
  }
  const Intake intake = c.take_all({c.folder() / "class"});
  CHECK(c.names({c.folder() / "class"}) == "ann bob empty");
  REQUIRE(intake.notes.size() == 1);
  CHECK(intake.notes[0] ==
        "left out of 'class': 'README.md', 'grades.csv' (neither a folder nor an archive); "
        "'.DS_Store', '__MACOSX' (hidden, or made by a system)");
  CHECK(says(intake.students[1].notes.at(0), "'bob.rar' is an archive of a kind that is not read"));
}

TEST_CASE("a folder without anything is a student only among others") {
  const Class c;
  c.put("a class/ann/reverse.cu", "A");
  c.put("a class/ben/report.txt");
  c.put("a class/README.md");
  fs::create_directory(c.folder() / "a class/cay");
  const auto in_class = [&](const char* name) { return c.folder() / "a class" / name; };
  CHECK_THROWS_WITH_AS((void)c.take({in_class("cay")}),
                       "nothing was handed in: 'cay' has no folder, no archive and no file of an "
                       "exercise",
                       UsageError);
  // As a shell writes "a class"/*.
  CHECK(c.names({in_class("README.md"), in_class("ann"), in_class("ben"), in_class("cay")}) ==
        "ann ben cay");
  // With one folder in it, a folder beside others is a student's.
  c.put("a class/dan/hw1/reverse.cu", "D");
  CHECK(c.names({in_class("ann"), in_class("dan")}) == "ann dan");
}

TEST_CASE("a student is named without the endings of an archive") {
  CHECK(without_archive_endings("ann.zip") == "ann");
  CHECK(without_archive_endings("ann.TAR.GZ") == "ann");
  CHECK(without_archive_endings("ann.tar.gz.zip") == "ann");
  CHECK(without_archive_endings("ann.b.rar") == "ann.b");
  CHECK(without_archive_endings("ann_zip") == "ann_zip");
  CHECK(without_archive_endings(".zip") == ".zip");
}

TEST_CASE("names that are odd become one line of text, and no two become one") {
  const Class c;
  c.put("class/a b/reverse.cu");
  c.put("class/-rf/reverse.cu");
  c.put("class/two\nlines/reverse.cu");
  c.put("class/\xff/reverse.cu");
  const std::vector<Submission> all = c.take({c.folder() / "class"});
  REQUIRE(all.size() == 4);
  CHECK(all[0].student == "-rf");
  CHECK(all[1].student == "\\xff");
  CHECK(all[2].student == "a b");
  CHECK(all[3].student == "two\\x0alines");
}

TEST_CASE("a folder with too many entries is not searched to its end") {
  const Class c;
  for (int i = 0; i < 5; ++i) c.put("ann/exercises/03_first_kernels/f" + std::to_string(i));
  c.put("ann/reverse.cu");
  CHECK(c.only(c.folder() / "ann").files.at("reverse").problem.empty());
  const Submission one = c.only(c.folder() / "ann", {.entries = 3});
  CHECK(says(one.files.at("reverse").problem, "more than 3 entries"));
}

TEST_CASE("archives are read and never unpacked") {
  if (!can_read_archives()) return;
  const Class c;
  c.put("hw/exercises/03_first_kernels/reverse.cu", "A");
  c.put("hw/solutions/03_first_kernels/reverse.cu", "B");
  fs::create_symlink("/etc/passwd", c.folder() / "hw/clamp.cu");
  const Submission one = c.only(pack(c.folder() / "hw", c.folder() / "eve.tar.gz"));
  CHECK(one.student == "eve");
  CHECK(one.files.at("reverse").text == "A");
  CHECK(says(one.files.at("clamp").problem, "it is a link; expected a regular file"));
  CHECK(says(c.only(c.folder() / "eve.tar.gz", {.entries = 2}).files.at("reverse").problem,
             "it has more than 2 entries"));
  c.put("hw/big", std::string(100000, 'x'));
  const fs::path big = pack(c.folder() / "hw", c.folder() / "big.tar.gz");
  CHECK(says(c.only(big, {.total_bytes = 50000}).files.at("reverse").problem,
             "more than 50000 bytes, unpacked"));
  CHECK(c.only(big, {.total_bytes = 200000}).files.at("reverse").problem.empty());
}

TEST_CASE("names in an archive that lead out of it are not taken") {
  if (!can_read_archives()) return;
  const Class c;
  c.put("x/reverse.cu");
  const auto packed = [&](const std::string& how) {
    const fs::path archive = c.folder() / "eve.tar";
    const std::string command = "tar -C '" + (c.folder() / "x").string() + "' -cPf '" +
                                archive.string() + "' --transform='" + how + "' reverse.cu";
    REQUIRE(std::system(command.c_str()) == 0);
    return c.only(archive).files.at("reverse");
  };
  CHECK(packed("s,^,a/,").problem.empty());
  CHECK(says(packed("s,^,../,").problem, "leads out of it"));
  CHECK(says(packed("s,^,a/../../,").problem, "leads out of it"));
  CHECK(says(packed("s,^,/tmp/,").problem, "is absolute"));
}

TEST_CASE("damaged archives are named and cost only their student's marks") {
  if (!can_read_archives()) return;
  const Class c;
  c.put("class/ann/reverse.cu", "A");
  c.put("class/bad.zip", "this is no archive");
  c.put("class/cut.tar.gz", "\x1f\x8b\x08");
  const std::vector<Submission> all = c.take({c.folder() / "class"});
  REQUIRE(all.size() == 3);
  CHECK(all[0].files.at("reverse").text == "A");
  CHECK(says(all[1].files.at("reverse").problem, "bad.zip: it"));
  CHECK(says(all[2].files.at("reverse").problem, "cut.tar.gz: it"));
}
