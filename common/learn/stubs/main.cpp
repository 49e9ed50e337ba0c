// make_stubs [--check] [ROOT]: makes exercises/** from solutions/**, for the course's maintainers.
//
// It writes every stub that is stale or missing, whatever a learner has written there. With
// --check it writes nothing, names each stale, missing or orphaned stub, and exits 1 if there is
// one.

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "learn/stubs/stub_tree.hpp"

namespace {

int report(const std::vector<tut::learn::Stub>& stubs, bool check) {
  using State = tut::learn::Stub::State;
  int bad = 0;
  for (const tut::learn::Stub& stub : stubs) {
    if (stub.state == State::current) continue;
    if (check || stub.state == State::orphan) {
      std::fprintf(stderr, "%s\n", tut::learn::complaint(stub).c_str());
      ++bad;
    } else {
      std::printf("wrote %s\n", stub.file.c_str());
    }
  }
  if (bad > 0 && check) {
    std::fprintf(stderr,
                 "%d of %zu stubs are not what their solutions make of them; run make_stubs\n", bad,
                 stubs.size());
  }
  return bad > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool check = false;
  std::string root = ".";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--check") {
      check = true;
    } else if (argument.starts_with("-")) {
      std::fprintf(stderr, "make_stubs: unknown option %s; usage: make_stubs [--check] [ROOT]\n",
                   argv[i]);
      return 2;
    } else {
      root = argument;
    }
  }
  try {
    const auto stubs = tut::learn::find_stubs(root);
    if (!check) tut::learn::write_stubs(root, stubs);
    return report(stubs, check);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
