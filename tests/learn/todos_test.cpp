#include "learn/core/todos.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace tut::learn;

namespace {

const std::string stub =
    "int f() {\n"
    "  // TODO: First,\n"
    "  // in two lines.\n"
    "\n"
    "  int sum = 0;\n"
    "  // TODO: Second.\n"
    "  // TODO: Third.\n"
    "  return sum;\n"
    "}\n";

std::string edited(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("empty_todos: all of a stub") {
  CHECK(count_todos(stub) == 3);
  CHECK(empty_todos(stub, stub) == std::vector{2, 6, 7});
}

TEST_CASE("empty_todos: one under which something stands is not empty, nor one that is gone") {
  CHECK(empty_todos(edited(stub, "\n\n", "\n  start();\n"), stub) == std::vector{6, 7});
  CHECK(empty_todos(edited(stub, "  // TODO: Second.\n", ""), stub) == std::vector{2, 6});
  CHECK(empty_todos(edited(stub, "Third.\n", "Third.\n  ++sum;\n"), stub) == std::vector{2, 6});
}

TEST_CASE("empty_todos: what stands in the place of the next one does not fill it") {
  const std::string two = "// TODO: First.\n\n// TODO: Second.\n\nend();\n";
  CHECK(empty_todos(edited(two, "// TODO: Second.", "second();"), two) == std::vector{1});
  CHECK(empty_todos(edited(two, "First.\n\n// TODO: Second.", "First.\nfirst();"), two).empty());
}

TEST_CASE("empty_todos: one above which a line was changed is not empty") {
  CHECK(empty_todos(edited(stub, "sum = 0", "sum = 1"), stub) == std::vector{7});
}

TEST_CASE(
    "empty_todos: lines above may have moved it, and a comment of one's own does not fill it") {
  CHECK(empty_todos("#include <mine>\n" + stub, stub) == std::vector{3, 7, 8});
  CHECK(empty_todos(edited(stub, "Third.\n", "Third.\n  // later\n"), stub) ==
        std::vector{2, 6, 7});
}
