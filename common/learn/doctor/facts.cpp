#include "learn/doctor/facts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "learn/core/files.hpp"
#include "learn/core/mnist.hpp"
#include "learn/core/process.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

std::string printed_by(std::vector<std::string> argv) {
  const Outcome outcome = run_captured({std::move(argv), {}, {}}, {.seconds = 20});
  return outcome.ok() ? outcome.output : "";
}

Tool inspect_tool(const std::string& program, const std::string& version_flag) {
  Tool tool;
  const fs::path path =
      program.starts_with('/') ? fs::path(program) : find_program(program).value_or("");
  if (path.empty() || !fs::exists(path)) return tool;
  tool.path = path.string();
  tool.version = find_version(printed_by({tool.path, version_flag})).value_or(Version{});
  return tool;
}

/// nvcc's own version stands in "release 13.0"; the lines before it have years.
Tool inspect_nvcc() {
  Tool tool;
  const fs::path path = find_nvcc();
  if (path.empty()) return tool;
  tool.path = path.string();
  const std::string text = printed_by({tool.path, "--version"});
  const std::size_t release = text.find("release ");
  if (release != text.npos) {
    tool.version = find_version(std::string_view(text).substr(release)).value_or(Version{});
  }
  return tool;
}

/// Compiles an empty program: only this shows whether the toolkit works with the host compiler.
std::string try_nvcc(const std::string& nvcc) {
  const fs::path folder = fs::temp_directory_path();
  const std::string source = (folder / fmt::format("learn-doctor-{}.cu", getpid())).string();
  const std::string object = source + ".o";
  std::ofstream(source) << "#include <string>\n__global__ void k() {}\nint main() {}\n";
  const Outcome outcome =
      run_captured({{nvcc, "-std=c++20", "-c", source, "-o", object}, {}, {}}, {.seconds = 120});
  std::error_code ignored;
  fs::remove(source, ignored);
  fs::remove(object, ignored);
  if (outcome.ok()) return "";
  for (const std::string& line : split_lines(outcome.output)) {
    if (line.find("error") != line.npos) return line;
  }
  return "nvcc cannot compile an empty program";
}

std::optional<Version> newest_cuda_of_driver() {
  if (!find_program("nvidia-smi")) return std::nullopt;
  const std::string text = printed_by({"nvidia-smi"});
  const std::size_t start = text.find("CUDA Version:");
  return start == text.npos ? std::nullopt : find_version(std::string_view(text).substr(start));
}

std::optional<bool> counters_for_all() {
  const auto parameters = read_file("/proc/driver/nvidia/params");
  if (!parameters) return std::nullopt;
  return field_value(*parameters, "RmProfilingAdminOnly", ':') == "0";
}

}  // namespace

std::optional<Version> find_version(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts_number =
        text[i] >= '0' && text[i] <= '9' &&
        (i == 0 || !((text[i - 1] >= '0' && text[i - 1] <= '9') || text[i - 1] == '.'));
    Version version;
    if (!starts_number) continue;
    const std::string rest(text.substr(i, 24));
    if (std::sscanf(rest.c_str(), "%d.%d", &version.major, &version.minor) == 2) return version;
  }
  return std::nullopt;
}

std::string to_string(Version version) {
  return fmt::format("{}.{}", version.major, version.minor);
}

DoctorFacts gather_facts(const Context& context) {
  const BuildTree tree = context.tree();
  const auto tool_name = [&](const char* variable, const char* fallback) {
    const std::string recorded = tree.cache_variable(variable);
    return recorded.empty() ? std::string(fallback) : recorded;
  };
  DoctorFacts facts;
  facts.machine = inspect_machine(context.root);
  facts.backend = context.backend;
  facts.compiler = inspect_tool(tool_name("CMAKE_CXX_COMPILER", "g++"), "-dumpfullversion");
  facts.cmake = inspect_tool(tool_name("CMAKE_COMMAND", "cmake"), "--version");
  facts.ninja = inspect_tool(tool_name("CMAKE_MAKE_PROGRAM", "ninja"), "--version");
  facts.nvcc = inspect_nvcc();
  facts.nvcc_on_path = find_program("nvcc").has_value();
  if (facts.nvcc.found()) facts.nvcc_complaint = try_nvcc(facts.nvcc.path);
  facts.gpu_device = gpu_device_visible();
  facts.gpus = query_gpus();
  facts.driver_cuda = newest_cuda_of_driver();
  facts.counters_for_all = counters_for_all();
  if (const char* value = std::getenv("NVIDIA_TF32_OVERRIDE")) facts.tf32_override = value;
  facts.mnist_folder = mnist_folder(context.root);
  facts.mnist = mnist_present(facts.mnist_folder);
  return facts;
}

}  // namespace tut::learn
