#include <fmt/format.h>

#include "learn/commands/commands.hpp"
#include "learn/core/error.hpp"
#include "learn/core/process.hpp"
#include "learn/core/status_line.hpp"

namespace tut::learn {

int author_command(const Context& context, const std::vector<std::string>& arguments) {
  const auto python = find_program("python3");
  if (!python) throw UsageError("author needs Python 3.11 or newer; install python3");
  StatusLine status;
  const BuildTree tree = context.tree();
  const auto make_stubs = tree.require_program(
      "make_stubs", "what makes stubs",
      tree.is_built({"make_stubs"}) ? nullptr : status.build_bar("make_stubs"));
  status.clear();
  Command command{{python->string(), (context.root / "docs/tools/author.py").string(), "--build",
                   context.build_folder.string(), "--make-stubs", make_stubs.string()},
                  {},
                  {{"LEARN_ROOT", context.root.string()}}};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  return shell_exit_code(run_attached(command));
}

}  // namespace tut::learn
