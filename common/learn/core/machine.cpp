#include "learn/core/machine.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "learn/core/files.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

constexpr double gib = 1024.0 * 1024.0 * 1024.0;

int usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

double usable_memory_gib() {
  const std::string total = field_value(read_file("/proc/meminfo").value_or(""), "MemTotal", ':');
  double memory = std::strtod(total.c_str(), nullptr) * 1024.0 / gib;
  const std::string limit = read_file("/sys/fs/cgroup/memory.max").value_or("max");
  if (const double bytes = std::strtod(limit.c_str(), nullptr); bytes > 0) {
    memory = std::min(memory, bytes / gib);
  }
  return memory;
}

}  // namespace

std::string field_value(std::string_view text, std::string_view key, char separator) {
  for (const std::string& line : split_lines(text)) {
    const std::size_t end = line.find(separator);
    if (end == std::string::npos || trim(std::string_view(line).substr(0, end)) != key) continue;
    std::string_view value = trim(std::string_view(line).substr(end + 1));
    if (value.size() > 1 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    return std::string(value);
  }
  return "";
}

std::vector<std::string> instruction_sets(std::string_view cpuinfo) {
  std::istringstream flags(field_value(cpuinfo, "flags", ':'));
  const std::vector<std::string> present(std::istream_iterator<std::string>(flags), {});
  std::vector<std::string> sets;
  for (const char* set : {"sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512_vnni",
                          "avx512_bf16", "avx512_fp16", "amx_tile"}) {
    if (std::ranges::find(present, set) != present.end()) sets.emplace_back(set);
  }
  return sets;
}

Machine inspect_machine(const fs::path& root) {
  const std::string cpuinfo = read_file("/proc/cpuinfo").value_or("");
  Machine machine;
  machine.system = field_value(read_file("/etc/os-release").value_or(""), "PRETTY_NAME", '=');
  machine.processor = field_value(cpuinfo, "model name", ':');
  machine.cores = usable_cores();
  machine.instruction_sets = instruction_sets(cpuinfo);
  machine.memory_gib = usable_memory_gib();
  std::error_code error;
  const fs::space_info space = fs::space(root, error);
  if (!error) machine.disk_free_gib = static_cast<double>(space.available) / gib;
  return machine;
}

}  // namespace tut::learn
