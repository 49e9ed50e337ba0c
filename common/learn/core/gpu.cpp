#include "learn/core/gpu.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "learn/core/process.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

std::string dotted(int capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

std::vector<std::string> split_fields(const std::string& line) {
  std::vector<std::string> fields;
  std::string_view rest = line;
  while (true) {
    const std::size_t comma = rest.find(',');
    fields.emplace_back(trim(rest.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace

std::string gpu_architecture() {
  const std::vector<Gpu> gpus = gpu_device_visible() ? query_gpus() : std::vector<Gpu>();
  if (gpus.empty() || gpus[0].capability == 90) return "sm_90a";
  return fmt::format("sm_{}", gpus[0].capability);
}

std::filesystem::path find_nvcc() {
  const std::filesystem::path installed = "/usr/local/cuda/bin/nvcc";
  const char* named = std::getenv("CUDACXX");
  if (named != nullptr && std::filesystem::exists(named)) return named;
  if (const auto found = find_program("nvcc")) return *found;
  return std::filesystem::exists(installed) ? installed : std::filesystem::path();
}

bool gpu_device_visible() {
  // The last one is WSL's.
  for (const char* device : {"/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"}) {
    if (access(device, F_OK) == 0) return true;
  }
  return false;
}

std::vector<Gpu> parse_gpus(std::string_view csv) {
  std::vector<Gpu> gpus;
  for (const std::string& line : split_lines(csv)) {
    const std::vector<std::string> fields = split_fields(line);
    int major = 0;
    int minor = 0;
    if (fields.size() != 5) continue;
    if (std::sscanf(fields[1].c_str(), "%d.%d", &major, &minor) != 2) continue;
    Gpu gpu{fields[0], 10 * major + minor, 0, 0, fields[4]};
    std::sscanf(fields[2].c_str(), "%d", &gpu.memory_mib);
    std::sscanf(fields[3].c_str(), "%lf", &gpu.power_limit_watts);
    gpus.push_back(gpu);
  }
  return gpus;
}

std::vector<Gpu> query_gpus() {
  if (!find_program("nvidia-smi")) return {};
  const Outcome outcome = run_captured(
      {{"nvidia-smi", "--query-gpu=name,compute_cap,memory.total,power.limit,driver_version",
        "--format=csv,noheader,nounits"},
       {},
       {}},
      {.seconds = 20});
  return outcome.ok() ? parse_gpus(outcome.output) : std::vector<Gpu>{};
}

std::optional<std::string> native_obstacle(std::string_view needs, std::span<const Gpu> gpus) {
  const std::string text(needs);
  int number = 0;
  if (std::sscanf(text.c_str(), "gpus_%d", &number) == 1) {
    if (static_cast<int>(gpus.size()) >= number) return std::nullopt;
    return fmt::format("needs {} GPUs; this machine has {}", number,
                       gpus.empty() ? "none" : std::to_string(gpus.size()));
  }
  if (std::sscanf(text.c_str(), "sm_%d", &number) != 1) {
    if (!gpus.empty()) return std::nullopt;
    return "needs a GPU; this machine has none";
  }
  // Code for an architecture with a suffix, such as sm_90a, runs on that architecture only.
  const bool exact = needs.ends_with('a');
  const auto runs = [&](const Gpu& gpu) {
    return exact ? gpu.capability == number : gpu.capability >= number;
  };
  if (std::ranges::any_of(gpus, runs)) return std::nullopt;
  return fmt::format("needs a GPU of compute capability {}{} ({}); this machine has {}",
                     dotted(number), exact ? " exactly" : "", needs,
                     gpus.empty() ? "none" : dotted(gpus[0].capability));
}

}  // namespace tut::learn
