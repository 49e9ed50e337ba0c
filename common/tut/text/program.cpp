#include "tut/text/program.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

namespace tut {

bool flush_output(const std::string& prefix) {
  errno = 0;
  // An earlier write may have failed, too; why is then forgotten.
  const bool ok = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (ok) return true;
  std::fprintf(stderr, "%s: cannot write the output: %s\n", prefix.c_str(),
               errno != 0 ? std::strerror(errno) : "an earlier write failed");
  return false;
}

int run_without_arguments(const std::string& program, int argc, char** argv,
                          const std::function<void()>& body) {
  if (argc > 1) {
    std::fprintf(stderr, "%s: unexpected argument '%s': it takes none\n", program.c_str(), argv[1]);
    return 2;
  }
  try {
    body();
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
    return 1;
  }
  return flush_output(program) ? 0 : 1;
}

}  // namespace tut
