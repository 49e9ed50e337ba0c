#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A reader of the pictures that the trainer draws, strict enough to find what a browser would not
/// show.
namespace tut::test {

struct SvgElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string text;  ///< directly inside it, before any child
  int depth = 0;

  std::string attribute(std::string_view key) const {
    for (const auto& [name_there, value] : attributes) {
      if (name_there == key) return value;
    }
    return "";
  }
};

/// Entities other than XML's five, a bare `&` or `<`, control characters.
inline bool is_clean_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '<' || c == '>' || c == '"' || (c < ' ' && c != '\n')) return false;
    if (c != '&') continue;
    const std::string_view rest = text.substr(i);
    const bool known = rest.starts_with("&amp;") || rest.starts_with("&lt;") ||
                       rest.starts_with("&gt;") || rest.starts_with("&quot;") ||
                       rest.starts_with("&#39;");
    if (!known) return false;
  }
  return true;
}

/// The attributes in `text`, such as ` x="1" y="2"`.
inline std::vector<std::pair<std::string, std::string>> svg_attributes(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> attributes;
  while (!text.empty()) {
    REQUIRE(text.front() == ' ');
    const std::size_t sign = text.find("=\"");
    REQUIRE(sign != std::string_view::npos);
    const std::size_t end = text.find('"', sign + 2);
    REQUIRE(end != std::string_view::npos);
    attributes.emplace_back(text.substr(1, sign - 1), text.substr(sign + 2, end - sign - 2));
    CHECK(is_clean_text(attributes.back().second));
    text.remove_prefix(end + 1);
  }
  return attributes;
}

/// All elements in order. Fails the test where the text is not well-formed.
inline std::vector<SvgElement> read_svg(const std::string& svg) {
  std::vector<SvgElement> elements;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < svg.size();) {
    if (svg[at] != '<') {
      const std::size_t end = std::min(svg.find('<', at), svg.size());
      const std::string text = svg.substr(at, end - at);
      CHECK(is_clean_text(text));
      if (!open.empty() && open.back() + 1 == elements.size()) elements.back().text += text;
      at = end;
      continue;
    }
    const std::size_t end = svg.find('>', at);
    REQUIRE(end != std::string::npos);
    std::string_view tag = std::string_view(svg).substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.starts_with('/')) {
      REQUIRE(!open.empty());
      CHECK(elements[open.back()].name == tag.substr(1));
      open.pop_back();
      continue;
    }
    const bool empty = tag.ends_with('/');
    if (empty) tag.remove_suffix(1);
    const std::size_t name_end = std::min(tag.find(' '), tag.size());
    SvgElement element{std::string(tag.substr(0, name_end)), svg_attributes(tag.substr(name_end)),
                       "", static_cast<int>(open.size())};
    CHECK((element.depth == 0) == elements.empty());  // one root
    elements.push_back(element);
    if (!empty) open.push_back(elements.size() - 1);
  }
  CHECK(open.empty());
  return elements;
}

/// The numbers in "M60 290L120 80.5".
inline std::vector<double> svg_numbers(const std::string& text) {
  std::vector<double> numbers;
  for (const char* at = text.data(); at != text.data() + text.size();) {
    double value = 0;
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), value);
    if (error == std::errc()) numbers.push_back(value);
    at = error == std::errc() ? end : at + 1;
  }
  return numbers;
}

}  // namespace tut::test
