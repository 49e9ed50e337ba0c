#include "learn/classroom/journal.hpp"

#include "learn/core/files.hpp"
#include "learn/core/sha256.hpp"

namespace tut::learn {

std::filesystem::path Journal::file_of(const std::string& key, const std::string& exercise,
                                       const std::string& text) const {
  return folder_ / (sha256(key + "\n" + exercise + "\n" + text) + ".json");
}

std::optional<ExerciseResult> Journal::find(const std::string& key, const std::string& exercise,
                                            const std::string& text) const {
  const auto content = read_file(file_of(key, exercise, text));
  return content ? result_from_text(*content) : std::nullopt;
}

void Journal::add(const std::string& key, const std::string& exercise, const std::string& text,
                  const ExerciseResult& result) const {
  write_file_atomically(file_of(key, exercise, text), to_text(result));
}

}  // namespace tut::learn
