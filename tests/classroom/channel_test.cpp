#include "learn/classroom/channel.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <string>

#include "tut/testing/verdict.hpp"

using namespace tut::learn;

namespace {

/// What a program at the other end says once it has read both lines.
std::string told(const VerdictSocket& socket, const std::string& text) {
  char lines[256];
  const std::string expected = socket.nonce_of_cases() + "\n" + socket.nonce() + "\n";
  const ssize_t count = read(socket.descriptor(), lines, sizeof(lines));
  CHECK(std::string(lines, count > 0 ? static_cast<std::size_t>(count) : 0) == expected);
  REQUIRE(write(socket.descriptor(), text.data(), text.size()) ==
          static_cast<ssize_t>(text.size()));
  return socket.contents();
}

}  // namespace

TEST_CASE("a verdict counts with the nonce that nobody reads before the tests are over") {
  const VerdictSocket right, early;
  CHECK(right.nonce() != right.nonce_of_cases());
  CHECK(right.nonce() != early.nonce());
  const std::string begins = " begins one\n", verdict = " 1 0 0 0\n";
  const std::string all = told(right, right.nonce_of_cases() + begins + right.nonce() + verdict);
  CHECK(tut::read_verdict(all, right.nonce(), right.nonce_of_cases()));
  CHECK(tut::last_case(all, right.nonce_of_cases()) == "one");
  // What the program has in memory while it tests is no good for a verdict.
  const std::string forged =
      told(early, early.nonce_of_cases() + begins + early.nonce_of_cases() + verdict);
  CHECK_FALSE(tut::read_verdict(forged, early.nonce(), early.nonce_of_cases()));
  CHECK(tut::last_case(forged, early.nonce_of_cases()) == "one");
}
