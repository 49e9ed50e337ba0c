#include "learn/core/progress.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/sha256.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

constexpr std::string_view kHeading =
    "# Progress in this copy of the course: one exercise a line, its name, then what happened.\n"
    "#   matmul_padded hints=2 gave-up passed=cpu\n"
    "# hints=N   hints shown so far\n"
    "# gave-up   the solution was shown before the check had passed\n"
    "# passed=B  backends on which the check has passed: cpu, cuda or cpu,cuda\n"
    "# file=H    the file that has passed, in short; since=D the day, in UTC\n"
    "# failed=H  the file that has failed, in short\n"
    "# You may edit it; delete a line to start that exercise's count afresh.\n";

constexpr std::size_t kMarkDigits = 16;

constexpr std::string_view unreadable = "cannot be read";

bool is_exercise_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool take_mark(std::string_view digits, std::string& mark) {
  mark = digits;
  return digits.size() == kMarkDigits &&
         std::ranges::all_of(digits, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

/// 2027-02-12.
bool is_day(std::string_view text) {
  constexpr std::string_view form = "dddd-dd-dd";
  return text.size() == form.size() && std::ranges::equal(text, form, [](char c, char expected) {
           return expected == 'd' ? is_digit(c) : c == expected;
         });
}

bool parse_field(std::string_view field, Record& record) {
  if (field == "gave-up") {
    record.gave_up = true;
    return true;
  }
  if (field.starts_with("hints=")) {
    field.remove_prefix(6);
    const auto [end, error] = std::from_chars(field.begin(), field.end(), record.hints);
    return error == std::errc() && end == field.end() && record.hints >= 0;
  }
  if (field.starts_with("file=")) return take_mark(field.substr(5), record.passed_file);
  if (field.starts_with("failed=")) return take_mark(field.substr(7), record.failed_file);
  if (field.starts_with("since=")) {
    record.passed_since = field.substr(6);
    return is_day(record.passed_since);
  }
  if (!field.starts_with("passed=")) return false;
  field.remove_prefix(7);
  while (true) {
    const std::size_t comma = field.find(',');
    const std::string_view backend = field.substr(0, comma);
    if (backend != "cpu" && backend != "cuda") return false;
    record.passed_on.emplace(backend);
    if (comma == std::string_view::npos) return true;
    field.remove_prefix(comma + 1);
  }
}

std::optional<std::pair<std::string, Record>> parse_line(const std::string& line) {
  std::istringstream words(line);
  std::string name;
  words >> name;
  if (!is_exercise_name(name)) return std::nullopt;
  Record record;
  for (std::string field; words >> field;) {
    if (!parse_field(field, record)) return std::nullopt;
  }
  return std::pair(name, record);
}

/// What is wrong with a file that ends within its own heading; empty where nothing is. It is never
/// written in part here, but an editor may have done so on a full disk.
std::string cut_in_heading(std::string_view text) {
  const std::string_view words = trim(text);
  if (words.empty()) return "was cut short: it is empty (delete it to begin afresh)";
  if (words.size() >= trim(kHeading).size() || !kHeading.starts_with(text)) return "";
  return "was cut short: only a part of its heading is left (delete it to begin afresh)";
}

}  // namespace

std::string file_mark(std::string_view text) { return sha256(text).substr(0, kMarkDigits); }

std::string file_mark_of(const std::filesystem::path& file) {
  const std::optional<std::string> text = read_file(file);
  return text ? file_mark(*text) : "";
}

Standard standard_of(const Record& record, std::string_view mark) {
  if (!mark.empty() && mark == record.failed_file) return Standard::failed;
  if (record.passed() && mark == record.passed_file) return Standard::passed;
  if (!record.failed_file.empty()) return Standard::edited;
  if (!record.passed()) return Standard::never_checked;
  return record.passed_file.empty() ? Standard::passed_before : Standard::edited;
}

void note_pass(Record& record, const std::string& backend, const std::string& mark,
               const std::string& today) {
  record.passed_on.insert(backend);
  if (mark.empty()) return;
  if (mark == record.failed_file) record.failed_file.clear();
  if (mark == record.passed_file && !record.passed_since.empty()) return;
  record.passed_file = mark;
  record.passed_since = today;
}

void note_failure(Record& record, const std::string& mark) { record.failed_file = mark; }

Record Progress::at(const std::string& exercise) const {
  const auto found = records.find(exercise);
  return found == records.end() ? Record{} : found->second;
}

Progress parse_progress(std::string_view text) {
  const std::vector<std::string> heading_lines = split_lines(kHeading);
  Progress progress;
  if (std::string cut = cut_in_heading(text); !cut.empty()) {
    progress.complaints.push_back(std::move(cut));
    return progress;
  }
  const std::vector<std::string> lines = split_lines(text);
  std::size_t number = 0;
  for (const std::string& line : lines) {
    ++number;
    if (trim(line).empty()) continue;
    if (line.starts_with('#')) {
      if (std::ranges::find(heading_lines, line) == heading_lines.end()) {
        progress.comments.push_back(line);
      }
      continue;
    }
    auto record = parse_line(line);
    // The last line without its end, a name or a part of one: what happened to it is lost.
    const bool cut =
        record && record->second == Record{} && number == lines.size() && !text.ends_with('\n');
    if (record && !cut) {
      progress.records.insert_or_assign(record->first, record->second);
      continue;
    }
    progress.complaints.push_back(
        fmt::format("line {} {}: '{}' (expected: NAME [hints=N] [gave-up] [passed=cpu,cuda] "
                    "[file=H] [since=YYYY-MM-DD] [failed=H])",
                    number, cut ? "was cut short" : "skipped", line));
    progress.comments.push_back("# skipped: " + line);
  }
  return progress;
}

std::string format_progress(const Progress& progress) {
  std::string text(kHeading);
  for (const std::string& comment : progress.comments) text += comment + "\n";
  for (const auto& [name, record] : progress.records) {
    if (record == Record{}) continue;
    text += name;
    if (record.hints > 0) text += fmt::format(" hints={}", record.hints);
    if (record.gave_up) text += " gave-up";
    if (record.passed()) text += fmt::format(" passed={}", fmt::join(record.passed_on, ","));
    if (!record.passed_file.empty()) text += " file=" + record.passed_file;
    if (!record.passed_since.empty()) text += " since=" + record.passed_since;
    if (!record.failed_file.empty()) text += " failed=" + record.failed_file;
    text += "\n";
  }
  return text;
}

std::filesystem::path progress_file(const std::filesystem::path& root) {
  return root / ".learn" / "progress";
}

Progress load_progress(const std::filesystem::path& root) {
  const std::optional<std::string> text = read_file(progress_file(root));
  if (text) return parse_progress(*text);
  Progress progress;
  std::error_code error;
  if (std::filesystem::exists(progress_file(root), error)) {
    progress.complaints.emplace_back(unreadable);
  }
  return progress;
}

void update_progress(const std::filesystem::path& root,
                     const std::function<void(Progress&)>& change) {
  const FileLock lock(root / ".learn" / "lock");
  Progress progress = load_progress(root);
  if (std::ranges::find(progress.complaints, unreadable) != progress.complaints.end()) {
    throw UsageError(
        fmt::format("{} {}, and stays as it is", progress_file(root).string(), unreadable));
  }
  change(progress);
  write_file_atomically(progress_file(root), format_progress(progress));
}

}  // namespace tut::learn
