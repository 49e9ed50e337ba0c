#include "source_lines.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

#include "simt/runtime/interface.hpp"

namespace simt::inspect {
namespace {

struct PipeClose {
  void operator()(std::FILE* pipe) const { pclose(pipe); }
};

std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, PipeClose> pipe(popen(command.c_str(), "r"));
  std::string text;
  if (!pipe) return text;
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof(buffer), pipe.get())) {
    text.append(buffer, count);
  }
  return text;
}

/// `FILE:LINE` or `FILE:LINE (discriminator 3)`.
SourceLine parse(const std::string& text) {
  const std::size_t colon = text.rfind(':', text.find(" ("));
  if (colon == std::string::npos || text.starts_with("??")) return {};
  // Compilers are often told files from the build folder: build/../kernel.cu.
  std::string file = std::filesystem::path(text.substr(0, colon)).lexically_normal().string();
  return {std::move(file), std::atoi(text.c_str() + colon + 1)};
}

/// `void f<int>(T)` without its arguments: `void f`.
std::string plain_name(const std::string& mangled) {
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr), &std::free);
  if (!text) return mangled;
  std::string name;
  int depth = 0;
  for (const char c : std::string_view(text.get())) {
    depth += c == '<' || c == '(' ? 1 : 0;
    if (depth == 0) name += c;
    depth -= c == '>' || c == ')' ? 1 : 0;
  }
  return name;
}

/// The course's names for instructions of PTX count as CUDA's functions: who calls one is meant.
bool is_backend_file(const std::string& file) {
  return file.starts_with(SIMT_INCLUDE_FOLDER) || file.starts_with(SIMT_PTX_NAMES_FOLDER);
}

/// The backend's own headers lie in `simt` itself; those in its folders, and these two, have CUDA's
/// functions.
bool is_bookkeeping_file(const std::string& file) {
  static const std::string folder = SIMT_INCLUDE_FOLDER "/simt/";
  return file.starts_with(folder) && file.find('/', folder.size()) == std::string::npos &&
         !file.ends_with("/atomics.hpp") && !file.ends_with("/async_copy.hpp");
}

bool is_own(const SourceLine& line) {
  return line.known() && !is_backend_file(line.file) && !line.file.starts_with("/usr/");
}

/// What is known of one instruction.
struct Site {
  SourceLine line;
  SourceLine outer;
  std::string function;             // that `line` stands in
  std::vector<SourceLine> frames;   // the innermost first
  std::vector<std::string> called;  // functions of the backend's headers, the innermost first
  bool known = false;               // some line of it
  bool backend = false;
  bool bookkeeping = false;
  bool program = false;
};

std::map<std::uintptr_t, Site>& known_sites() {
  static std::map<std::uintptr_t, Site>& known = *new std::map<std::uintptr_t, Site>;
  return known;
}

/// The program or library that an instruction is in, and its offset there.
struct Module {
  std::string file;
  std::string offset;
};

Module module_of(std::uintptr_t address) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(address), &info) == 0 || info.dli_fname == nullptr) return {};
  char offset[32];
  std::snprintf(
      offset, sizeof(offset), "0x%zx",
      static_cast<std::size_t>(address - reinterpret_cast<std::uintptr_t>(info.dli_fbase)));
  const std::string program = *info.dli_fname == '/' ? info.dli_fname : "/proc/self/exe";
  // The shell is another process: /proc/self would be its own.
  return {program == "/proc/self/exe" ? "/proc/" + std::to_string(getpid()) + "/exe" : program,
          offset};
}

/// A function that calls itself, or is called on a line of its own, is named once.
void add_caller(SourceLine& line, const std::string& caller) {
  const std::string& last = line.callers.empty() ? line.text() : line.callers.back();
  if (caller != last) line.callers.push_back(caller);
}

/// Of an instruction's frames in the program, from the innermost on, this is the next.
void add_frame(Site& site, const SourceLine& line, const std::string& function) {
  if (!site.line.known()) {
    site.line = line;
    site.function = plain_name(function);
  } else {
    add_caller(site.line, line.text());
  }
  site.outer = line;
  site.frames.push_back(line);
}

/// Asks for a few instructions of one file; their answers come in the same order.
void look_up(const std::string& file, const std::vector<std::uintptr_t>& return_addresses,
             const std::string& offsets) {
  std::istringstream lines(
      output_of("addr2line -a -f -i -e " + shell_quoted(file) + offsets + " 2>/dev/null"));
  std::size_t next = 0;
  Site* site = nullptr;
  bool innermost = false;
  for (std::string text, function; std::getline(lines, text);) {
    if (text.starts_with("0x")) {  // an answer begins
      if (next == return_addresses.size()) return;
      site = &known_sites()[return_addresses[next++]];
      innermost = true;
      continue;
    }
    if (site == nullptr) continue;
    function = std::exchange(text, "");
    std::getline(lines, text);
    const SourceLine line = parse(text);
    site->known = site->known || line.known();
    if (innermost) {
      site->backend = is_backend_file(line.file);
      site->bookkeeping = is_bookkeeping_file(line.file);
      site->program = is_own(line);
    }
    innermost = false;
    if (is_own(line)) add_frame(*site, line, function);
    if (is_backend_file(line.file)) site->called.push_back(plain_name(function));
  }
}

const Site& site_at(std::uintptr_t return_address) {
  const auto found = known_sites().find(return_address);
  if (found != known_sites().end()) return found->second;
  look_up_source_lines({return_address});
  return known_sites()[return_address];
}

}  // namespace

std::string SourceLine::text() const {
  return known() ? file + ":" + std::to_string(line) : std::string("unknown");
}

bool is_file(const std::string& file, const std::string& given) {
  return file == given || file.ends_with("/" + given);
}

void look_up_source_lines(const std::vector<std::uintptr_t>& return_addresses) {
  constexpr std::size_t most = 1000;  // in one command line
  struct Question {
    std::vector<std::uintptr_t> return_addresses;
    std::string offsets;
  };
  std::map<std::string, Question> questions;  // by file
  const auto ask = [&](const std::string& file, Question& question) {
    look_up(file, question.return_addresses, question.offsets);
    question = {};
  };
  for (const std::uintptr_t return_address : return_addresses) {
    if (!known_sites().try_emplace(return_address).second) continue;
    const Module module = module_of(return_address - 1);  // within the call
    if (module.file.empty()) continue;
    Question& question = questions[module.file];
    question.return_addresses.push_back(return_address);
    question.offsets += " " + module.offset;
    if (question.return_addresses.size() == most) ask(module.file, question);
  }
  for (auto& [file, question] : questions) {
    if (!question.return_addresses.empty()) ask(file, question);
  }
}

const SourceLine& source_line(std::uintptr_t return_address) {
  return site_at(return_address).line;
}

SourceLine line_of_call(std::uintptr_t return_address, const std::vector<std::uintptr_t>& calls) {
  SourceLine line = source_line(return_address);
  look_up_source_lines(calls);
  for (const std::uintptr_t call : calls) {
    // What called the kernel is none of the program's.
    if (!site_at(call).known) break;
    if (!source_line(call).known()) continue;
    add_caller(line, source_line(call).text());
    for (const std::string& caller : source_line(call).callers) add_caller(line, caller);
  }
  return line;
}

SourceLine line_of_call(std::uintptr_t return_address) {
  constexpr int kDeepest = 64;
  void* all[kDeepest];
  const int count = backtrace(all, kDeepest);
  std::vector<std::uintptr_t> calls;
  for (int i = 0; i < count; ++i) calls.push_back(reinterpret_cast<std::uintptr_t>(all[i]));
  const auto found = std::find(calls.begin(), calls.end(), return_address);
  if (found == calls.end()) return source_line(return_address);
  calls.erase(calls.begin(), found + 1);
  return line_of_call(return_address, calls);
}

std::vector<std::uintptr_t> calls_from(const void* frame, const void* end) {
  constexpr std::size_t kDeepest = 32;
  struct Frame {
    const Frame* caller;
    std::uintptr_t returns_to;
  };
  std::vector<std::uintptr_t> calls;
  // Of the kernel's caller what is taken for its frame may be any number.
  const auto* last = static_cast<const Frame*>(frame);
  for (const Frame* next = last->caller; calls.size() < kDeepest; next = last->caller) {
    const bool is_frame = next > last && next + 1 <= end &&
                          reinterpret_cast<std::uintptr_t>(next) % alignof(Frame) == 0;
    if (!is_frame) break;
    calls.push_back(next->returns_to);
    last = next;
  }
  return calls;
}

const std::string& source_function(std::uintptr_t return_address) {
  return site_at(return_address).function;
}

const SourceLine& outer_line(std::uintptr_t return_address) {
  return site_at(return_address).outer;
}

SourceLine line_in_file(std::uintptr_t return_address, const std::string& file) {
  for (const SourceLine& frame : site_at(return_address).frames) {
    if (is_file(frame.file, file)) return frame;
  }
  return {};
}

bool is_called(std::uintptr_t return_address, const std::string& function) {
  const std::vector<std::string>& called = site_at(return_address).called;
  return std::find(called.begin(), called.end(), function) != called.end();
}

bool is_backend_code(std::uintptr_t return_address) { return site_at(return_address).backend; }

bool is_bookkeeping(std::uintptr_t return_address) { return site_at(return_address).bookkeeping; }

bool is_program_code(std::uintptr_t return_address) { return site_at(return_address).program; }

}  // namespace simt::inspect

const char* simt_line_of_instruction(const void* instruction, bool with_caller) {
  static std::string text;
  // What comes behind it stands for a call's return address.
  const auto behind = reinterpret_cast<std::uintptr_t>(instruction) + 1;
  const simt::inspect::SourceLine& line = simt::inspect::source_line(behind);
  text = line.known() ? line.text() : "";
  const auto caller =
      std::find_if(line.callers.begin(), line.callers.end(),
                   [&](const std::string& call) { return !call.starts_with(line.file + ":"); });
  if (with_caller && caller != line.callers.end()) text += ", called at " + *caller + ",";
  return text.c_str();
}
