#include "learn/classroom/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstring>

#include "learn/classroom/name_lists.hpp"
#include "learn/core/files.hpp"
#include "learn/core/process.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

namespace fs = std::filesystem;

/// <cmath>'s functions, for double; with f for float.
constexpr auto kMath = std::to_array<std::string_view>(
    {"acos",      "acosh",     "asin",      "asinh", "atan",      "atan2",  "atanh",  "cbrt",
     "ceil",      "copysign",  "cos",       "cosh",  "erf",       "erfc",   "exp",    "exp2",
     "exp10",     "expm1",     "fabs",      "fdim",  "floor",     "fma",    "fmax",   "fmin",
     "fmod",      "frexp",     "hypot",     "ilogb", "ldexp",     "lgamma", "llrint", "llround",
     "log",       "log10",     "log1p",     "log2",  "logb",      "lrint",  "lround", "modf",
     "nan",       "nearbyint", "nextafter", "pow",   "remainder", "remquo", "rint",   "round",
     "roundeven", "scalbln",   "scalbn",    "sin",   "sincos",    "sinh",   "sqrt",   "tan",
     "tanh",      "tgamma",    "trunc",     "abs",   "labs",      "llabs",  "div",    "ldiv"});

/// Of C's library: memory and text, what an assertion or a check of CUDA's errors needs, and
/// printing, which nobody reads. Who ends the program has no verdict, and so no marks. The names
/// with underscores are what glibc makes of those without.
constexpr auto kOfC = std::to_array<std::string_view>({"memcpy",
                                                       "memmove",
                                                       "memset",
                                                       "memcmp",
                                                       "memchr",
                                                       "strlen",
                                                       "strcmp",
                                                       "strncmp",
                                                       "strchr",
                                                       "strcpy",
                                                       "strncpy",
                                                       "strcat",
                                                       "strtof",
                                                       "strtod",
                                                       "strtol",
                                                       "strtoul",
                                                       "strtoll",
                                                       "strtoull",
                                                       "__isoc23_strtol",
                                                       "__isoc23_strtoul",
                                                       "__isoc23_strtoll",
                                                       "__isoc23_strtoull",
                                                       "snprintf",
                                                       "printf",
                                                       "puts",
                                                       "putchar",
                                                       "fprintf",
                                                       "fputs",
                                                       "fputc",
                                                       "fwrite",
                                                       "fflush",
                                                       "stderr",
                                                       "__printf_chk",
                                                       "__fprintf_chk",
                                                       "__snprintf_chk",
                                                       "__sprintf_chk",
                                                       "__memcpy_chk",
                                                       "__memmove_chk",
                                                       "__memset_chk",
                                                       "__strcpy_chk",
                                                       "__strncpy_chk",
                                                       "__strcat_chk",
                                                       "sprintf",
                                                       "malloc",
                                                       "calloc",
                                                       "realloc",
                                                       "free",
                                                       "aligned_alloc",
                                                       "rand",
                                                       "srand",
                                                       "qsort",
                                                       "exit",
                                                       "abort",
                                                       "__assert_fail",
                                                       "__stack_chk_fail",
                                                       "_GLOBAL_OFFSET_TABLE_",
                                                       "__dso_handle",
                                                       "__errno_location",
                                                       "__libc_single_threaded",
                                                       "sched_yield",
                                                       "bcmp"});

/// What the compiler calls without being asked, and the CPU backend; a source that names any of it
/// is refused before.
constexpr auto kOfCompilers = std::to_array<std::string_view>({"__tsan_",
                                                               "__sanitizer_cov_",
                                                               "__ubsan_handle_",
                                                               "__cxa_",
                                                               "_Unwind_",
                                                               "__gxx_personality_",
                                                               "simt::",
                                                               "simt_",
                                                               "_ZGV",
                                                               "__mul",
                                                               "__div",
                                                               "__udiv",
                                                               "__mod",
                                                               "__umod",
                                                               "__fix",
                                                               "__float",
                                                               "__extend",
                                                               "__trunc",
                                                               "__popcount",
                                                               "__clz",
                                                               "__ctz",
                                                               "__parity",
                                                               "__atomic_",
                                                               "__nv",
                                                               "__cuda"});

constexpr auto kOfThreads =
    std::to_array<std::string_view>({"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"});

/// Of the standard library: exceptions, text, containers.
constexpr auto kOfStd = std::to_array<std::string_view>({"std::__throw_",
                                                         "std::__cxx11::basic_string<",
                                                         "std::basic_string<",
                                                         "std::exception::",
                                                         "std::runtime_error::",
                                                         "std::invalid_argument::",
                                                         "std::logic_error::",
                                                         "std::out_of_range::",
                                                         "std::length_error::",
                                                         "std::domain_error::",
                                                         "std::range_error::",
                                                         "std::overflow_error::",
                                                         "std::underflow_error::",
                                                         "std::bad_alloc::",
                                                         "std::bad_array_new_length::",
                                                         "std::__detail::_Prime_rehash_policy::",
                                                         "std::_Hash_bytes",
                                                         "std::_Rb_tree_",
                                                         "std::__detail::_List_node_base::",
                                                         "std::nothrow",
                                                         "std::allocator<",
                                                         "std::terminate",
                                                         "std::_Sp_make_shared_tag::",
                                                         "std::__glibcxx_assert_fail"});

/// What <iostream> and <sstream> need, but for files. Nobody reads what is printed.
constexpr auto kOfPrinting = std::to_array<std::string_view>(
    {"std::cout", "std::cerr", "std::clog", "std::ostream::", "std::basic_ostream<",
     "std::operator<<", "std::__ostream_insert", "std::endl<", "std::flush<", "std::ios_base::",
     "std::basic_ios<", "std::locale::", "std::ctype<char>::", "std::__cxx11::basic_stringbuf<",
     "std::__cxx11::basic_ostringstream<", "std::__cxx11::basic_stringstream<",
     "std::basic_streambuf<", "std::uncaught_exception"});

/// What <thread>, <future> and <mutex> need, but for threads that nobody waits for. A source that
/// names syscall itself is refused before.
constexpr auto kOfHostThreads =
    std::to_array<std::string_view>({"std::thread::",
                                     "std::__future_base::",
                                     "std::future_category",
                                     "std::future_error::",
                                     "std::condition_variable::",
                                     "std::mutex::",
                                     "std::__exception_ptr::",
                                     "std::__once_",
                                     "std::once_flag::",
                                     "std::call_once",
                                     "std::rethrow_exception",
                                     "std::current_exception",
                                     "std::_V2::error_category::",
                                     "std::_V2::generic_category",
                                     "std::system_error::",
                                     "std::error_code::",
                                     "__once_proxy",
                                     "std::__atomic_futex_unsigned_base::",
                                     "pthread_create",
                                     "pthread_self",
                                     "syscall",
                                     "pthread_mutex_",
                                     "pthread_once",
                                     "pthread_cond_",
                                     "__pthread_key_create"});

constexpr auto kMemory = std::to_array<std::string_view>(
    {"operator new", "operator new[]", "operator delete", "operator delete[]"});

bool is_math(std::string_view name) {
  if (name.starts_with("__") && name.ends_with("_finite")) return true;
  if (is_one_of(name, kMath)) return true;
  return (name.ends_with('f') || name.ends_with('l')) &&
         is_one_of(name.substr(0, name.size() - 1), kMath);
}

/// CUDA's runtime: cudaMalloc, not cuda::something; and its errors' and streams' names.
bool is_cuda(std::string_view name) {
  return name.starts_with("cuda") && name.size() > 4 && std::isupper(name[4]) != 0;
}

/// A name as a student knows it: all that a file stream is made of is one thing.
std::string known_as(const std::string& name) {
  constexpr auto kOfFiles = std::to_array<std::string_view>(
      {"basic_filebuf", "basic_ofstream", "basic_ifstream", "basic_fstream", "__basic_file"});
  const bool is_file = std::ranges::any_of(
      kOfFiles, [&](std::string_view part) { return name.find(part) != std::string::npos; });
  return is_file ? "files (<fstream>)" : name;
}

/// What to do without a name that is not allowed, as a student would ask; empty: the rule says it.
std::string_view why_forbidden(std::string_view name) {
  if (name == "stdout") {
    return ": printf and std::cout print without it, and nothing that is printed has to be flushed";
  }
  if (name.starts_with("std::chrono::") || name == "clock" || name == "time" ||
      name == "clock_gettime" || name == "gettimeofday") {
    return ": no clock decides a mark, and what is timed at home has to go";
  }
  return "";
}

constexpr const char* kMayUse =
    "; expected CUDA's runtime, <cmath>, C's functions for memory and text, printing, containers "
    "and algorithms, and code of its own";

}  // namespace

std::vector<std::string> parse_dependencies(std::string_view rule) {
  std::vector<std::string> files;
  std::string file;
  bool after_target = false;
  const auto end_file = [&] {
    if (!file.empty() && after_target) files.push_back(file);
    file.clear();
  };
  for (std::size_t i = 0; i < rule.size(); ++i) {
    const char c = rule[i];
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\0';
    const bool escaped = (c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$');
    if (c == '\\' && next == '\n') {
      ++i;
      end_file();
    } else if (escaped) {
      file += rule[++i];
    } else if (c == ':' && !after_target) {
      after_target = true;
      file.clear();
    } else if (c == ' ' || c == '\t' || c == '\n') {
      end_file();
      if (c == '\n' && after_target) break;  // what follows are rules without commands
    } else {
      file += c;
    }
  }
  end_file();
  return files;
}

int count_initialisers(std::string_view sections) {
  int bytes = 0;
  for (const std::string& line : split_lines(sections)) {
    // "  [41] .init_array  INIT_ARRAY  0000000000000000 0018d8 000008 08 WA 0 0 8"
    const std::size_t name = line.find("] ");
    if (name == std::string::npos) continue;
    char type[32] = {}, what[256] = {};
    unsigned long long address = 0;
    unsigned offset = 0, size = 0;
    if (std::sscanf(line.c_str() + name + 2, "%255s %31s %llx %x %x", what, type, &address, &offset,
                    &size) != 5) {
      continue;
    }
    const std::string_view section = what, kind = type;
    const bool array = kind == "INIT_ARRAY" || kind == "FINI_ARRAY" || kind == "PREINIT_ARRAY" ||
                       section.starts_with(".init_array") || section.starts_with(".fini_array") ||
                       section.starts_with(".preinit_array") || section.starts_with(".ctors") ||
                       section.starts_with(".dtors") || section == ".init" || section == ".fini";
    if (array && kind != "RELA") bytes += static_cast<int>(size);
  }
  return (bytes + 7) / 8;
}

std::set<std::string> raw_names_of(const fs::path& file) {
  std::set<std::string> names;
  for (const std::string& line :
       split_lines(output_of_tool({"nm", "--extern-only", file.string()}))) {
    if (line.size() >= 20 && line[16] == ' ' && line[18] == ' ') names.insert(line.substr(19));
  }
  return names;
}

ObjectFacts facts_of(const fs::path& object, const fs::path& dependencies) {
  ObjectFacts facts;
  facts.symbols = symbols_of({object.string()});
  for (const std::string& line : split_lines(output_of_tool({"nm", object.string()}))) {
    if (line.size() < 20 || line[16] == '\0') continue;
    const std::string_view name = std::string_view(line).substr(19);
    if (line[17] != 'U' && line[17] != 'w' && std::isupper(line[17]) != 0) {
      facts.raw_names.emplace(name);
      if (std::strchr("BDRGS", line[17]) != nullptr) facts.raw_data.emplace(name);
    }
    if (line[17] == 't' && (name.starts_with("_GLOBAL__sub_") || name.starts_with("_sub_I_") ||
                            name.starts_with("_sub_D_"))) {
      ++facts.compilers_initialisers;
    }
  }
  facts.initialisers = count_initialisers(output_of_tool({"readelf", "-SW", object.string()}));
  facts.files = parse_dependencies(read_file(dependencies).value_or(""));
  return facts;
}

bool is_allowed_call(std::string_view name, const std::set<std::string>& reference, bool host) {
  if (host && starts_with_one(name, kOfHostThreads) && !name.ends_with("::detach")) return true;
  return reference.contains(std::string(name)) || is_cuda(name) || is_math(name) ||
         is_one_of(name, kOfC) || is_one_of(name, kOfThreads) || is_one_of(name, kMemory) ||
         starts_with_one(name, kOfCompilers) || starts_with_one(name, kOfStd) ||
         starts_with_one(name, kOfPrinting);
}

std::vector<std::string> forbidden_calls(const ObjectFacts& facts, const ObjectFacts& reference,
                                         bool host) {
  std::set<std::string> known;
  for (const Symbol& symbol : reference.symbols) {
    if (symbol.kind == 'U' || symbol.kind == 'w') known.insert(symbol.name);
  }
  std::vector<std::string> lines;
  std::set<std::string> seen;
  std::size_t last_by_rule = 0;  // behind it the rule is told, once
  for (const Symbol& symbol : facts.symbols) {
    const bool needed = symbol.kind == 'U' || symbol.kind == 'w';
    if (!needed || is_allowed_call(symbol.name, known, host)) continue;
    const std::string name = known_as(symbol.name);
    if (!seen.insert(name).second) continue;
    const std::string_view why = why_forbidden(name);
    lines.push_back(fmt::format("it calls or uses {}, which an answer may not{}", name, why));
    if (why.empty()) last_by_rule = lines.size();
  }
  if (last_by_rule > 0) lines[last_by_rule - 1] += kMayUse;
  return lines;
}

std::vector<std::string> forbidden_definitions(const ObjectFacts& facts,
                                               const std::set<std::string>& elsewhere) {
  std::vector<std::string> lines;
  // A C function's name, weak or not, is taken before that of any library; so is an object's. But
  // constants and __constant__ arrays often stand outside of all namespaces. Those that a shared
  // library would take for its own are seen in the program.
  for (const std::string& name : facts.raw_names) {
    const bool variable =
        facts.raw_data.contains(name) && !name.starts_with('_') && !elsewhere.contains(name);
    if (variable || name.starts_with("_Z") || name.starts_with("DW.ref.") ||
        name.starts_with("__nv") || name.starts_with("__cuda") || name.starts_with("__fatbin")) {
      continue;
    }
    lines.push_back(fmt::format(
        "it defines {} for all of the program; expected functions and constants in its namespace",
        name));
  }
  if (facts.initialisers > facts.compilers_initialisers) {
    lines.emplace_back("it has functions that run before or after main; expected none");
  }
  return lines;
}

}  // namespace tut::learn
