#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "learn/commands/check_report.hpp"
#include "learn/commands/commands.hpp"
#include "learn/core/error.hpp"
#include "learn/core/file_watch.hpp"
#include "learn/core/review.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) { interrupted = 1; }

/// Keys come one by one, without Enter, while this lives; does nothing off a terminal.
class KeyInput {
 public:
  KeyInput() : active_(isatty(STDIN_FILENO) != 0 && tcgetattr(STDIN_FILENO, &saved_) == 0) {
    if (!active_) return;
    termios keys = saved_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
  ~KeyInput() {
    if (active_) tcsetattr(STDIN_FILENO, TCSANOW, &saved_);
  }
  KeyInput(const KeyInput&) = delete;
  KeyInput& operator=(const KeyInput&) = delete;

  int fd() const { return active_ ? STDIN_FILENO : -1; }

  char read_key() {
    char key = 0;
    if (read(STDIN_FILENO, &key, 1) <= 0) active_ = false;
    return key;
  }

 private:
  termios saved_{};
  bool active_;
};

enum class Next { check, advance, quit };

std::string keys_text(const KeyInput& keys, bool passed) {
  if (keys.fd() < 0) return "";
  return passed ? ", n for the next exercise, q to quit" : ", h for a hint, q to quit";
}

Next wait_for_work(const Context& context, const Exercise& exercise, FileWatch& watch,
                   KeyInput& keys, bool passed) {
  const std::string line = fmt::format("watching {}: save it to check again{}; Ctrl-C stops",
                                       exercise.file.string(), keys_text(keys, passed));
  fmt::print("{}", wrap(context.style.dim(line), terminal_width()));
  std::fflush(stdout);
  while (interrupted == 0) {
    switch (watch.wait(-1, keys.fd())) {
      case FileWatch::Event::changed:
        return Next::check;
      case FileWatch::Event::input: {
        const char key = keys.read_key();
        if (key == 'q') return Next::quit;
        if (key == 'n' && passed) return Next::advance;
        if (key == 'h') hint_command(context, exercise.name);
        std::fflush(stdout);
        break;
      }
      case FileWatch::Event::timed_out:
      case FileWatch::Event::interrupted:
        break;
    }
  }
  return Next::quit;
}

bool polls() { return std::getenv("LEARN_POLL") != nullptr; }

/// Checks one exercise until it has passed and the learner goes on, or stops; true in the first
/// case. Where no key can be pressed a pass goes on by itself.
/// @param first check at once, without waiting for a change
bool watch_exercise(const Context& context, const Exercise& exercise, KeyInput& keys, bool first) {
  const Standing before = load_standing(context);
  FileWatch watch(context.root / exercise.file, polls());
  for (bool passed = false; interrupted == 0; first = false) {
    const Next next = first ? Next::check : wait_for_work(context, exercise, watch, keys, passed);
    if (next != Next::check) return next == Next::advance;
    if (context.interactive) fmt::print("\x1b[2J\x1b[H");
    passed = check_and_report(context, exercise).verdict == Verdict::passed;
    if (!passed) continue;
    fmt::print("{}", part_done_text(context, before, load_standing(context)));
    if (keys.fd() < 0) return true;
    fmt::print("{}", next_line(context, load_standing(context), exercise.name));
  }
  return false;
}

}  // namespace

int watch_command(const Context& context, const std::string& name) {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
  KeyInput keys;
  Standing standing = load_standing(context);
  std::string current = standing.pick(name).name;
  for (bool first = true;; first = false) {
    if (!watch_exercise(context, standing.pick(current), keys, first)) return exit_ok;
    standing = load_standing(context);
    if (keys.fd() < 0) fmt::print("{}", next_line(context, standing, current));
    const Exercise* next = standing.next_after(current);
    if (next == nullptr || (!name.empty() && keys.fd() < 0)) return exit_ok;
    current = next->name;
  }
}

}  // namespace tut::learn
