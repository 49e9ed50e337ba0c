#include "learn/stubs/projection.hpp"

#include <optional>
#include <set>

namespace tut::learn {
namespace {

constexpr std::string_view marker_start = "//! [hole-";

std::string_view indentation(std::string_view line) {
  const auto first = line.find_first_not_of(" \t");
  return line.substr(0, first == std::string_view::npos ? line.size() : first);
}

std::string_view trimmed(std::string_view line) {
  line.remove_prefix(indentation(line).size());
  const auto last = line.find_last_not_of(" \t\r");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// The name in `//! [hole-NAME]`, if that is the whole line.
std::optional<std::string> hole_name(std::string_view line) {
  std::string_view text = trimmed(line);
  if (!text.starts_with(marker_start) || !text.ends_with("]")) return std::nullopt;
  text.remove_prefix(marker_start.size());
  text.remove_suffix(1);
  return std::string(text);
}

class Projector {
 public:
  explicit Projector(std::string_view file) : file_(file) {}

  void take(std::string_view line) {
    ++line_number_;
    if (const auto name = hole_name(line)) {
      if (open_.empty()) {
        open(*name, line);
      } else {
        close(*name);
      }
    } else if (open_.empty()) {
      if (line.find("[hole-") != std::string_view::npos) {
        fail(line_number_, "a hole marker stands alone on its line, as in `//! [hole-NAME]`");
      }
      stub_.append(line).push_back('\n');
    } else {
      take_in_hole(trimmed(line));
    }
  }

  std::string finish() {
    if (!open_.empty()) fail(opened_at_, "hole-" + open_ + " is never closed");
    if (names_.empty()) {
      fail(1, "no hole: expected code between two lines `//! [hole-NAME]`");
    }
    return std::move(stub_);
  }

 private:
  void open(const std::string& name, std::string_view line) {
    if (name.empty()) fail(line_number_, "a hole needs a name: `//! [hole-NAME]`");
    if (!names_.insert(name).second) {
      fail(line_number_, "hole-" + name + " is there twice: every hole needs a name of its own");
    }
    open_ = name;
    indent_ = indentation(line);
    opened_at_ = line_number_;
    has_comment_ = false;
  }

  void close(const std::string& name) {
    if (name != open_) {
      fail(line_number_, "hole-" + name + " opens inside hole-" + open_ + " of line " +
                             std::to_string(opened_at_) + ": holes cannot nest");
    }
    if (!has_comment_) {
      fail(opened_at_, "hole-" + name + " has no comment: expected the exercise's instructions");
    }
    open_.clear();
  }

  void take_in_hole(std::string_view text) {
    if (text.starts_with("/*")) {
      fail(line_number_, "a block comment in hole-" + open_ + ": expected // comments");
    }
    if (text.starts_with("//! [")) return;
    if (text.starts_with("//>")) {
      text.remove_prefix(text.starts_with("//> ") ? 4 : 3);
      stub_.append(text.empty() ? "" : indent_).append(text).push_back('\n');
      return;
    }
    if (!text.starts_with("//")) return;
    stub_ += indent_;
    if (!has_comment_) {
      text = trimmed(text.substr(2));
      stub_ += text.empty() ? "// TODO:" : "// TODO: ";
    }
    has_comment_ = true;
    stub_.append(text).push_back('\n');
  }

  [[noreturn]] void fail(int line, const std::string& message) const {
    throw StubError(file_ + ":" + std::to_string(line) + ": error: " + message);
  }

  std::string file_, stub_, open_, indent_;
  std::set<std::string> names_;
  int line_number_ = 0, opened_at_ = 0;
  bool has_comment_ = false;
};

}  // namespace

std::string project_stub(std::string_view solution, std::string_view file) {
  Projector projector(file);
  while (!solution.empty()) {
    const auto end = solution.find('\n');
    projector.take(solution.substr(0, end));
    solution.remove_prefix(end == std::string_view::npos ? solution.size() : end + 1);
  }
  return projector.finish();
}

}  // namespace tut::learn
