#pragma once

#include <string>

namespace tut::ch16 {

/// The name of a file for a message: what a terminal would obey, or a line's end, becomes '?'.
inline std::string printable(std::string name) {
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return name;
}

}  // namespace tut::ch16
