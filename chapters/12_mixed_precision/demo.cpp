// The formats, what swamping is, what each way to multiply loses, loss scaling, and memory.

#include <cstdio>
#include <exception>

#include "12_mixed_precision/report.hpp"

int main() {
  try {
    using namespace tut::ch12;
    std::printf("%s\n", format_table().c_str());
    std::printf("%s\n", swamping().c_str());
    std::printf("%s\n", error_table(error_curves(LENGTHS)).c_str());
    std::printf("%s\n", scaling_table().c_str());
    std::printf("%s", memory_table().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ch12_demo: %s\n", error.what());
    return 1;
  }
}
