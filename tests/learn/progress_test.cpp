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
