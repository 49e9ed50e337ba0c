// A file of C++ without a kernel, as in the exercises of the first chapters.
#include "host.hpp"

#include <cstdio>

int tripled(int value) {
  const int result = 3 * value;
  return result;
}

int main() { std::printf("%d\n", tripled(first_value())); }
