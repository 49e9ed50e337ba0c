#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "learn/commands/commands.hpp"
#include "learn/core/cuda_compiler.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/gpu.hpp"
#include "learn/core/kernel_files.hpp"
#include "learn/core/machine_code.hpp"
#include "learn/core/manifest.hpp"
#include "learn/core/own_file.hpp"
#include "learn/core/process.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

/// What is looked at.
struct Subject {
  fs::path file;
  std::string kernel;  ///< empty: all of the file
  bool is_exercise = false;
};

/// The CUDA toolkit's programs; empty paths for what there is not.
struct Toolkit {
  std::string nvcc;
  std::string nvdisasm;
};

Subject find_subject(const Context& context, const std::string& what) {
  const Course course = load_course(context.root);
  if (const Exercise* exercise = find_exercise(course, what)) {
    const fs::path file = context.root / exercise->file;
    if (!fs::exists(file)) throw UsageError(exercise->missing_text());
    if (file.extension() != ".cu") {
      throw UsageError(fmt::format("{} has no kernel: it is C++ for the CPU", exercise->name));
    }
    return {file, "", true};
  }
  if (fs::path(what).extension() == ".cu") {
    require_source(what);
    return {fs::absolute(what), "", false};
  }
  const KernelFile found = pick_kernel(find_kernels(context.root), what);
  return {context.root / found.file, found.kernel, *found.file.begin() == "exercises"};
}

Toolkit find_toolkit() {
  Toolkit toolkit;
  toolkit.nvcc = find_nvcc().string();
  if (toolkit.nvcc.empty()) return toolkit;
  const fs::path beside = fs::path(toolkit.nvcc).parent_path() / "nvdisasm";
  if (fs::exists(beside)) {
    toolkit.nvdisasm = beside.string();
  } else if (const auto found = find_program("nvdisasm")) {
    toolkit.nvdisasm = found->string();
  }
  return toolkit;
}

/// Where a compiler's output goes.
fs::path scratch_file(const Context& context, const Subject& subject, const char* extension) {
  require_writable_folder(context.build_folder);
  const fs::path folder = context.build_folder / "asm";
  fs::create_directories(folder);
  require_writable_folder(folder);
  return folder / (subject.file.stem().string() + extension);
}

std::string run_compiler(const Command& command, const fs::path& file) {
  const Outcome outcome = run_captured(command, {.bytes = std::size_t{64} << 20});
  if (!outcome.ok()) {
    throw UsageError(fmt::format("{} does not compile:\n{}", file.string(), outcome.output));
  }
  return outcome.output;
}

/// nvcc's output for the file: `stage` is -ptx or -cubin. Returns what it says.
std::string compile_for_gpu(const Context& context, const Toolkit& toolkit, const Subject& subject,
                            const char* stage, const fs::path& output) {
  Command command{nvcc_command(context, toolkit.nvcc), {}, {}};
  for (const char* flag : {stage, "-O3", "-lineinfo", "-Xptxas=-v"}) {
    command.argv.emplace_back(flag);
  }
  for (const std::string& word : {subject.file.string(), std::string("-o"), output.string()}) {
    command.argv.push_back(word);
  }
  return run_compiler(command, subject.file);
}

bool is_chosen(const Subject& subject, const std::string& kernel) {
  return subject.kernel.empty() || kernel.substr(0, kernel.find('<')) == subject.kernel;
}

/// Those of the kernel that was asked for.
std::vector<KernelCode> chosen(const Subject& subject, std::vector<KernelCode> all) {
  std::erase_if(all, [&](const KernelCode& code) { return !is_chosen(subject, code.kernel); });
  if (all.empty()) {
    throw UsageError(fmt::format("no code of {} in {}: is it a template that nothing launches?",
                                 subject.kernel.empty() ? "any kernel" : subject.kernel,
                                 subject.file.string()));
  }
  return all;
}

void show(const Context& context, const Subject& subject, const std::vector<KernelCode>& kernels,
          const char* language) {
  const std::string source = read_file(subject.file).value_or("");
  for (const KernelCode& code : kernels) {
    fmt::print("\n{}\n{}", context.style.bold(fmt::format("{}: {}", code.kernel, language)),
               listing(code, subject.file, source));
  }
}

void show_table(const Context& context, const std::vector<KernelCode>& kernels,
                const std::vector<KernelResources>& resources, const char* language) {
  for (const KernelCode& code : kernels) {
    fmt::print("{}  {}, for {}\n", context.style.bold(code.kernel), language, gpu_architecture());
    const auto found = std::ranges::find(resources, code.symbol, &KernelResources::symbol);
    if (found != resources.end()) {
      fmt::print("  {:<22} {}\n  {:<22} {} bytes\n  {:<22} {} bytes\n", "registers a thread",
                 found->registers, "spilled", found->spill_bytes, "static shared memory",
                 found->shared_bytes);
    }
    for (const std::string& line : instruction_table(code)) fmt::print("  {}\n", line);
  }
}

int show_gpu_code(const Context& context, const Toolkit& toolkit, const Subject& subject,
                  AsmLanguage language) {
  const bool sass = language != AsmLanguage::ptx && !toolkit.nvdisasm.empty();
  if (language == AsmLanguage::sass && !sass) {
    throw UsageError(
        fmt::format("no nvdisasm beside {} or on PATH, which shows SASS; --ptx does "
                    "without",
                    toolkit.nvcc));
  }
  const fs::path cubin = scratch_file(context, subject, ".cubin");
  const auto resources =
      parse_resources(compile_for_gpu(context, toolkit, subject, "-cubin", cubin));
  std::vector<KernelCode> machine, ptx;
  if (sass) {
    const std::string text =
        run_compiler({{toolkit.nvdisasm, "-g", "-c", cubin.string()}, {}, {}}, subject.file);
    machine = chosen(subject, parse_sass(text, subject.file));
  }
  if (language != AsmLanguage::sass) {
    const fs::path output = scratch_file(context, subject, ".ptx");
    compile_for_gpu(context, toolkit, subject, "-ptx", output);
    ptx = chosen(subject, parse_ptx(read_file(output).value_or(""), subject.file));
  }
  show_table(context, sass ? machine : ptx, resources, sass ? "SASS" : "PTX");
  if (language == AsmLanguage::any && !sass) {
    fmt::print("No nvdisasm beside {} or on PATH: PTX only.\n", toolkit.nvcc);
  }
  if (!ptx.empty()) show(context, subject, ptx, "PTX");
  if (!machine.empty()) show(context, subject, machine, "SASS");
  return exit_ok;
}

int show_cpu_code(const Context& context, const Subject& subject, const char* why) {
  const fs::path output = scratch_file(context, subject, ".s");
  Command command{build_cucc(context), {}, {}};
  // Compiled as exercises are: the threads of a block run one after the other up to each barrier.
  if (subject.is_exercise) command.environment.emplace_back("CUCC_SPLIT", "off");
  for (const char* flag : {"-S", "-O2", "-g1"}) command.argv.emplace_back(flag);
  for (const std::string& flag : course_flags(context)) command.argv.push_back(flag);
  for (const std::string& word : {subject.file.string(), std::string("-o"), output.string()}) {
    command.argv.push_back(word);
  }
  run_compiler(command, subject.file);
  const auto kernels =
      chosen(subject, parse_cpu_assembly(read_file(output).value_or(""), subject.file));
  fmt::print("{}This is x86 code of the CPU backend; it says nothing about a GPU.\n", why);
  show(context, subject, kernels, "x86, of the CPU backend");
  return exit_ok;
}

}  // namespace

int asm_command(const Context& context, const AsmOptions& options) {
  const Subject subject = find_subject(context, options.what);
  const Toolkit toolkit = find_toolkit();
  if (options.language == AsmLanguage::cpu) return show_cpu_code(context, subject, "");
  if (!toolkit.nvcc.empty()) return show_gpu_code(context, toolkit, subject, options.language);
  if (options.language == AsmLanguage::any) {
    return show_cpu_code(context, subject, "No CUDA toolkit (nvcc) here. ");
  }
  throw UsageError("no CUDA toolkit (nvcc) here, which makes PTX and SASS; --cpu does without");
}

}  // namespace tut::learn
