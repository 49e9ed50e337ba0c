// Trains a network to read digits: see --help.

#include <cstdio>
#include <exception>
#include <string_view>

#include "16_cnn_trainer/trainer/command_line.hpp"
#include "16_cnn_trainer/trainer/experiment/experiment.hpp"
#include "16_cnn_trainer/trainer/experiment/single_run.hpp"
#include "16_cnn_trainer/trainer/own_kernels/own_kernels.hpp"
#include "tut/text/program.hpp"

using namespace tut::ch16;

int main(int argc, char** argv) {
  // How the program tries one of the learner's kernels in a process of its own: see try_kernel.
  if (argc == 3 && argv[1] == std::string_view("--try-kernel") && !own_kernels().empty()) {
    answer_trial(own_kernels(), argv[2]);
  }
  try {
    const CommandLine line = parse_command_line({argv + 1, argv + argc});
    if (line.own_kernels && own_kernels().empty()) {
      throw UsageError(
          "--kernels mine is for the program that has your kernels, ch16_mine; './learn run 16 -- "
          "--kernels mine' builds and runs it");
    }
    if (line.help) {
      std::fputs(help_text().c_str(), stdout);
    } else {
      line.is_experiment() ? run_experiment(line) : train_once(line);
    }
    return tut::flush_output("error") ? 0 : 1;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
