#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// What the pictures that the program draws share.
namespace tut::svg {

/// The text for the inside of an element or of an attribute: `&`, `<`, `>` and quotes escaped, what
/// XML has no place for (control characters, broken UTF-8) as '?', and after `longest` characters
/// "...".
std::string escaped(std::string_view text, std::size_t longest = 100);

/// The number with at most that many digits after the point, the same everywhere: "3.5", "-0.25",
/// "12".
std::string number(double value, int decimals = 1);

/// Where a picture begins: size, font, and the title, which a screen reader reads. Ends by
/// "</svg>".
std::string start(int width, int height, std::string_view title);

/// A line of at most `longest` characters at (x, y); `anchor` is start, middle or end.
std::string text(double x, double y, int font_size, std::string_view anchor,
                 std::string_view content, std::size_t longest = 100);

/// A straight line; `style` is attributes: stroke="#ddd".
std::string line(double x1, double y1, double x2, double y2, std::string_view style);

std::string rectangle(double x, double y, double width, double height, std::string_view fill);

/// Elements turned clockwise about (x, y).
std::string turned(double degrees, double x, double y, std::string_view elements);

std::string circle(double x, double y, double radius, std::string_view fill,
                   std::string_view stroke);

}  // namespace tut::svg
