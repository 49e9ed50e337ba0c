#include "learn/core/failure_words.hpp"

#include <string_view>

namespace tut::learn {

std::string said_plainly(const std::string& failure) {
  constexpr std::string_view check = "CHECK_THROWS_AS( ", end = " ) did NOT throw at all!";
  if (!failure.starts_with(check) || !failure.ends_with(end)) return failure;
  const std::string words =
      failure.substr(check.size(), failure.size() - check.size() - end.size());
  const std::size_t comma = words.rfind(", ");
  if (comma == std::string::npos) return failure;
  return words.substr(0, comma) + " must throw " + words.substr(comma + 2) + ", and threw nothing";
}

std::string logged_plainly(std::string line) {
  constexpr std::string_view first = "  logged: ", other = "          ", is = " := ";
  const std::size_t at = line.find(is);
  if (at == std::string::npos || !(line.starts_with(first) || line.starts_with(other))) return line;
  return "  with " + line.substr(first.size(), at - first.size()) + " = " +
         line.substr(at + is.size());
}

void remove_places_of_course(std::string& line) {
  constexpr std::string_view folder = "common/tut/";
  for (std::size_t at = 0; (at = line.find(folder, at)) != std::string::npos;) {
    const std::size_t open = line.rfind(" (", at), close = line.find(')', at);
    const bool path =
        open != std::string::npos && close != std::string::npos && line.find(' ', open + 1) > close;
    if (!path) {
      at += folder.size();
      continue;
    }
    line.erase(open, close + 1 - open);
    at = open;
  }
}

}  // namespace tut::learn
