// Linked into every program of the chapters: one whose output could not be written does not end as
// if it had been.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

void check_output() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0) return;
  std::fprintf(stderr, "error: not all output could be written%s%s\n", errno != 0 ? ": " : "",
               errno != 0 ? std::strerror(errno) : "");
  _exit(1);
}

[[maybe_unused]] const int registered = std::atexit(check_output);

}  // namespace
