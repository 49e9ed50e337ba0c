// make_stubs [--check] [--force] [--only EXERCISE]... [ROOT]: makes exercises/** from solutions/**,
// for the course's maintainers.
//
// It writes every stub that is missing, or that a committed solution made and the present one would
// make otherwise. A file that somebody has edited is left alone and named, and the exit code is 1,
// unless --force says to overwrite it. With --check it writes nothing, names each stale, missing or
// orphaned stub, and exits 1 if there is one. --only leaves out all other exercises.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "learn/stubs/stub_tree.hpp"

namespace {

using tut::learn::Stub;

constexpr const char* kUsage = "usage: make_stubs [--check] [--force] [--only EXERCISE]... [ROOT]";

struct Options {
  bool check = false, force = false;
  std::vector<std::string> only;
  std::string root = ".";
  std::string mistake;
};

Options parse(int argc, char** argv) {
  Options options;
  bool has_root = false;
  for (int i = 1; i < argc && options.mistake.empty(); ++i) {
    const std::string argument = argv[i];
    if (argument == "--check") {
      options.check = true;
    } else if (argument == "--force") {
      options.force = true;
    } else if (argument == "--only") {
      if (i + 1 < argc) {
        options.only.emplace_back(argv[++i]);
      } else {
        options.mistake = "--only without the name of an exercise";
      }
    } else if (argument.starts_with("-")) {
      options.mistake = "unknown option " + argument;
    } else if (has_root) {
      options.mistake = "a second folder, " + argument;
    } else {
      options.root = argument;
      has_root = true;
    }
  }
  if (options.check && options.force) options.mistake = "--check writes nothing, --force or not";
  return options;
}

std::vector<Stub> chosen(const std::vector<Stub>& stubs, const std::vector<std::string>& only) {
  if (only.empty()) return stubs;
  std::vector<Stub> result;
  for (const std::string& name : only) {
    const auto named = [&](const Stub& stub) { return stub.file.stem() == name; };
    if (std::ranges::none_of(stubs, named)) {
      throw std::runtime_error("make_stubs: no exercise " + name + " under solutions");
    }
    std::ranges::copy_if(stubs, std::back_inserter(result), named);
  }
  return result;
}

int report(const std::vector<Stub>& stubs, const std::vector<Stub>& left, bool check) {
  int bad = 0;
  for (const Stub& stub : stubs) {
    if (stub.state == Stub::State::current) continue;
    const bool is_left =
        std::ranges::any_of(left, [&](const Stub& l) { return l.file == stub.file; });
    if (check || stub.state == Stub::State::orphan) {
      std::fprintf(stderr, "%s\n", tut::learn::complaint(stub).c_str());
      ++bad;
    } else if (is_left) {
      std::fprintf(stderr,
                   "%s: edited: it is not what a committed solution makes of it, and was left as "
                   "it is; --force overwrites it\n",
                   stub.file.c_str());
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
  try {
    const Options options = parse(argc, argv);
    if (!options.mistake.empty()) {
      std::fprintf(stderr, "make_stubs: %s; %s\n", options.mistake.c_str(), kUsage);
      return 2;
    }
    const auto stubs = chosen(tut::learn::find_stubs(options.root, options.only), options.only);
    std::vector<Stub> left;
    if (!options.check) left = tut::learn::write_stubs(options.root, stubs, options.force);
    return report(stubs, left, options.check);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
