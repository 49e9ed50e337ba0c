#include "tut/text/patience.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>

namespace tut {
namespace {

struct ProcessEntry {
  pid_t parent = 0;
  double seconds = 0;  // its own, and those of its children that have ended
  std::size_t resident_bytes = 0;
};

// Source: proc(5), /proc/PID/stat: after the name in parentheses come the state, the parent, nine
// others, four times in clock ticks, six others, and the resident pages.
bool read_entry(const std::string& folder, ProcessEntry& entry) {
  const int file = open((folder + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char buffer[1024];  // a line of numbers, and a name of 15 bytes, or 63 of a kernel thread
  const ssize_t count = read(file, buffer, sizeof(buffer));
  close(file);
  if (count <= 0) return false;  // of a process that has just ended nothing can be read
  const std::string text(buffer, static_cast<std::size_t>(count));
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return false;
  long ticks[4];
  long pages = 0;
  const int fields = std::sscanf(
      text.c_str() + name_end + 1,
      " %*c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld %ld %ld %ld %*s %*s %*s %*s %*s %*s %ld",
      &entry.parent, &ticks[0], &ticks[1], &ticks[2], &ticks[3], &pages);
  if (fields != 6) return false;
  entry.resident_bytes =
      static_cast<std::size_t>(pages) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const double ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  entry.seconds = static_cast<double>(ticks[0] + ticks[1] + ticks[2] + ticks[3]) / ticks_per_second;
  return true;
}

std::map<pid_t, ProcessEntry> all_processes() {
  std::map<pid_t, ProcessEntry> all;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc", error), end; it != end;
       it.increment(error)) {
    const std::string name = it->path().filename();
    pid_t process = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), process);
    if (read.ptr != name.data() + name.size()) continue;
    ProcessEntry entry;
    if (read_entry(it->path().string(), entry)) all[process] = entry;
  }
  return all;
}

bool descends_from(const std::map<pid_t, ProcessEntry>& all, pid_t process, pid_t ancestor) {
  for (std::size_t steps = 0; steps <= all.size(); ++steps) {
    if (process == ancestor) return true;
    const auto found = all.find(process);
    if (found == all.end()) return false;
    process = found->second.parent;
  }
  return false;
}

}  // namespace

ProcessUse use_of(pid_t process) {
  const std::map<pid_t, ProcessEntry> all = all_processes();
  ProcessUse use;
  for (const auto& [other, entry] : all) {
    if (!descends_from(all, other, process)) continue;
    use.resident_bytes += entry.resident_bytes;
    ++use.processes;
    use.seconds += entry.seconds;
  }
  return use;
}

double processor_seconds(pid_t process) { return use_of(process).seconds; }

Patience::Patience(pid_t process, double seconds)
    : process_(process), seconds_(seconds), first_(processor_seconds(process)), used_(first_) {}

bool Patience::is_over() { return is_over(processor_seconds(process_)); }

bool Patience::is_over(double used) {
  if (used - first_ >= seconds_) return true;
  const auto now = Clock::now();
  if (used != used_) last_use_ = now;
  used_ = used;
  return std::chrono::duration<double>(now - last_use_).count() >= seconds_;
}

}  // namespace tut
