#include "07_register_tiling/tune_options.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace tut::ch07 {
namespace {

TuneOptions parse(const std::vector<const char*>& arguments) {
  return parse_tune_options(arguments, 512);
}

}  // namespace

TEST_CASE("the tuner's options") {
  CHECK(parse({}).size == 512);
  CHECK_FALSE(parse({}).json.has_value());
  CHECK(parse({"--size", "8192"}).size == 8192);
  CHECK(parse({"--json", "x.json", "--size", "256"}).json.value() == "x.json");
  CHECK(parse({"--help"}).help);
}

TEST_CASE("the tuner refuses what it does not know, and names it") {
  CHECK_THROWS_WITH_AS(parse({"--frob"}),
                       "unknown argument '--frob'; expected --size N, --json FILE or --help",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(parse({"--size"}), "--size needs a value", std::invalid_argument);
  for (const char* size : {"0", "-256", "100", "256x", "", "1000000", "99999999999"}) {
    CHECK_THROWS_AS(parse({"--size", size}), std::invalid_argument);
  }
}

}  // namespace tut::ch07
