#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tut::learn {

/// The processor and memory of this machine, as this process may use them.
struct Machine {
  std::string system;                         ///< PRETTY_NAME of /etc/os-release
  std::string processor;                      ///< "model name" of /proc/cpuinfo
  int cores = 0;                              ///< that this process may run on
  std::vector<std::string> instruction_sets;  ///< those that the course's kernels care about
  double memory_gib = 0;                      ///< of the machine, or of this container's limit
  double disk_free_gib = 0;                   ///< where the checkout lies
};

Machine inspect_machine(const std::filesystem::path& root);

/// Of the flags in a /proc/cpuinfo, those that the course's kernels care about, smallest first.
std::vector<std::string> instruction_sets(std::string_view cpuinfo);

/// The value after "key : " of the first such line; empty when there is none.
std::string field_value(std::string_view text, std::string_view key, char separator);

}  // namespace tut::learn
