// The formats, what swamping is, what each way to multiply loses, loss scaling,
// 8-bit integers, and memory.

#include <cstdio>

#include "12_mixed_precision/report.hpp"
#include "tut/text/program.hpp"

int main(int argc, char** argv) {
  return tut::run_without_arguments("ch12_demo", argc, argv, [] {
    using namespace tut::ch12;
    std::printf("%s\n", format_table().c_str());
    std::printf("%s\n", swamping().c_str());
    std::printf("%s\n", error_table(error_curves(LENGTHS)).c_str());
    std::printf("%s\n", scaling_table().c_str());
    std::printf("%s\n", quantisation_table().c_str());
    std::printf("%s", memory_table().c_str());
  });
}
