#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tut::learn {

/// One GPU as nvidia-smi reports it.
struct Gpu {
  std::string name;
  int capability = 0;  ///< 90 for compute capability 9.0
  int memory_mib = 0;
  double power_limit_watts = 0;  ///< 0 where the device does not say
  std::string driver;
};

/// Whether a driver's device file is there; costs nothing, asks nobody.
bool gpu_device_visible();

/// What nvcc is to compile for: this machine's GPU, or the one that the course's last chapters are
/// about.
std::string gpu_architecture();

/// CUDA's compiler: what $CUDACXX names, else of PATH, else where it is installed; empty without
/// one.
std::filesystem::path find_nvcc();

/// The GPUs of this machine; empty without nvidia-smi or without a GPU.
std::vector<Gpu> query_gpus();

/// Parses `nvidia-smi --query-gpu=name,compute_cap,memory.total,power.limit,driver_version
/// --format=csv,noheader,nounits`; lines of another form are skipped.
std::vector<Gpu> parse_gpus(std::string_view csv);

/// Why something that needs `needs` (see exercises/course.toml) cannot run natively on these
/// GPUs, e.g. "needs a GPU of compute capability 9.0 exactly (sm_90a); this machine has 8.0";
/// nothing when it can.
std::optional<std::string> native_obstacle(std::string_view needs, std::span<const Gpu> gpus);

}  // namespace tut::learn
