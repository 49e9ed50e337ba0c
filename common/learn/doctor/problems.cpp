#include <fmt/format.h>

#include "learn/doctor/facts.hpp"

namespace tut::learn {
namespace {

constexpr Version oldest_gcc{11, 0};
constexpr Version oldest_cmake{3, 25};
constexpr Version oldest_cuda{12, 4};

void find_tool_problems(const DoctorFacts& facts, std::vector<Problem>& problems) {
  const auto require = [&](const char* name, const Tool& tool, Version oldest, const char* cure) {
    if (!tool.found()) {
      problems.push_back({fmt::format("{} is not installed", name), cure, true});
    } else if (tool.version < oldest) {
      problems.push_back({fmt::format("{} {} is too old; {} or newer is needed", name,
                                      to_string(tool.version), to_string(oldest)),
                          cure, true});
    }
  };
  require("g++", facts.compiler, oldest_gcc, "apt-get install g++");
  require("cmake", facts.cmake, oldest_cmake, "apt-get install cmake, or pip install cmake");
  require("ninja", facts.ninja, {}, "apt-get install ninja-build");
  if (facts.machine.disk_free_gib < 1) {
    problems.push_back({fmt::format("only {:.1f} GiB of disk free", facts.machine.disk_free_gib),
                        "free 1 GiB on the course's disk; a full build needs about that", false});
  }
  if (facts.machine.memory_gib < 2) {
    problems.push_back({fmt::format("only {:.1f} GiB of memory", facts.machine.memory_gib),
                        "build with one job at a time: export CMAKE_BUILD_PARALLEL_LEVEL=1",
                        false});
  }
}

void find_driver_problems(const DoctorFacts& facts, std::vector<Problem>& problems) {
  if (facts.backend == "cuda" && facts.gpus.empty()) {
    problems.push_back(
        {"the CUDA backend is chosen, but there is no GPU: programs build, but do not run",
         "leave out --backend cuda; the CPU backend runs every chapter", false});
  }
  if (facts.gpu_device && facts.gpus.empty()) {
    problems.push_back({"an NVIDIA device is there but nvidia-smi does not report it",
                        "install or reload the driver; a container must be started with --gpus all",
                        false});
  }
  if (!facts.gpus.empty() && !facts.nvcc.found()) {
    const std::string newest =
        facts.driver_cuda ? fmt::format(", at most {}.x", facts.driver_cuda->major) : "";
    problems.push_back({"there is a GPU but no CUDA toolkit: the course runs on the CPU backend",
                        fmt::format("install CUDA toolkit {} or newer{} (no root needed with the "
                                    "runfile's --toolkitpath or conda)",
                                    to_string(oldest_cuda), newest),
                        false});
  }
  if (facts.driver_cuda && facts.nvcc.version.major > facts.driver_cuda->major) {
    problems.push_back(
        {fmt::format("CUDA toolkit {} is newer than the driver, which runs up to CUDA {}",
                     to_string(facts.nvcc.version), to_string(*facts.driver_cuda)),
         fmt::format("update the driver, or install a CUDA {} toolkit", facts.driver_cuda->major),
         false});
  }
}

void find_toolkit_problems(const DoctorFacts& facts, std::vector<Problem>& problems) {
  if (!facts.nvcc.found()) return;
  if (facts.nvcc.version < oldest_cuda) {
    problems.push_back({fmt::format("CUDA toolkit {} is too old; {} or newer is needed",
                                    to_string(facts.nvcc.version), to_string(oldest_cuda)),
                        "install a newer toolkit, or use --backend cpu", false});
  }
  if (!facts.nvcc_complaint.empty()) {
    problems.push_back({"nvcc does not work with this host compiler: " + facts.nvcc_complaint,
                        "install a g++ that this toolkit supports and export CUDAHOSTCXX=g++-N",
                        false});
  }
  if (!facts.nvcc_on_path) {
    problems.push_back({fmt::format("nvcc is not on PATH ({})", facts.nvcc.path),
                        "add its folder to PATH", false});
  }
  for (const Gpu& gpu : facts.gpus) {
    if (facts.nvcc.version.major < 13 || gpu.capability >= 75) continue;
    problems.push_back(
        {fmt::format("CUDA {} no longer builds for the {} (compute capability {}.{})",
                     to_string(facts.nvcc.version), gpu.name, gpu.capability / 10,
                     gpu.capability % 10),
         "install a CUDA 12 toolkit, or use --backend cpu", false});
  }
}

}  // namespace

std::vector<Problem> find_problems(const DoctorFacts& facts) {
  std::vector<Problem> problems;
  find_tool_problems(facts, problems);
  find_driver_problems(facts, problems);
  find_toolkit_problems(facts, problems);
  if (facts.counters_for_all == false) {
    problems.push_back({"only root may read the GPU's hardware counters (ERR_NVGPUCTRPERM)",
                        "ask the administrator for the driver option "
                        "NVreg_RestrictProfilingToAdminUsers=0; the CPU backend counts without it",
                        false});
  }
  if (!facts.tf32_override.empty()) {
    problems.push_back(
        {fmt::format("NVIDIA_TF32_OVERRIDE={} changes what cuBLAS computes", facts.tf32_override),
         "unset NVIDIA_TF32_OVERRIDE; benchmarks refuse to run with it", false});
  }
  return problems;
}

std::string how_it_runs(const std::string& needs, const DoctorFacts& facts) {
  if (needs == "cpu") return "on the CPU, as it is meant to";
  const auto obstacle = native_obstacle(needs, facts.gpus);
  if (facts.can_run_on_gpu() && !obstacle) return "on the GPU";
  if (needs == "any") return "on the CPU backend";
  return fmt::format("on the CPU backend; natively it {}",
                     obstacle.value_or("needs a CUDA toolkit that works"));
}

}  // namespace tut::learn
