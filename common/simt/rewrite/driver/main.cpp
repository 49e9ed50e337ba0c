#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "driver/driver.hpp"

int main(int argc, char** argv) {
  using namespace simt::rewrite;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (!arguments.empty() && arguments.front() == "--launcher") {
      arguments.erase(arguments.begin());
      return launch_compiler(arguments, find_installation());
    }
    return drive(arguments, find_installation());
  } catch (const std::exception& error) {
    std::cerr << "cucc: error: " << error.what() << '\n';
    return 1;
  }
}
