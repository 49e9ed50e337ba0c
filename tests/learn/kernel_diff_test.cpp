#include "learn/core/kernel_diff.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace tut::learn;

TEST_CASE("kernel_code: what runs on the device, without comments, and nothing else") {
  CHECK(kernel_code("#include <x>\n"
                    "__device__ float f(float);  // a declaration\n"
                    "namespace {\n"
                    "// Adds.\n"
                    "template <int N>\n"
                    "__global__ void k(int* x) {\n"
                    "  /* one\n     more */\n"
                    "  if (true) { x[0] = '}' + \"}//\"[0]; }  // why\n"
                    "\n"
                    "}\n"
                    "__device__ int g() { return 1'000; }\n"
                    "}\n"
                    "void host() { k<1><<<1, 1>>>(nullptr); }\n") ==
        "template <int N>\n"
        "__global__ void k(int* x) {\n"
        "  if (true) { x[0] = '}' + \"}//\"[0]; }\n"
        "}\n"
        "__device__ int g() { return 1'000; }\n");
  CHECK(kernel_code("#include <x>\n#include <y>\n__global__ void k() {}\n") ==
        "__global__ void k() {}\n");
  CHECK(kernel_code("// A file of\n// host code.\n\nint main() {\n\n}\n") == "int main() {\n}\n");
  CHECK(kernel_code("__global__ void unfinished() {\n") == "__global__ void unfinished() {\n");
  CHECK(kernel_code("").empty());
}

TEST_CASE("line_diff: what one has, what the other has, what both have") {
  CHECK(line_diff("a\nb\nc\n", "a\nx\nc\nd\n") == "  a\n- b\n+ x\n  c\n+ d\n");
  CHECK(line_diff("  a\n", "a  \n") == "  a  \n");
  CHECK(line_diff("", "a\n") == "+ a\n");
  CHECK(line_diff("", "").empty());
}
