#include "tut/bench/bench_settings.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <thread>

#include "tut/device/backend.hpp"

namespace tut {
namespace {

struct Setting {
  const char* name;
  const char* effect;
};

constexpr Setting unfair_settings[] = {
    {"NVIDIA_TF32_OVERRIDE", "it decides where libraries use TF32 for FP32"},
    {"CUBLAS_EMULATE_SINGLE_PRECISION", "cuBLAS may emulate FP32 with BF16"},
    {"CUBLAS_EMULATE_DOUBLE_PRECISION", "cuBLAS may emulate FP64 with integers"},
    {"CUBLAS_EMULATION_STRATEGY", "cuBLAS may emulate FP32 and FP64"},
    {"CUBLAS_FIXEDPOINT_EMULATION_MANTISSA_BIT_COUNT", "cuBLAS may emulate FP64 with integers"},
    {"CUDA_LAUNCH_BLOCKING", "every launch waits for its kernel"},
};

// The rest of the first line of a file that starts with `key`, after any " : ".
std::string line_value(const char* path, const std::string& key) {
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(key)) continue;
    const auto start = line.find_first_not_of(" \t:", key.size());
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

// The first line a command prints; "" if it fails.
std::string first_line_of(const char* command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command, "r"), pclose);
  if (pipe == nullptr) return "";
  char line[256] = {};
  if (std::fgets(line, sizeof(line), pipe.get()) == nullptr) return "";
  std::string text(line);
  return text.substr(0, text.find('\n'));
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void add_device(std::map<std::string, std::string>& facts) {
  int device = 0;
  cudaDeviceProp properties{};
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
    cudaGetLastError();
    facts["device"] = "none";
    return;
  }
  const auto attribute = [&](cudaDeviceAttr name) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, name, device) == cudaSuccess ? value : 0;
  };
  facts["device"] = properties.name;
  facts["compute_capability"] =
      std::to_string(properties.major) + "." + std::to_string(properties.minor);
  facts["multiprocessors"] = std::to_string(properties.multiProcessorCount);
  facts["memory_bytes"] = std::to_string(properties.totalGlobalMem);
  facts["l2_bytes"] = std::to_string(attribute(cudaDevAttrL2CacheSize));
  facts["clock_khz"] = std::to_string(attribute(cudaDevAttrClockRate));
  facts["memory_clock_khz"] = std::to_string(attribute(cudaDevAttrMemoryClockRate));
  int runtime = 0, driver = 0;
  cudaRuntimeGetVersion(&runtime);
  cudaDriverGetVersion(&driver);
  facts["cuda_runtime"] = version_text(runtime);
  facts["cuda_driver_api"] = version_text(driver);
}

// What only the driver's own tool tells: its version, the clocks now and the power limit.
void add_driver(std::map<std::string, std::string>& facts) {
  const std::string line = first_line_of(
      "nvidia-smi --query-gpu=driver_version,clocks.sm,clocks.max.sm,clocks.mem,power.limit "
      "--format=csv,noheader 2>/dev/null");
  if (!line.empty()) facts["driver_sm_clock_max_memory_clock_power_limit"] = line;
}

// Google Benchmark takes `0.5` before its version 1.8, and asks for `0.5s` from then on.
std::string with_unit(std::string argument) {
  const bool seconds = argument.starts_with("--benchmark_min_time=") && !argument.ends_with('x');
  if (seconds && argument.ends_with('s')) argument.pop_back();
  return seconds && TUT_BENCHMARK_TAKES_UNITS ? argument + "s" : argument;
}

}  // namespace

std::string unfair_setting() {
  for (const Setting& setting : unfair_settings) {
    const char* value = std::getenv(setting.name);
    if (value == nullptr) continue;
    return std::string(setting.name) + " is set to \"" + value + "\": " + setting.effect +
           ", so times would mean something else; unset it";
  }
  return "";
}

std::map<std::string, std::string> device_facts() {
  std::map<std::string, std::string> facts;
  facts["backend"] = on_cpu_backend ? "cpu" : "cuda";
  if (!on_cpu_backend) add_driver(facts);
  add_device(facts);
  facts["cuda_toolkit"] = version_text(CUDART_VERSION);
  facts["compiler"] = __VERSION__;
  facts["processor"] = line_value("/proc/cpuinfo", "model name");
  facts["processor_threads"] = std::to_string(std::thread::hardware_concurrency());
  return facts;
}

std::vector<std::string> with_default_arguments(int argc, char** argv) {
  std::vector<std::string> arguments = {argc > 0 ? argv[0] : "bench"};
  arguments.emplace_back(on_cpu_backend ? "--benchmark_repetitions=3"
                                        : "--benchmark_repetitions=7");
  arguments.emplace_back(on_cpu_backend ? "--benchmark_min_time=0.1" : "--benchmark_min_time=0.5");
  arguments.insert(arguments.end(), {"--benchmark_enable_random_interleaving=true",
                                     "--benchmark_display_aggregates_only=true",
                                     "--benchmark_counters_tabular=true"});
  for (int i = 1; i < argc; ++i) arguments.emplace_back(argv[i]);
  std::transform(arguments.begin(), arguments.end(), arguments.begin(), with_unit);
  return arguments;
}

}  // namespace tut
