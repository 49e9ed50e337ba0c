#include "learn/classroom/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstring>

#include "learn/core/cpp_source.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/process.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

namespace fs = std::filesystem;

std::string output_of_tool(const std::vector<std::string>& command) {
  if (!find_program(command[0])) {
    throw UsageError(command[0] + " is not on PATH; it comes with the compiler's binutils");
  }
  const Outcome outcome = run_captured({command, {}, {}}, {.bytes = std::size_t{64} << 20});
  if (!outcome.ok()) {
    throw UsageError(fmt::format("'{}' failed: {}", command[0],
                                 outcome.output.substr(0, outcome.output.find('\n'))));
  }
  return outcome.output;
}

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

template <std::size_t N>
bool starts_with_one(std::string_view name, const std::array<std::string_view, N>& starts) {
  return std::ranges::any_of(starts, [&](std::string_view s) { return name.starts_with(s); });
}

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Backslashes at line ends join lines before anything else is done.
std::string with_lines_joined(std::string_view source) {
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\\') {
      std::size_t end = i + 1;
      while (end < source.size() && source[end] != '\n' && is_space(source[end])) ++end;
      if (end < source.size() && source[end] == '\n') {
        i = end;
        continue;
      }
    }
    text += source[i];
  }
  return text;
}

/// The tokens of a text that matter here, as a compiler takes it apart: identifiers, and "##" in
/// either spelling. Comments, quotes and numbers (1'000) are passed over.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<std::string> tokens() {
    while (at_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  void step() {
    const char c = text_[at_];
    if (rest().starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (rest().starts_with("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else if (c == '"' || c == '\'') {
      pass_quoted(c);
    } else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
      pass_number();
    } else if (is_word(c)) {
      std::size_t end = at_;
      while (end < text_.size() && is_word(text_[end])) ++end;
      tokens_.emplace_back(text_.substr(at_, end - at_));
      at_ = end;
    } else if (rest().starts_with("##") || rest().starts_with("%:%:")) {
      tokens_.emplace_back("##");
      at_ += c == '#' ? 2 : 4;
    } else {
      ++at_;
    }
  }

  /// A quote that its line does not close ends with the line, as in text that is left out by #if.
  void pass_quoted(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == quote) {
        ++at_;
        return;
      }
    }
  }

  void pass_number() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const char before = at_ == 0 ? ' ' : text_[at_ - 1];
      const bool exponent = (c == '+' || c == '-') && std::strchr("eEpP", before) != nullptr;
      const bool separator = c == '\'' && at_ + 1 < text_.size() && is_word(text_[at_ + 1]);
      if (!is_word(c) && c != '.' && !exponent && !separator) return;
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> tokens_;
};

std::vector<std::string> tokens_of(std::string_view text) { return Lexer(text).tokens(); }

constexpr auto kAssembly = std::to_array<std::string_view>({"asm", "__asm", "__asm__"});

/// <cmath>'s functions, for double; with f for float.
constexpr auto kMath = std::to_array<std::string_view>(
    {"acos",     "acosh",  "asin",    "asinh",  "atan",      "atan2",     "atanh",     "cbrt",
     "ceil",     "copysign", "cos",   "cosh",   "erf",       "erfc",      "exp",       "exp2",
     "exp10",    "expm1",  "fabs",    "fdim",   "floor",     "fma",       "fmax",      "fmin",
     "fmod",     "frexp",  "hypot",   "ilogb",  "ldexp",     "lgamma",    "llrint",    "llround",
     "log",      "log10",  "log1p",   "log2",   "logb",      "lrint",     "lround",    "modf",
     "nan",      "nearbyint", "nextafter", "pow", "remainder", "remquo",  "rint",      "round",
     "roundeven", "scalbln", "scalbn", "sin",   "sincos",    "sinh",      "sqrt",      "tan",
     "tanh",     "tgamma", "trunc",   "abs",    "labs",      "llabs",     "div",       "ldiv"});

/// Of C's library: memory and text, what an assertion needs, and printing, which nobody reads.
constexpr auto kOfC = std::to_array<std::string_view>(
    {"memcpy",   "memmove", "memset",  "memcmp",  "memchr", "strlen",  "strcmp",  "strncmp",
     "strchr",   "strcpy",  "strncpy", "strcat",  "strtof", "strtod",  "strtol",  "strtoul",
     "strtoll",  "strtoull", "snprintf", "printf", "puts",  "putchar", "malloc",  "calloc",
     "realloc",  "free",    "aligned_alloc", "__assert_fail", "__stack_chk_fail",
     "_GLOBAL_OFFSET_TABLE_", "__dso_handle", "__errno_location", "bcmp"});

/// What the compiler calls without being asked, and the CPU backend; a source that names any of it
/// is refused before.
constexpr auto kOfCompilers = std::to_array<std::string_view>(
    {"__tsan_", "__sanitizer_cov_", "__ubsan_handle_", "__cxa_", "_Unwind_", "__gxx_personality_",
     "simt::", "simt_", "_ZGV", "__mul", "__div", "__udiv", "__mod", "__umod", "__fix", "__float",
     "__extend", "__trunc", "__popcount", "__clz", "__ctz", "__parity", "__atomic_", "__nv",
     "__cuda"});

constexpr auto kOfThreads =
    std::to_array<std::string_view>({"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"});

/// Of the standard library: exceptions, text, containers.
constexpr auto kOfStd = std::to_array<std::string_view>(
    {"std::__throw_",         "std::__cxx11::basic_string<", "std::basic_string<",
     "std::exception::",      "std::runtime_error::",        "std::invalid_argument::",
     "std::logic_error::",    "std::out_of_range::",         "std::length_error::",
     "std::domain_error::",   "std::range_error::",          "std::overflow_error::",
     "std::underflow_error::", "std::bad_alloc::",           "std::bad_array_new_length::",
     "std::__detail::_Prime_rehash_policy::", "std::_Hash_bytes", "std::_Rb_tree_",
     "std::__detail::_List_node_base::",      "std::nothrow",     "std::allocator<",
     "std::__glibcxx_assert_fail"});

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

/// Folders of the system whose headers belong to the language, not to other libraries.
bool is_standard_header(const fs::path& file) {
  const std::string text = file.string();
  constexpr auto kFolders = std::to_array<std::string_view>(
      {"/usr/include/c++/", "/usr/include/bits/", "/usr/include/linux/",
       "/usr/include/asm-generic/", "/usr/include/x86_64-linux-gnu/bits/",
       "/usr/include/x86_64-linux-gnu/sys/", "/usr/include/x86_64-linux-gnu/gnu/",
       "/usr/include/x86_64-linux-gnu/asm/", "/usr/include/x86_64-linux-gnu/c++/"});
  if (starts_with_one(text, kFolders)) return true;
  // A compiler's own folders, wherever it is installed: .../lib/gcc/x86_64-linux-gnu/12/include.
  if (text.find("/lib/gcc/") != std::string::npos || text.find("/lib/clang/") != std::string::npos ||
      (text.find("/include/c++/") != std::string::npos)) {
    return true;
  }
  return file.parent_path() == "/usr/include";
}

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
    if (c == '\\' && i + 1 < rule.size() && rule[i + 1] == '\n') {
      ++i;
      end_file();
    } else if (c == '\\' && i + 1 < rule.size() && (rule[i + 1] == ' ' || rule[i + 1] == '#')) {
      file += rule[++i];
    } else if (c == '$' && i + 1 < rule.size() && rule[i + 1] == '$') {
      file += rule[++i];
    } else if (c == ':' && !after_target) {
      after_target = true;
      file.clear();
    } else if (c == ' ' || c == '\t') {
      end_file();
    } else if (c == '\n') {
      end_file();
      if (after_target) break;  // what follows are rules without commands
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

ObjectFacts facts_of(const fs::path& object, const fs::path& dependencies) {
  ObjectFacts facts;
  facts.symbols =
      parse_symbols(output_of_tool({"nm", "--demangle", "--extern-only", object.string()}));
  for (const std::string& line : split_lines(output_of_tool({"nm", object.string()}))) {
    if (line.size() < 20 || line[16] == '\0') continue;
    const std::string_view name = std::string_view(line).substr(19);
    if (line[17] != 'U' && line[17] != 'w' && std::isupper(line[17]) != 0) {
      facts.raw_names.emplace(name);
    }
    if (line[17] == 'W' || line[17] == 'V') facts.raw_names.emplace(name);
    if (line[17] == 't' && (name.starts_with("_GLOBAL__sub_") || name.starts_with("_sub_I_") ||
                            name.starts_with("_sub_D_"))) {
      ++facts.compilers_initialisers;
    }
  }
  facts.initialisers = count_initialisers(output_of_tool({"readelf", "-SW", object.string()}));
  facts.files = parse_dependencies(read_file(dependencies).value_or(""));
  return facts;
}

std::vector<std::string> wrong_words(std::string_view source) {
  // What tells a build of the tests from another, what reaches around the language, and what is
  // the CPU backend's own.
  constexpr auto kStarts = std::to_array<std::string_view>(
      {"__SIMT", "__simt", "simt", "__SANITIZE", "__sanitizer", "__tsan", "__ubsan", "__asan",
       "__cxa", "_Unwind", "TUT_", "_GLOBAL__", "__builtin_return", "__builtin_frame",
       "__builtin_extract", "_ZN", "_ZS"});
  constexpr auto kWords = std::to_array<std::string_view>(
      {"constructor", "__constructor__", "destructor", "__destructor__", "init_priority",
       "__init_priority__", "section", "__section__", "ifunc", "__ifunc__", "__has_feature",
       "no_sanitize", "__no_sanitize__", "no_sanitize_thread", "__no_sanitize_thread__",
       "no_sanitize_coverage", "__no_sanitize_coverage__", "no_instrument_function",
       "__no_instrument_function__", "__libc_start_main", "__environ", "environ", "push_options",
       "optimize", "__optimize__"});
  std::vector<std::string> lines;
  const std::string joined = with_lines_joined(source);
  if (joined.find("R\"") != std::string::npos) {
    lines.emplace_back("it has a raw string (R\"...\"); expected ordinary ones");
  }
  std::set<std::string> seen;
  for (const std::string& word : tokens_of(joined)) {
    if (word == "##" && seen.insert(word).second) {
      lines.emplace_back("it joins words by ##; expected them written out");
    }
    // "section" and the like are attributes only where they are in double parentheses or brackets,
    // but no source of the course needs a variable of that name.
    if ((is_one_of(word, kWords) || starts_with_one(word, kStarts)) && seen.insert(word).second) {
      lines.push_back(fmt::format("it says {}, which no solution needs; expected plain CUDA C++", word));
    }
  }
  return lines;
}

bool mentions_assembly(std::string_view source) {
  // Not only where it stands in plain sight: what looks like a comment or a string may be none.
  for (const std::string_view word : kAssembly) {
    if (find_word(with_lines_joined(source), word) != std::string_view::npos) return true;
  }
  return false;
}

bool has_assembly(std::string_view preprocessed, std::string_view source) {
  bool own = false;
  std::string lines;
  for (const std::string& line : split_lines(preprocessed)) {
    if (line.starts_with("# ") && line.size() > 2 && is_digit(line[2])) {
      const std::size_t begin = line.find('"'), end = line.rfind('"');
      own = begin != std::string::npos && end > begin &&
            std::string_view(line).substr(begin + 1, end - begin - 1) == source;
    } else if (own) {
      lines += line + "\n";
    }
  }
  const std::vector<std::string> words = tokens_of(lines);
  return std::ranges::any_of(words, [](const std::string& w) { return is_one_of(w, kAssembly); });
}

bool is_allowed_call(std::string_view name, const std::set<std::string>& reference) {
  return reference.contains(std::string(name)) || is_cuda(name) || is_math(name) ||
         is_one_of(name, kOfC) || is_one_of(name, kOfThreads) || is_one_of(name, kMemory) ||
         starts_with_one(name, kOfCompilers) || starts_with_one(name, kOfStd);
}

std::vector<std::string> forbidden_calls(const ObjectFacts& facts, const ObjectFacts& reference) {
  std::set<std::string> known;
  for (const Symbol& symbol : reference.symbols) {
    if (symbol.kind == 'U' || symbol.kind == 'w') known.insert(symbol.name);
  }
  std::vector<std::string> lines;
  std::set<std::string> seen;
  for (const Symbol& symbol : facts.symbols) {
    const bool needed = symbol.kind == 'U' || symbol.kind == 'w';
    if (!needed || is_allowed_call(symbol.name, known) || !seen.insert(symbol.name).second) continue;
    lines.push_back(fmt::format(
        "it calls or uses {}, which its work does not need; expected CUDA's runtime, <cmath> and "
        "code of its own",
        symbol.name));
  }
  return lines;
}

std::vector<std::string> forbidden_definitions(const ObjectFacts& facts) {
  std::vector<std::string> lines;
  // A C function's name, weak or not, is taken before that of any library; so is an object's.
  for (const std::string& name : facts.raw_names) {
    if (name.starts_with("_Z") || name.starts_with("DW.ref.") || name.starts_with("__nv") ||
        name.starts_with("__cuda") || name.starts_with("__fatbin")) {
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

std::vector<std::string> forbidden_files(const ObjectFacts& facts, const ObjectFacts& reference,
                                         const fs::path& root, const fs::path& own) {
  const std::set<std::string> known(reference.files.begin(), reference.files.end());
  const std::string number = own.parent_path().filename().string().substr(0, 2);
  std::vector<std::string> lines;
  for (const std::string& file : facts.files) {
    const fs::path path = fs::path(file).lexically_normal();
    if (known.contains(file) || is_standard_header(path)) continue;
    const fs::path inside = path.is_absolute() ? path.lexically_relative(root) : path;
    const std::string text = inside.string();
    const bool header = inside.extension() == ".hpp" || inside.extension() == ".h" ||
                        inside.extension() == ".cuh" || inside.extension().empty();
    const bool allowed = inside == own || text.starts_with("common/simt/include/") ||
                         (text.starts_with("chapters/" + number) && header) ||
                         (text.starts_with("common/tut/") && inside.extension() == ".hpp" &&
                          !text.starts_with("common/tut/testing/") &&
                          !text.starts_with("common/tut/trial/") &&
                          !text.starts_with("common/tut/budget/") &&
                          !text.starts_with("common/tut/compare/"));
    if (allowed) continue;
    lines.push_back(fmt::format(
        "it includes {}; expected the exercise's own headers, CUDA's and the standard library's",
        text.starts_with("..") ? file : text));
  }
  if (lines.size() > 3) lines.resize(3);
  return lines;
}

}  // namespace tut::learn
