#pragma once

#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tut::learn {

/// Terminal styling; a disabled Style returns its text unchanged.
class Style {
 public:
  explicit Style(bool enabled = false) : enabled_(enabled) {}
  bool enabled() const { return enabled_; }
  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string dim(std::string_view text) const { return paint("2", text); }
  std::string red(std::string_view text) const { return paint("1;31", text); }
  std::string green(std::string_view text) const { return paint("1;32", text); }
  std::string yellow(std::string_view text) const { return paint("33", text); }
  std::string cyan(std::string_view text) const { return paint("36", text); }

 private:
  std::string paint(std::string_view code, std::string_view text) const;
  bool enabled_;
};

/// Whether to colour: only on a terminal that is not "dumb", and not when NO_COLOR is set and
/// not empty (https://no-color.org). Null means that the variable is not set.
bool wants_colour(bool is_terminal, const char* no_color, const char* term);

/// A Style for the stream as the environment stands.
Style style_for(std::FILE* stream);

/// The name that `word` most likely stands for: the only one that starts with or contains it, the
/// shortest of several that contain a word of four letters or more, else the nearest by edits
/// (insert, delete, replace, swap neighbours), within a third of its length; nothing when no name
/// is near.
std::optional<std::string> nearest_name(std::string_view word, std::span<const std::string> names);

/// Columns of the terminal that standard output is; of $COLUMNS, or 100, where it is none.
int terminal_width();

/// Columns that text takes: characters, not bytes, and no colours.
int columns_of(std::string_view text);

/// Lines of more than `width` columns broken at spaces, never within a word, nor within what is
/// read as one, "B(36, 4)", "35x39 * 39x37", each after `indent` spaces and the blanks that the
/// line begins with. What goes on after a break stands `hang` columns further to the right. Other
/// lines stay as they are: a table remains one.
std::string wrap(std::string_view text, int width, int indent = 0, int hang = 0);

/// The lines of a text without their line ends.
std::vector<std::string> split_lines(std::string_view text);

std::string_view trim(std::string_view text);

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace tut::learn
