#include "learn/core/test_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <random>
#include <string>

#include "learn/core/error.hpp"

namespace tut::learn {
namespace {

/// A number that nobody can guess, in hexadecimal digits.
std::string make_nonce() {
  std::random_device device;
  std::string nonce;
  for (int i = 0; i < 4; ++i) nonce += fmt::format("{:08x}", device());
  return nonce;
}

/// A pipe whose writing end the next program that is started has.
class VerdictChannel {
 public:
  VerdictChannel() {
    // What is read never waits: others may have the writing end when the program has ended.
    if (pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0 || fcntl(ends_[1], F_SETFD, 0) != 0) {
      throw UsageError("cannot make a pipe");
    }
  }
  VerdictChannel(const VerdictChannel&) = delete;
  VerdictChannel& operator=(const VerdictChannel&) = delete;
  ~VerdictChannel() {
    close(ends_[0]);
    close(ends_[1]);
  }

  int descriptor() const { return ends_[1]; }

  std::string contents() const {
    char buffer[4096];
    std::string text;
    while (true) {
      const ssize_t count = read(ends_[0], buffer, sizeof(buffer));
      if (count <= 0) return text;
      text.append(buffer, static_cast<std::size_t>(count));
    }
  }

 private:
  int ends_[2];
};

}  // namespace

TestRun run_test_program(Command command, const CaptureLimits& limits) {
  const VerdictChannel channel;
  const std::string nonce = make_nonce();
  command.environment.emplace_back(kVerdictVariable,
                                   fmt::format("{}:{}", channel.descriptor(), nonce));
  TestRun run{run_captured(command, limits), {}, {}};
  const std::string text = channel.contents();
  run.told = read_verdict(text, nonce);
  run.last_case = last_case(text, nonce);
  return run;
}

}  // namespace tut::learn
