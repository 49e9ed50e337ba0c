#pragma once

#include <map>
#include <string>
#include <vector>

namespace tut {

/// Settings of the environment that change what is measured, in words; "" if there are none: TF32
/// forced on or off, cuBLAS emulating FP32 or FP64, launches that block.
std::string unfair_setting();

/// The facts that a result needs to mean something: device, its clocks, driver, toolkit, compiler,
/// host processor. Keys are those of the JSON results.
std::map<std::string, std::string> device_facts();

/// The arguments of a benchmark program, with the project's defaults before them: repetitions,
/// interleaved at random, and medians. The least time of a row may be given as `0.5` or `0.5s`,
/// whichever the installed Google Benchmark takes.
std::vector<std::string> with_default_arguments(int argc, char** argv);

}  // namespace tut
