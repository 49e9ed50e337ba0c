#include "learn/stubs/projection.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <set>

#include "learn/stubs/failure_kinds.hpp"

namespace tut::learn {
namespace {

enum class MarkKind { hole, bug, blank };

struct MarkName {
  MarkKind kind;
  std::string_view word;  // before the dash
};
constexpr MarkName kMarks[] = {
    {MarkKind::hole, "hole"}, {MarkKind::bug, "bug"}, {MarkKind::blank, "blank"}};

/// What a marker opens or closes: `hole-stage`, `bug-race`, `blank-gemm`.
struct Mark {
  MarkKind kind = MarkKind::hole;
  std::string name;

  std::string text() const {
    return std::string(kMarks[static_cast<std::size_t>(kind)].word) + "-" + name;
  }
};

std::string_view indentation(std::string_view line) {
  const auto first = line.find_first_not_of(" \t");
  return line.substr(0, first == std::string_view::npos ? line.size() : first);
}

std::string_view trimmed(std::string_view line) {
  line.remove_prefix(indentation(line).size());
  const auto last = line.find_last_not_of(" \t\r");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

constexpr std::string_view kMarkForms = "`//! [hole-NAME]`, `//! [bug-KIND]` or `//! [blank-NAME]`";

/// Lower case, digits, - and _.
bool is_mark_name(std::string_view name) {
  return std::ranges::all_of(name, [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '_';
  });
}

/// A bug's kind is what its stub fails by.
bool is_bug_kind(std::string_view kind) {
  return kind == "budget" || std::ranges::find(kCheckKinds, kind) != std::end(kCheckKinds);
}

std::string bug_kinds() {
  std::string kinds = "budget";
  for (const std::string_view kind : kCheckKinds) kinds.append(", ").append(kind);
  return kinds;
}

/// The comment of a line from its first slash on; "" if there is none. A string that holds `//` is
/// taken for one.
std::string_view comment_of(std::string_view line) {
  const auto start = std::min(line.find("//"), line.find("/*"));
  return start == std::string_view::npos ? "" : line.substr(start);
}

/// Whether a comment can only be meant as a marker: Doxygen's `//!`, which solutions have for
/// nothing else, a word in brackets alone, or `[hole`, `[bug` or `[blank` wherever it stands.
bool is_like_mark(std::string_view comment) {
  if (comment.starts_with("//!") || comment.starts_with("/*!")) return true;
  std::string text(comment);
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [kind, word] : kMarks) {
    if (text.find("[" + std::string(word)) != std::string::npos) return true;
  }
  const auto first = text.find_first_not_of("/*!< \t");
  return first != std::string::npos && text[first] == '[' && text.ends_with("]") &&
         is_mark_name(std::string_view(text).substr(first + 1, text.size() - first - 2));
}

// What stands in `//! [hole-NAME]`, `//! [bug-KIND]` or `//! [blank-NAME]`, if that is the whole
// line.
std::optional<Mark> mark_of(std::string_view line) {
  std::string_view text = trimmed(line);
  for (const auto& [kind, word] : kMarks) {
    const std::string start = "//! [" + std::string(word) + "-";
    if (!text.starts_with(start) || !text.ends_with("]")) continue;
    text.remove_prefix(start.size());
    text.remove_suffix(1);
    if (!is_mark_name(text)) return std::nullopt;
    return Mark{kind, std::string(text)};
  }
  return std::nullopt;
}

class Projector {
 public:
  explicit Projector(std::string_view file) : file_(file) {}

  void take(std::string_view line) {
    ++line_number_;
    const auto mark = mark_of(line);
    if (!mark) require_no_marker(trimmed(line));
    if (mark) {
      if (!open_) {
        open(*mark, line);
      } else {
        close(*mark);
      }
    } else if (!open_) {
      stub_.append(line).push_back('\n');
    } else {
      take_inside(trimmed(line));
    }
  }

  std::string finish() {
    if (open_) fail(opened_at_, open_->text() + " is never closed");
    if (!has_any_) {
      fail(1, "no hole and no bug: expected code between two lines " + std::string(kMarkForms));
    }
    return std::move(stub_);
  }

 private:
  void open(const Mark& mark, std::string_view line) {
    if (mark.name.empty()) {
      fail(line_number_, mark.kind == MarkKind::bug ? "a bug needs a kind: `//! [bug-KIND]`"
                         : mark.kind == MarkKind::hole
                             ? "a hole needs a name: `//! [hole-NAME]`"
                             : "a blank needs a name: `//! [blank-NAME]`");
    }
    if (mark.kind == MarkKind::bug && !is_bug_kind(mark.name)) {
      fail(line_number_, mark.text() + ": no bug fails by that; expected one of " + bug_kinds());
    }
    if (mark.kind != MarkKind::bug && !holes_.insert(mark.name).second) {
      fail(line_number_, mark.text() + " is there twice: every hole needs a name of its own");
    }
    open_ = mark;
    indent_ = indentation(line);
    opened_at_ = line_number_;
    has_any_ = true;
    has_comment_ = changes_ = has_stub_line_ = false;
  }

  void close(const Mark& mark) {
    if (mark.text() != open_->text()) {
      fail(line_number_, mark.text() + " opens inside " + open_->text() + " of line " +
                             std::to_string(opened_at_) + ": they cannot nest");
    }
    if (open_->kind == MarkKind::hole && !has_comment_) {
      fail(opened_at_, mark.text() + " has no comment: expected the exercise's instructions");
    }
    if (open_->kind == MarkKind::bug && !changes_) {
      fail(opened_at_,
           mark.text() + " changes nothing: expected right code, or the stub's after `//>`");
    }
    if (open_->kind == MarkKind::blank && !has_stub_line_) {
      fail(opened_at_, mark.text() + " leaves nothing: expected the stub's lines after `//>`");
    }
    open_.reset();
  }

  /// A line that is no marker must not look like one: a misspelt one would leave the solution in
  /// the stub.
  void require_no_marker(std::string_view text) const {
    const std::string_view comment = comment_of(text);
    if (!comment.starts_with("//>") && is_like_mark(comment)) {
      fail(line_number_, "`" + std::string(comment) + "` is no marker; expected " +
                             std::string(kMarkForms) + ", alone on its line");
    }
    if (!open_ && text.starts_with("//>")) {
      fail(line_number_, "a line of the stub, `//>`, stands in no hole, bug or blank");
    }
  }

  void take_inside(std::string_view text) {
    if (text.starts_with("/*") && open_->kind != MarkKind::blank) {
      fail(line_number_, "a block comment in " + open_->text() + ": expected // comments");
    }
    if (text.starts_with("//>")) {
      text.remove_prefix(text.starts_with("//> ") ? 4 : 3);
      stub_.append(text.empty() ? "" : indent_).append(text).push_back('\n');
      changes_ = has_stub_line_ = true;
    } else if (!text.starts_with("//")) {
      changes_ = changes_ || !text.empty();
    } else if (open_->kind == MarkKind::hole) {
      take_comment(text);
    }
  }

  void take_comment(std::string_view text) {
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

  std::string file_, stub_, indent_;
  std::optional<Mark> open_;
  std::set<std::string> holes_;
  int line_number_ = 0, opened_at_ = 0;
  bool has_any_ = false, has_comment_ = false, changes_ = false, has_stub_line_ = false;
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

bool has_marks(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (mark_of(text.substr(0, end))) return true;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return false;
}

std::string readable_solution(std::string_view solution) {
  std::string text;
  bool after_blank = true;
  while (!solution.empty()) {
    const auto end = solution.find('\n');
    const std::string_view line = solution.substr(0, end);
    solution.remove_prefix(end == std::string_view::npos ? solution.size() : end + 1);
    const std::string_view words = trimmed(line);
    const bool is_mark = words.starts_with("//! [") && words.ends_with("]");
    if (is_mark || words.starts_with("//>") || (words.empty() && after_blank)) continue;
    text.append(line).push_back('\n');
    after_blank = words.empty();
  }
  return text;
}

}  // namespace tut::learn
