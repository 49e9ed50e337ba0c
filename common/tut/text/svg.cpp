#include "tut/text/svg.hpp"

#include <charconv>
#include <cstdint>

namespace tut::svg {

namespace {

// The length of the character at the beginning of the text, or 0 where that is no UTF-8 that XML
// takes.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= ' ' && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  const bool valid = code >= 0xa0 && code >= kSmallest[length] && code <= 0x10ffff && !surrogate &&
                     code != 0xfffe && code != 0xffff;
  return valid ? length : 0;
}

}  // namespace

std::string escaped(std::string_view text, std::size_t longest) {
  std::string out;
  for (std::size_t shown = 0; !text.empty(); ++shown) {
    if (shown == longest) return out + "...";
    const std::size_t length = character_length(text);
    if (length == 0) {
      out += '?';
    } else if (text[0] == '&') {
      out += "&amp;";
    } else if (text[0] == '<') {
      out += "&lt;";
    } else if (text[0] == '>') {
      out += "&gt;";
    } else if (text[0] == '"') {
      out += "&quot;";
    } else if (text[0] == '\'') {
      out += "&#39;";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string number(double value, int decimals) {
  char digits[400];  // the largest double has 309 before the point
  const auto end =
      std::to_chars(digits, digits + sizeof(digits), value, std::chars_format::fixed, decimals).ptr;
  std::string out(digits, end);
  if (out.find('.') != std::string::npos) {
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
  }
  return out == "-0" ? "0" : out;
}

std::string start(int width, int height, std::string_view title) {
  const std::string size = std::to_string(width) + "\" height=\"" + std::to_string(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + std::to_string(width) + " " +
         std::to_string(height) +
         "\" font-family=\"sans-serif\" fill=\"#222\" role=\"img\">\n<title>" +
         escaped(title, 1000) + "</title>\n<rect width=\"" + size + "\" fill=\"#fff\"/>\n";
}

std::string text(double x, double y, int font_size, std::string_view anchor,
                 std::string_view content, std::size_t longest) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" font-size=\"" +
         std::to_string(font_size) + "\" text-anchor=\"" + std::string(anchor) + "\">" +
         escaped(content, longest) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
  return "<path d=\"M" + number(x1) + " " + number(y1) + "L" + number(x2) + " " + number(y2) +
         "\" fill=\"none\" " + std::string(style) + "/>\n";
}

std::string rectangle(double x, double y, double width, double height, std::string_view fill) {
  return "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) +
         "\" height=\"" + number(height) + "\" fill=\"" + std::string(fill) + "\"/>\n";
}

std::string turned(double degrees, double x, double y, std::string_view elements) {
  return "<g transform=\"rotate(" + number(degrees, 2) + " " + number(x) + " " + number(y) +
         ")\">\n" + std::string(elements) + "</g>\n";
}

std::string circle(double x, double y, double radius, std::string_view fill,
                   std::string_view stroke) {
  return "<circle cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"" + number(radius) +
         "\" fill=\"" + std::string(fill) + "\" stroke=\"" + std::string(stroke) + "\"/>\n";
}

}  // namespace tut::svg
