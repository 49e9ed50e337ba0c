#include "learn/commands/commands.hpp"
#include "learn/core/cuda_compiler.hpp"
#include "learn/core/process.hpp"

namespace tut::learn {

int cucc_command(const Context& context, const std::vector<std::string>& arguments) {
  Command command{build_cucc(context), {}, {}};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  return shell_exit_code(run_attached(command));
}

}  // namespace tut::learn
