#include "driver/driver.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>

#include "driver/compile.hpp"
#include "driver/options.hpp"
#include "driver/plain.hpp"
#include "driver/process.hpp"

#ifndef SIMT_INCLUDE_FOLDER
#define SIMT_INCLUDE_FOLDER ""
#endif
#ifndef SIMT_CHECK_LIBRARY
#define SIMT_CHECK_LIBRARY ""
#endif
#ifndef SIMT_COUNT_LIBRARY
#define SIMT_COUNT_LIBRARY ""
#endif
#ifndef SIMT_TOOLKIT_FOLDER
#define SIMT_TOOLKIT_FOLDER ""
#endif
#ifndef SIMT_LIBRARY_FILES
#define SIMT_LIBRARY_FILES ""
#endif

namespace simt::rewrite {
namespace {

constexpr const char* kUsage =
    "cucc: CUDA C++ on the CPU\n"
    "usage: cucc [-O2] [-I...] [-D...] [-std=...] [-c] [-o OUT] [--check | --count]\n"
    "            [-G] [--strict-device] FILES...\n"
    "       cucc --launcher [--check | --count] [--strict-device] [-G] COMPILER ARGUMENTS...\n"
    "            run a compiler command, rewriting its .cu file\n"
    "--strict-device refuses what nvcc refuses of device code; --split-report tells how each\n"
    "kernel runs; -G compiles kernels for a debugger, line by line.\n"
    "Takes nvcc's options; those about GPUs have no effect. Also: -cuda writes the rewritten C++,\n"
    "-E the preprocessed source; -run runs the program; --dryrun shows the commands.\n"
    "SIMT_INCLUDE and SIMT_LIBRARY say where the runtime's headers and libraries are.\n";

std::string file_stem(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(0, dot);
}

void add_standard(CommandLine& line) {
  const bool named = std::ranges::any_of(
      line.compiler_flags, [](const std::string& flag) { return flag.starts_with("-std="); });
  if (!named) line.compiler_flags.emplace_back("-std=gnu++20");
}

/// What nvcc would do and a plain compiler does not: optimise for this machine.
void add_defaults(CommandLine& line) {
  add_standard(line);
  // Loops over threads are vectorised at -O3 only. Tuning for a model of processor is off: for
  // some, g++ takes multiply-adds apart.
  if (!line.optimises) line.compiler_flags.emplace_back("-O3");
  if (!line.targets_machine) {
    line.compiler_flags.emplace_back("-march=native");
    line.compiler_flags.emplace_back("-mtune=generic");
  }
  line.compiler_flags.emplace_back("-fno-math-errno");
  line.compiler_flags.emplace_back("-fno-trapping-math");
}

/// What -G asks for, whatever else is asked for: every line is there, in the order of the source.
void make_debuggable(CommandLine& line) {
  std::erase_if(line.compiler_flags, [](const std::string& flag) {
    return flag.starts_with("-O") || flag.starts_with("-g");
  });
  line.compiler_flags.insert(line.compiler_flags.end(), {"-O0", "-g"});
  line.optimises = true;
}

std::string default_output(const CommandLine& line, const std::string& input) {
  switch (line.stage) {
    case Stage::compile:
      return file_stem(input) + ".o";
    case Stage::assemble_text:
      return file_stem(input) + ".s";
    case Stage::rewrite:
      return file_stem(input) + ".cu.cpp.ii";
    default:
      return {};
  }
}

/// Where CMake and makefiles find the libraries of the toolkit.
std::string library_folder(const Installation& installation) {
  return installation.toolkit + "/lib64";
}

/// What `nvcc --dryrun` says of itself; CMake's CUDA language reads it.
void show_toolkit(const Installation& installation) {
  const char* path = std::getenv("PATH");
  std::cerr << "#$ PATH=" << (path == nullptr ? "" : path) << "\n#$ TOP=" << installation.toolkit
            << "\n#$ NVVMIR_LIBRARY_DIR=" << installation.toolkit
            << "/nvvm/libdevice\n#$ INCLUDES=-I" << installation.toolkit << "/include"
            << "\n#$ LIBRARIES=-L" << library_folder(installation)
            << "\n#$ ARCHITECTURE=-arch compute_90\n";
}

/// The link as CMake reads it: the libraries and their folder from a line of `ld`, for programs
/// that another language's compiler links, and what links from the last line.
void show_link(const Installation& installation, const std::string& output) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string options = " -L" + library_folder(installation) +
                              " -lcudadevrt -lcudart_static -lrt -lpthread -ldl -o " + output;
  std::cerr << " " << installation.toolkit << "/bin/ld" << options << "\n#$ "
            << (error ? "cucc" : program.string()) << options << '\n';
}

/// One runtime for all of a process: a shared library brings none of its own, and a program that is
/// linked with one uses the same as it.
bool shares_runtime(const CommandLine& line) {
  const auto is_shared = [](const std::string& word) {
    return word == "-shared" || word.ends_with(".so") || word.find(".so.") != std::string::npos;
  };
  return line.shared_runtime || std::ranges::any_of(line.inputs, is_shared) ||
         std::ranges::any_of(line.linker_flags, is_shared) ||
         std::ranges::any_of(line.compiler_flags, is_shared);
}

/// The runtime's libraries for this link.
std::vector<std::string> runtime_libraries(const CommandLine& line,
                                           const Installation& installation) {
  const bool shared = shares_runtime(line);
  if (line.mode != Mode::run) {
    if (shared)
      throw UsageError(
          "--check and --count need all of a program in one file: link it "
          "without shared libraries");
    std::vector<std::string> libraries = installation.libraries;
    libraries.insert(libraries.begin(), line.mode == Mode::check ? installation.check_library
                                                                 : installation.count_library);
    return libraries;
  }
  if (!shared || installation.toolkit.empty()) return installation.libraries;
  return {library_folder(installation) + "/libcudart.so"};
}

void add_runtime(const CommandLine& line, const Installation& installation,
                 std::vector<std::string>& command) {
  const std::vector<std::string> libraries = runtime_libraries(line, installation);
  if (!libraries.empty()) {
    command.emplace_back("-Wl,--start-group");
    command.insert(command.end(), libraries.begin(), libraries.end());
    command.emplace_back("-Wl,--end-group");
  }
  command.emplace_back("-pthread");
}

int link(const CommandLine& line, const Installation& installation,
         const std::vector<std::string>& objects) {
  const std::string output = line.output.empty() ? "a.out" : line.output;
  std::vector<std::string> command = {line.compiler};
  command.insert(command.end(), line.compiler_flags.begin(), line.compiler_flags.end());
  command.insert(command.end(), objects.begin(), objects.end());
  command.insert(command.end(), line.linker_flags.begin(), line.linker_flags.end());
  add_runtime(line, installation, command);
  command.insert(command.end(), {"-o", output});
  const int status = run_step(line, command);
  if (line.verbose || line.dry_run) show_link(installation, output);
  if (status != 0 || !line.runs_program) return status;
  return run_step(line, {output.find('/') == std::string::npos ? "./" + output : output});
}

int compile_one(const CommandLine& line, const Installation& installation, const std::string& input,
                const std::string& output) {
  if (is_cuda_source(line, input)) {
    return compile_cuda({line, installation, input, output, false});
  }
  return compile_plain(line, installation, input, output);
}

int compile_and_link(const CommandLine& line, const Installation& installation) {
  std::vector<std::unique_ptr<TemporaryFile>> temporaries;
  std::vector<std::string> objects;
  CommandLine compile = line;
  compile.stage = Stage::compile;
  if (!shares_runtime(line)) compile.preprocessor_flags.emplace_back("-D__SIMT_STATIC__");
  for (const std::string& input : line.inputs) {
    if (!is_cuda_source(line, input) && !is_plain_source(input)) {
      objects.push_back(input);
      continue;
    }
    temporaries.push_back(std::make_unique<TemporaryFile>(".o"));
    objects.push_back(temporaries.back()->path());
    const int status = compile_one(compile, installation, input, objects.back());
    if (status != 0) return status;
  }
  return link(line, installation, objects);
}

/// A host compiler's own command with the runtime added, and its CUDA sources compiled before.
int launch_link(const CommandLine& line, const Installation& installation,
                std::vector<std::string> command) {
  std::vector<std::unique_ptr<TemporaryFile>> temporaries;
  CommandLine compile = line;
  compile.stage = Stage::compile;
  for (const std::string& input : line.inputs) {
    if (!is_cuda_source(line, input)) continue;
    temporaries.push_back(std::make_unique<TemporaryFile>(".o"));
    const std::string& object = temporaries.back()->path();
    const int status = compile_one(compile, installation, input, object);
    if (status != 0) return status;
    std::ranges::replace(command, input, object);
  }
  if (!temporaries.empty()) {  // an object file is of no language
    const auto language = std::ranges::find(command, "-x");
    if (language != command.end()) command.erase(language, language + 2);
    std::erase(command, "-xc++");
  }
  add_runtime(line, installation, command);
  return run_process(command);
}

/// The device link step has nothing to link; makefiles expect its object file.
int link_device_code(const CommandLine& line) {
  const TemporaryFile empty(".cpp");
  return run_step(line, {line.compiler, "-c", empty.path(), "-o",
                         line.output.empty() ? "a_dlink.o" : line.output});
}

}  // namespace

Installation find_installation() {
  const char* include = std::getenv("SIMT_INCLUDE");
  const char* library = std::getenv("SIMT_LIBRARY");
  Installation installation;
  installation.include_folder = include != nullptr ? include : SIMT_INCLUDE_FOLDER;
  installation.check_library = SIMT_CHECK_LIBRARY;
  installation.count_library = SIMT_COUNT_LIBRARY;
  installation.toolkit = SIMT_TOOLKIT_FOLDER;
  std::stringstream files(library != nullptr ? library : SIMT_LIBRARY_FILES);
  for (std::string file; std::getline(files, file, ':');) {
    if (!file.empty()) installation.libraries.push_back(file);
  }
  return installation;
}

int drive(const std::vector<std::string>& arguments, const Installation& installation) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    (arguments.empty() ? std::cerr : std::cout) << kUsage;
    return arguments.empty() ? 1 : 0;
  }
  if (arguments[0] == "--version" || arguments[0] == "-V") {
    // The second line is what CMake knows nvcc by.
    std::cout << "cucc: CUDA C++ on the CPU, release 13.0, V13.0.0\n"
                 "takes the place of nvcc: NVIDIA (R) Cuda compiler driver\n";
    return 0;
  }
  CommandLine line = parse_nvcc(read_response_files(arguments));
  if (line.verbose || line.dry_run) show_toolkit(installation);
  if (line.links_device_code) return link_device_code(line);
  if (line.mode != Mode::run && line.compiler.find("clang") != std::string::npos) {
    throw UsageError("--check and --count need g++: clang leaves out some of the accesses");
  }
  if (line.inputs.empty()) throw UsageError("no input files");
  if (line.device_debug) make_debuggable(line);
  add_defaults(line);
  if (line.stage == Stage::link) return compile_and_link(line, installation);
  if (!line.output.empty() && line.inputs.size() > 1) {
    throw UsageError("-o names one file, but " + std::to_string(line.inputs.size()) +
                     " inputs are compiled");
  }
  for (const std::string& input : line.inputs) {
    const std::string output = line.output.empty() ? default_output(line, input) : line.output;
    const int status = compile_one(line, installation, input, output);
    if (status != 0) return status;
  }
  return 0;
}

int launch_compiler(std::vector<std::string> command, const Installation& installation) {
  Mode mode = Mode::run;
  bool strict = false, debug = false;
  while (!command.empty()) {  // our own options, in any order, before the compiler
    const std::string& word = command[0];
    if (word == "--check") {
      mode = Mode::check;
    } else if (word == "--count") {
      mode = Mode::count;
    } else if (word == "--strict-device") {
      strict = true;
    } else if (word == "-G") {
      debug = true;
    } else {
      break;
    }
    command.erase(command.begin());
  }
  CommandLine line = parse_compiler(command);
  line.mode = mode;
  line.strict_device = strict;
  line.device_debug = debug;
  if (debug) make_debuggable(line);
  add_standard(line);
  const bool use_ccache = on_path("ccache");
  const bool one_source = line.inputs.size() == 1 && is_cuda_source(line, line.inputs[0]);
  if (line.stage == Stage::link && !line.inputs.empty()) {
    return launch_link(line, installation, std::move(command));
  }
  if (!one_source || line.stage == Stage::link) {
    std::vector<std::string> plain = command;
    if (use_ccache && line.stage == Stage::compile) plain.insert(plain.begin(), "ccache");
    return run_process(plain);
  }
  const std::string output =
      line.output.empty() ? default_output(line, line.inputs[0]) : line.output;
  return compile_cuda({line, installation, line.inputs[0], output, use_ccache});
}

}  // namespace simt::rewrite
