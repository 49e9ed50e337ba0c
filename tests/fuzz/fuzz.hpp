#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

/// What the fuzz targets share. Each target defines LLVMFuzzerTestOneInput, which libFuzzer or
/// driver.cpp calls; it aborts where a reader does not do what its header says.
namespace tut::fuzz {

/// How many inputs the reader has accepted: a corpus that it refuses as a whole tests nothing.
inline std::size_t accepted = 0;

inline void demand(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "demanded: %s\n", what.c_str());
  std::abort();
}

/// Demands that a message is one line that begins with the file's name, and that nothing in it
/// moves a terminal's cursor.
inline void demand_one_line(std::string_view message, std::string_view name) {
  demand(message.starts_with(name), "a message begins with the file: " + std::string(message));
  for (const char c : message) {
    demand(static_cast<unsigned char>(c) >= ' ' && c != '\x7f',
           "a message is one line of text: " + std::string(message));
  }
}

}  // namespace tut::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
