#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "learn/commands/commands.hpp"
#include "learn/core/assignment.hpp"
#include "learn/core/error.hpp"
#include "learn/core/status_line.hpp"

namespace tut::learn {

int classroom_command(const Context& context, const std::string& command,
                      const std::vector<std::string>& arguments) {
  if (!assigned_chapters(context.root).empty()) {
    throw UsageError(fmt::format(
        "this copy came with an assignment and has no solutions of it, so that it cannot be used "
        "for '{}'; do that in the course that it was made from",
        command));
  }
  std::filesystem::path program;
  {
    const BuildTree tree = context.tree();
    const std::string what = "what ./learn " + command + " needs";
    StatusLine status;
    program = tree.require_program("learn_classroom", what,
                                   tree.is_built({"learn_classroom"})
                                       ? nullptr
                                       : status.long_build_bar(what, "once; about a minute"));
  }
  std::vector<std::string> words = {program.string(), command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  execv(argv[0], argv.data());
  throw UsageError(fmt::format("cannot run {}: {}", program.string(), std::strerror(errno)));
}

}  // namespace tut::learn
