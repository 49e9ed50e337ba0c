#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learn/core/context.hpp"
#include "learn/core/gpu.hpp"
#include "learn/core/machine.hpp"

namespace tut::learn {

/// A version such as 12.4 or 3.25.1, its first two numbers.
struct Version {
  int major = 0;
  int minor = 0;
  bool operator==(const Version&) const = default;
  bool operator<(const Version& other) const {
    return major < other.major || (major == other.major && minor < other.minor);
  }
};

/// The first version number in a text, e.g. of `cmake --version`; nothing when there is none.
std::optional<Version> find_version(std::string_view text);

std::string to_string(Version version);

/// A program of the tool chain; an empty path when it is not there.
struct Tool {
  std::string path;
  Version version;
  bool found() const { return !path.empty(); }
};

/// Everything that the doctor looks at.
struct DoctorFacts {
  Machine machine;
  std::string backend;
  Tool compiler, cmake, ninja, nvcc;
  bool nvcc_on_path = false;
  std::string
      nvcc_complaint;       ///< first line of what nvcc says about an empty program; empty: works
  bool gpu_device = false;  ///< a driver's device file is there
  std::vector<Gpu> gpus;
  std::optional<Version> driver_cuda;    ///< the newest CUDA that the driver runs
  std::optional<bool> counters_for_all;  ///< whether users other than root may read GPU counters
  std::string tf32_override;             ///< NVIDIA_TF32_OVERRIDE
  std::filesystem::path mnist_folder;
  bool mnist = false;

  /// Whether programs built by nvcc run here.
  bool can_run_on_gpu() const { return nvcc.found() && nvcc_complaint.empty() && !gpus.empty(); }
};

DoctorFacts gather_facts(const Context& context);

/// Something that is wrong, and what to do about it.
struct Problem {
  std::string what;
  std::string cure;
  bool blocks = false;  ///< nothing can be built before it is mended
};

std::vector<Problem> find_problems(const DoctorFacts& facts);

/// How a chapter with such needs (see exercises/course.toml) runs here.
std::string how_it_runs(const std::string& needs, const DoctorFacts& facts);

}  // namespace tut::learn
