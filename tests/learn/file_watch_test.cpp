#include "learn/core/file_watch.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "scratch_folder.hpp"

using tut::learn::FileWatch;

TEST_CASE("FileWatch sees new content, also when the file is replaced, and only new content") {
  for (const bool poll : {false, true}) {
    CAPTURE(poll);
    const ScratchFolder scratch;
    const auto file = scratch.path() / "kernel.cu";
    std::ofstream(file) << "one";
    FileWatch watch(file, poll);
    CHECK(watch.wait(0) == FileWatch::Event::timed_out);

    std::ofstream(file) << "two";
    CHECK(watch.wait(600'000) == FileWatch::Event::changed);

    std::ofstream(file) << "two";
    std::ofstream(scratch.path() / "other.cu") << "noise";
    CHECK(watch.wait(300) == FileWatch::Event::timed_out);

    std::jthread editor([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      std::ofstream(scratch.path() / "kernel.cu~") << "three";
      std::filesystem::rename(scratch.path() / "kernel.cu~", file);
    });
    CHECK(watch.wait(600'000) == FileWatch::Event::changed);
  }
}

TEST_CASE("a file that is gone for a moment is not a change") {
  const ScratchFolder scratch;
  const auto file = scratch.path() / "kernel.cu";
  std::ofstream(file) << "one";
  FileWatch watch(file);
  std::filesystem::remove(file);
  CHECK(watch.wait(100) == FileWatch::Event::timed_out);
  std::ofstream(file) << "two";
  CHECK(watch.wait(600'000) == FileWatch::Event::changed);
}
