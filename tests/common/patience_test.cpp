#include "tut/text/patience.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

namespace {

// A shell that runs a script; what is left of it at the end is killed, with all that it started.
class Shell {
 public:
  explicit Shell(const std::string& script) : process_(fork()) {
    if (process_ != 0) return;
    setpgid(0, 0);
    execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    _exit(127);
  }
  ~Shell() {
    if (ended_) return;
    kill(-process_, SIGKILL);
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  pid_t process() const { return process_; }
  bool has_ended() { return ended_ = ended_ || waitpid(process_, nullptr, WNOHANG) == process_; }

 private:
  pid_t process_;
  bool ended_ = false;
};

// Whether the script comes to its end before patience does.
bool ends(const std::string& script, double seconds) {
  Shell shell(script);
  tut::Patience patience(shell.process(), seconds);
  while (!shell.has_ended()) {
    if (patience.is_over()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

const std::string work = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; ";

}  // namespace

TEST_CASE("patience ends with a program that never ends, in its own work or in what it started") {
  CHECK_FALSE(ends("while :; do :; done", 0.5));
  CHECK_FALSE(ends("sh -c 'while :; do :; done'; echo", 0.5));
  CHECK_FALSE(ends("(sleep 1000; :)", 0.5));
}

TEST_CASE(
    "patience goes on for longer than its seconds by the clock, with little work and pauses") {
  std::string script;
  for (int i = 0; i < 8; ++i) script += work + "sleep 0.5; ";
  CHECK(ends(script, 3));
  CHECK(ends("(" + script + "); echo", 3));
}

TEST_CASE("processor time is counted from when patience begins") {
  Shell shell(work + work + work + work + "kill -STOP $$");
  int status = 0;
  while (waitpid(shell.process(), &status, WUNTRACED) < 0) {
  }
  REQUIRE(WIFSTOPPED(status));
  const double used = tut::processor_seconds(shell.process());
  CHECK(used > 0);
  CHECK(tut::processor_seconds(getpid()) >= used);
  CHECK_FALSE(tut::Patience(shell.process(), used).is_over());
  CHECK(tut::processor_seconds(0x3FFFFFFF) == 0);
}

TEST_CASE("a process that ends while it is looked at has no part in it") {
  const Shell first("while :; do (:); done"), second("while :; do (:); done");
  const pid_t own = getpid();
  for (int i = 0; i < 200; ++i) CHECK_NOTHROW(tut::processor_seconds(own));
}
