#include "learn/core/progress.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/text.hpp"
#include "scratch_folder.hpp"

using namespace tut::learn;

TEST_CASE("a progress file survives writing and reading") {
  Progress progress;
  progress.records["matmul_padded"] = {2, true, {"cpu", "cuda"}};
  progress.records["reduce_rows"] = {0, false, {"cpu"}};
  progress.records["untouched"] = {};
  const std::string text = format_progress(progress);
  CHECK(text.find("matmul_padded hints=2 gave-up passed=cpu,cuda\n") != std::string::npos);
  CHECK(text.find("untouched") == std::string::npos);

  const Progress again = parse_progress(text);
  CHECK(again.complaints.empty());
  CHECK(again.comments.empty());
  CHECK(again.at("matmul_padded") == progress.records["matmul_padded"]);
  CHECK(again.at("reduce_rows").passed());
  CHECK_FALSE(again.at("never_seen").passed());
}

TEST_CASE("what has passed is known again by its file") {
  const std::string file = file_mark("int add();\n"), edited = file_mark("int add(); \n");
  CHECK(file.size() == 16);
  Record record;
  CHECK(standard_of(record, file) == Standard::never_checked);
  note_failure(record, file);
  CHECK(standard_of(record, file) == Standard::failed);
  CHECK(standard_of(record, edited) == Standard::edited);
  CHECK(standard_of(record, "") == Standard::edited);
  note_pass(record, "cpu", edited, "2027-02-12");
  CHECK(standard_of(record, edited) == Standard::passed);
  CHECK(standard_of(record, file) == Standard::failed);
  CHECK(record.passed_since == "2027-02-12");
  // The same file once more: its day stays.
  note_pass(record, "cuda", edited, "2027-02-14");
  CHECK(record.passed_since == "2027-02-12");
  CHECK(record.passed_on.size() == 2);
  note_pass(record, "cpu", file, "2027-02-15");
  CHECK(standard_of(record, file) == Standard::passed);
  CHECK(record.passed_since == "2027-02-15");
  CHECK(record.failed_file.empty());
  CHECK(standard_of(record, edited) == Standard::edited);
  // On another backend the same file fails.
  note_failure(record, file);
  CHECK(standard_of(record, file) == Standard::failed);

  // Edited while it was checked: it has passed, and nobody knows which text has.
  Record unclear;
  note_pass(unclear, "cpu", "", "2027-02-12");
  CHECK(unclear.passed());
  CHECK(standard_of(unclear, file) == Standard::passed_before);
}

TEST_CASE("marks of files survive writing and reading, and older files have none") {
  Progress progress;
  note_pass(progress.records["one"], "cpu", file_mark("a"), "2027-02-12");
  note_failure(progress.records["one"], file_mark("b"));
  note_failure(progress.records["two"], file_mark("c"));
  const Progress again = parse_progress(format_progress(progress));
  CHECK(again.complaints.empty());
  CHECK(again.at("one") == progress.at("one"));
  CHECK(again.at("two") == progress.at("two"));

  const Progress old = parse_progress("one hints=2 gave-up passed=cpu,cuda\n");
  CHECK(old.complaints.empty());
  CHECK(standard_of(old.at("one"), file_mark("a")) == Standard::passed_before);

  for (const char* line : {"one passed=cpu file=12", "one file=123456789012345G",
                           "one since=yesterday", "one since=2027-2-12", "one failed="}) {
    CAPTURE(line);
    CHECK(parse_progress(std::string(line) + "\n").complaints.size() == 1);
  }
}

TEST_CASE("damaged lines are named, skipped and kept as comments") {
  const Progress progress = parse_progress(
      "# my note\n"
      "good passed=cpu\n"
      "bad passed=gpu\n"
      "bad hints=two\n"
      "bad hints=-1\n"
      "\x01\x02garbage\n"
      "UPPER passed=cpu\n"
      "other hints=1 passed=\n");
  REQUIRE(progress.complaints.size() == 6);
  CHECK(progress.complaints[0].find("line 3 skipped: 'bad passed=gpu'") == 0);
  CHECK(progress.records.size() == 1);
  CHECK(progress.at("good").passed());

  const Progress again = parse_progress(format_progress(progress));
  CHECK(again.complaints.empty());
  CHECK(again.comments.size() == 7);
  CHECK(again.comments[0] == "# my note");
  CHECK(again.comments[1] == "# skipped: bad passed=gpu");
  CHECK(format_progress(again) == format_progress(progress));
}

TEST_CASE("a file that was cut short says so, and part of its heading is no comment") {
  const std::string heading = format_progress({});
  for (std::size_t length = 0; length + 1 < heading.size(); ++length) {
    CAPTURE(length);
    const Progress cut = parse_progress(heading.substr(0, length));
    REQUIRE(cut.complaints.size() == 1);
    CHECK(cut.complaints[0].find("was cut short") == 0);
    CHECK(format_progress(cut) == heading);
  }
  CHECK(parse_progress("\n \r\n").complaints.size() == 1);
  CHECK(parse_progress(heading).complaints.empty());
  CHECK(parse_progress(heading.substr(0, heading.size() - 1)).complaints.empty());
  CHECK(parse_progress("one hints=1\n").complaints.empty());
}

TEST_CASE("a last line that was cut short is named and kept, and what reads is read") {
  const std::string text = format_progress({{{"one", {3, true, {"cpu", "cuda"}}}}, {}, {}});
  const std::size_t start = text.rfind('\n', text.size() - 2) + 1;
  for (std::size_t length = start; length + 1 < text.size(); ++length) {
    const std::string left = text.substr(0, length + 1);
    CAPTURE(left);
    const Progress cut = parse_progress(left);
    // What is left is read, or named and kept.
    const bool read = cut.complaints.empty() && cut.at("one").hints > 0;
    const bool kept = cut.complaints.size() == 1 && cut.comments.size() == 1;
    CHECK(read != kept);
    const std::string again = format_progress(cut);
    CHECK(again.find(trim(left.substr(start))) != std::string::npos);
  }
  // A whole line with a name alone is one that somebody has made so.
  CHECK(parse_progress("one\n").complaints.empty());
  CHECK(parse_progress("one hints=2").at("one").hints == 2);
}

TEST_CASE("a progress file that is there and cannot be read stays as it is") {
  const ScratchFolder scratch;
  CHECK(load_progress(scratch.path()).complaints.empty());
  std::filesystem::create_directories(progress_file(scratch.path()));
  REQUIRE(load_progress(scratch.path()).complaints.size() == 1);
  CHECK(load_progress(scratch.path()).complaints[0] == "cannot be read");
  CHECK_THROWS_WITH_AS(update_progress(scratch.path(), [](Progress&) {}),
                       doctest::Contains("cannot be read, and stays as it is"), UsageError);
}

TEST_CASE("update_progress loses nothing when several run at once") {
  const ScratchFolder scratch;
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < 5; ++i) {
        update_progress(scratch.path(), [&](Progress& progress) {
          ++progress.records["shared"].hints;
          ++progress.records["own_" + std::to_string(writer)].hints;
        });
      }
    });
  }
  writers.clear();
  const Progress progress = load_progress(scratch.path());
  CHECK(progress.at("shared").hints == 20);
  CHECK(progress.at("own_3").hints == 5);
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path() / ".learn")) {
    CHECK(entry.path().filename().string().find(".tmp") == std::string::npos);
  }
}

TEST_CASE("a progress file that cannot be written is one line about it") {
  const ScratchFolder scratch;
  std::ofstream(scratch.path() / ".learn") << "a file where the folder should be";
  CHECK_THROWS_WITH_AS(update_progress(scratch.path(), [](Progress&) {}),
                       doctest::Contains("cannot write"), UsageError);
}
