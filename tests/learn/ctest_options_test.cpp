#include "learn/core/ctest_options.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace tut::learn;

namespace {

constexpr const char* help =
    "ctest - Testing driver provided by CMake.\n"
    "Options\n"
    "  -C <cfg>, --build-config <cfg>\n"
    "                               = Choose configuration to test.\n"
    "  -V,--verbose                 = Enable verbose output from tests.\n"
    "  -j <jobs>, --parallel <jobs> = Run the tests in parallel --frob.\n"
    "  -N,--show-only[=format]      = Disable actual execution of tests.\n"
    "  -R <regex>, --tests-regex <regex>\n"
    "  -E <regex>, --exclude-regex <regex>\n"
    "  --repeat until-fail:<n>, --repeat-until-fail <n>\n"
    "  --no-tests=<[error|ignore]>  = Regard no tests found either as 'error' or\n"
    "  --output-on-failure          = Output anything outputted by the test\n";

std::string mistake(const std::vector<std::string>& arguments) {
  return ctest_mistake(help, arguments).value_or("");
}

}  // namespace

TEST_CASE("what CTest knows goes through") {
  CHECK(mistake({}).empty());
  CHECK(mistake({"-R", "learn", "-E", "-slow", "-j2", "-V", "--verbose", "-C", "x"}).empty());
  CHECK(mistake({"-j", "4", "--show-only=json-v1", "--no-tests=ignore", "-Dname=1"}).empty());
  CHECK(mistake({"--repeat", "until-fail:3", "--tests-regex", "a"}).empty());
}

TEST_CASE("what CTest would ignore is a mistake") {
  CHECK(mistake({"--frob"}).starts_with("ctest has no option '--frob'"));
  CHECK(mistake({"-R", "a", "--verbos"}) ==
        "ctest has no option '--verbos'; did you mean --verbose?");
  CHECK(mistake({"-jx"}).starts_with("ctest has no option '-jx'"));
  CHECK(mistake({"--show"}).starts_with("ctest has no option '--show'"));
  CHECK(mistake({"total"}) ==
        "ctest takes no argument 'total'; '-R total' runs the tests whose names contain it");
  CHECK(mistake({"-R", "a", "b"}).starts_with("ctest takes no argument 'b'"));
}

TEST_CASE("help without options refuses nothing") {
  CHECK_FALSE(ctest_mistake("ctest --help\n", std::vector<std::string>{"--frob"}).has_value());
}
