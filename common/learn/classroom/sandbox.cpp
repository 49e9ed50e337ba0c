#include "learn/classroom/sandbox.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/close_range.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "learn/classroom/syscall_filter.hpp"
#include "learn/core/chapters.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"

namespace tut::learn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInner = "/grade";
constexpr uid_t kNobody = 65534;

/// @param grace what a process may take beyond `value` once a signal has told it so
bool set_limit(int resource, rlim_t value, rlim_t grace = 0) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0) return false;
  value = std::min(value, now.rlim_max);
  const rlimit limit{value, std::min(value + grace, now.rlim_max)};
  return setrlimit(resource, &limit) == 0;
}

/// In the new process: limits, no privileges, and no descriptors but those that are to be there.
bool confine(const SandboxLimits& limits, bool drop_root, int channel, int filter) {
  if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return false;
  for (const int kept : {channel, filter}) {
    if (kept >= 0 && fcntl(kept, F_SETFD, 0) != 0) return false;
  }
  const auto seconds = static_cast<rlim_t>(std::ceil(limits.seconds)) + 1;
  // With a second of grace the signal is SIGXCPU, which says why; without, it is SIGKILL.
  if (!set_limit(RLIMIT_CPU, seconds, 1) || !set_limit(RLIMIT_CORE, 0) ||
      !set_limit(RLIMIT_FSIZE, limits.file_bytes) || !set_limit(RLIMIT_NOFILE, 256) ||
      !set_limit(RLIMIT_MEMLOCK, 1U << 20)) {
    return false;
  }
  if (limits.address_space && !set_limit(RLIMIT_AS, limits.memory_bytes)) return false;
  return !drop_root || (setgroups(0, nullptr) == 0 && setgid(kNobody) == 0 && setuid(kNobody) == 0);
}

void add(std::vector<std::string>& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

/// What a compiler and a program need of the system, to be read.
void add_system(std::vector<std::string>& words, const Context& context) {
  add(words, {"--ro-bind", "/usr", "/usr"});
  for (const char* folder : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    std::error_code error;
    if (fs::is_symlink(folder, error)) {
      add(words, {"--symlink", fs::read_symlink(folder, error).string(), folder});
    } else {
      add(words, {"--ro-bind-try", folder, folder});
    }
  }
  for (const char* part :
       {"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"}) {
    add(words, {"--ro-bind-try", part, part});
  }
  // A compiler or CMake from elsewhere: /opt/gcc-14/bin/g++ with all that lies beside its bin.
  for (const char* variable : {"CMAKE_CXX_COMPILER", "CMAKE_COMMAND"}) {
    const fs::path program = context.tree().cache_variable(variable);
    const fs::path prefix = program.parent_path().parent_path();
    if (prefix.empty() || prefix == "/" || prefix == "/usr") continue;
    add(words, {"--ro-bind-try", prefix.string(), prefix.string()});
  }
}

/// The checkout, and an instructor's own course.
std::vector<fs::path> courses_of(const Context& context) {
  std::vector<fs::path> courses = {context.root};
  if (const auto own = own_course_folder()) courses.push_back(*own);
  return courses;
}

std::vector<std::string> namespaces(const fs::path& bwrap) {
  return {bwrap.string(), "--unshare-all", "--die-with-parent", "--new-session", "--clearenv",
          "--cap-drop",   "ALL",           "--hostname",        "course"};
}

/// What limits the processes of a user namespace, from within it: outside, all of the user's count.
std::vector<std::string> process_limit(int processes) {
  return {"/usr/bin/prlimit", fmt::format("--nproc={}", processes), "--"};
}

/// Whether bubblewrap can start a program here, with processes limited or not; its words in `said`.
bool bwrap_works(const Context& context, const fs::path& bwrap, bool drop_root, bool limited,
                 std::string& said) {
  Command command{namespaces(bwrap), {}, {}, {}};
  add_system(command.argv, context);
  add(command.argv, {"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"});
  std::vector<fs::path> folders = courses_of(context);
  folders.push_back(context.build_folder);
  for (const fs::path& folder : folders) {
    add(command.argv, {"--ro-bind", folder.string(), folder.string()});
  }
  add(command.argv, {"--"});
  if (limited) {
    for (const std::string& word : process_limit(16)) command.argv.push_back(word);
  }
  static constexpr const char* kReadEach =
      R"(true & wait $!; for file; do [ -r "$file" ] || { echo "$file cannot be read"; exit 1; }; done)";
  add(command.argv, {"/usr/bin/env", "sh", "-c", kReadEach, "sh"});
  for (const fs::path& course : courses_of(context)) {
    const fs::path file = course / "exercises/course.toml";
    std::error_code error;
    if (fs::exists(file, error)) command.argv.push_back(file.string());
  }
  const SandboxLimits limits;
  command.before_exec = [&] { return confine(limits, drop_root, -1, -1); };
  try {
    const Outcome outcome = run_captured(command, {.seconds = 20});
    said = outcome.output.substr(0, outcome.output.find('\n'));
    return outcome.ok();
  } catch (const UsageError& error) {
    said = error.what();
    return false;
  }
}

constexpr std::string_view kFolderName = "learn_grade.";

fs::path folder_for_temporaries() {
  const char* base = std::getenv("TMPDIR");
  return base != nullptr && *base != '\0' ? base : "/tmp";
}

/// Removes what runs have left that were killed: learn_grade.PID.XXXXXX, where PID is no more.
void remove_leftovers() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_for_temporaries(), error)) {
    const std::string name = entry.path().filename().string();
    int process = 0;
    if (!name.starts_with(kFolderName) ||
        std::sscanf(name.c_str() + kFolderName.size(), "%d.", &process) != 1 || process <= 0) {
      continue;
    }
    struct stat status {};
    const bool ours = lstat(entry.path().c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                      (status.st_uid == geteuid() || (geteuid() == 0 && status.st_uid == kNobody));
    std::error_code ignored;
    if (ours && kill(process, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), ignored);
  }
}

/// A private folder that nobody else can look into.
fs::path make_folder(bool for_nobody) {
  std::string name =
      (folder_for_temporaries() / fmt::format("{}{}.XXXXXX", kFolderName, getpid())).string();
  if (mkdtemp(name.data()) == nullptr) {
    throw UsageError(
        fmt::format("cannot make a folder in {}", fs::path(name).parent_path().string()));
  }
  if (for_nobody && chown(name.c_str(), kNobody, kNobody) != 0) {
    throw UsageError(fmt::format("cannot give {} away", name));
  }
  return name;
}

}  // namespace

int signal_of(const Outcome& outcome) {
  return outcome.signal != 0 ? outcome.signal : std::max(0, outcome.exit_code - 128);
}

std::string excess(const Outcome& outcome, const SandboxLimits& limits) {
  // Whoever looks now and then is late on a busy machine; then the kernel's signal comes first.
  const int signal = signal_of(outcome);
  if (outcome.over_memory) {
    return fmt::format("more than {} MiB of memory", limits.memory_bytes >> 20);
  }
  if (outcome.over_processes) return fmt::format("more than {} processes", limits.processes);
  if (outcome.truncated) {
    return fmt::format("more than {} MiB of output", limits.output_bytes >> 20);
  }
  if (outcome.timed_out || signal == SIGXCPU) {
    return fmt::format("more than {:g} s of work, or of waiting", limits.seconds);
  }
  if (signal == SIGXFSZ) return fmt::format("a file of more than {} MiB", limits.file_bytes >> 20);
  if (signal == SIGKILL) return "more of this machine, likely of its memory, than there is";
  return "";
}

Isolation::Isolation(const Context& context, bool unsafe) : context_(context) {
  remove_leftovers();
  const auto bwrap = find_program("bwrap");
  std::string said = "bubblewrap is not installed (apt-get install bubblewrap)";
  if (bwrap) {
    drops_root_ = geteuid() == 0;
    bool works = bwrap_works(context, *bwrap, drops_root_, false, said);
    if (!works && drops_root_) {
      // Where only root may enter the course's folder.
      drops_root_ = false;
      works = bwrap_works(context, *bwrap, false, false, said);
    }
    if (works) {
      bwrap_ = *bwrap;
      // Before Linux 5.14 all processes of the user are counted, in whatever namespace.
      std::string ignored;
      limits_processes_ = bwrap_works(context, *bwrap, drops_root_, true, ignored);
      return;
    }
    said = "bwrap does not work here: " + said;
  }
  missing_ = "network, files and processes of this machine are not kept from submissions: " + said;
  if (!unsafe) {
    throw UsageError(missing_ +
                     "; --unsafe runs them all the same, for submissions that you trust");
  }
}

Sandbox::Sandbox(const Isolation& isolation, const fs::path& source, std::string_view text)
    : isolation_(isolation),
      source_(source),
      folder_(make_folder(isolation.isolated() && isolation.drops_root())) {
  write_file_atomically(folder_ / source.filename(), text);
  chmod((folder_ / source.filename()).c_str(), 0644);
}

Sandbox::~Sandbox() {
  std::error_code error;
  fs::remove_all(folder_, error);
}

fs::path Sandbox::inner() const { return isolation_.isolated() ? fs::path(kInner) : folder_; }

fs::path Sandbox::source() const {
  return isolation_.isolated() ? isolation_.context().root / source_ : folder_ / source_.filename();
}

std::vector<std::string> Sandbox::command_line(const SandboxRun& run, int filter) const {
  const Context& context = isolation_.context();
  std::vector<std::string> words;
  if (!isolation_.isolated()) {
    words = {"/usr/bin/env", "-i"};
    for (const auto& [name, value] : run.environment) words.push_back(name + "=" + value);
  } else {
    words = namespaces(isolation_.bwrap());
    if (filter >= 0) add(words, {"--seccomp", std::to_string(filter)});
    for (const auto& [name, value] : run.environment) add(words, {"--setenv", name, value});
    add_system(words, context);
    add(words, {"--proc", "/proc", "--tmpfs", "/dev"});
    for (const char* device : {"/dev/null", "/dev/urandom"}) {
      add(words, {"--dev-bind", device, device});
    }
    add(words, {"--size", "536870912", "--tmpfs", "/tmp"});
    const std::string build = context.build_folder.string();
    const std::vector<fs::path> courses = courses_of(context);
    std::vector<std::string> closed = {build, "/dev"};
    for (const fs::path& course : courses) {
      add(words, {"--ro-bind", course.string(), course.string()});
      closed.push_back(course.string());
      for (const char* hidden : {"solutions", "tests", "exercises", "build", ".git", ".learn"}) {
        const fs::path folder = course / hidden;
        std::error_code error;
        if (!fs::is_directory(folder, error)) continue;
        add(words, {"--tmpfs", folder.string()});
        closed.push_back(folder.string());
      }
    }
    if (run.view == SandboxView::built) {
      add(words, {"--ro-bind", build, build});
    } else {
      add(words, {"--tmpfs", build});
      const std::string cucc = (context.build_folder / "bin/cucc").string();
      add(words, {"--ro-bind-try", cucc, cucc});
    }
    // Which budget a test holds its kernels to stands there.
    for (const fs::path& course : courses) {
      const std::string course_file = (course / "exercises/course.toml").string();
      add(words, {"--ro-bind-try", course_file, course_file});
    }
    const std::string file = (folder_ / source_.filename()).string();
    add(words, {"--ro-bind", file, source().string()});
    add(words, {run.may_write ? "--bind" : "--ro-bind", folder_.string(), kInner});
    closed.emplace_back("/");
    for (const std::string& folder : closed) add(words, {"--remount-ro", folder});
    add(words, {"--chdir", run.folder.string(), "--"});
    if (isolation_.limits_processes()) {
      const std::vector<std::string> limit = process_limit(run.limits.processes);
      words.insert(words.end(), limit.begin(), limit.end());
    }
  }
  words.insert(words.end(), run.argv.begin(), run.argv.end());
  return words;
}

Outcome Sandbox::run(const SandboxRun& run) const {
  const int filter = isolation_.isolated() ? open_syscall_filter() : -1;
  Command command{
      command_line(run, filter), isolation_.isolated() ? fs::path("/") : run.folder, {}, {}};
  const bool drop_root = isolation_.isolated() && isolation_.drops_root();
  command.before_exec = [&] { return confine(run.limits, drop_root, run.channel, filter); };
  Outcome outcome;
  try {
    outcome = run_captured(command, {.seconds = run.limits.seconds,
                                     .bytes = run.limits.output_bytes,
                                     .stop_when_full = true,
                                     .memory_bytes = run.limits.memory_bytes,
                                     .processes = run.limits.processes + 4});
  } catch (...) {
    if (filter >= 0) close(filter);
    throw;
  }
  if (filter >= 0) close(filter);
  return outcome;
}

}  // namespace tut::learn
