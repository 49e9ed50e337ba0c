#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "learn/classroom/marks.hpp"

namespace tut::learn {

/// What has been graded so far, a file for each text and exercise, so that who was stopped goes on
/// and who grades again gets the same. An entry counts for the course, tests and limits that it was
/// made with, which `key` stands for.
class Journal {
 public:
  explicit Journal(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<ExerciseResult> find(const std::string& key, const std::string& exercise,
                                     const std::string& text) const;

  /// In one step: a reader, or who comes after a power cut, finds all of it or nothing.
  /// @throws UsageError where it cannot be written
  void add(const std::string& key, const std::string& exercise, const std::string& text,
           const ExerciseResult& result) const;

 private:
  std::filesystem::path file_of(const std::string& key, const std::string& exercise,
                                const std::string& text) const;
  std::filesystem::path folder_;
};

}  // namespace tut::learn
