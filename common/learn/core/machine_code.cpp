#include "learn/core/machine_code.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <memory>
#include <regex>
#include <set>

#include "learn/core/text.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : symbol;
}

void erase_all(std::string& text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    text.erase(at, word.size());
  }
}

bool is_same_file(const std::string& name, const fs::path& file) {
  return fs::path(name).lexically_normal() == fs::absolute(file).lexically_normal();
}

/// The line of the learner's file in a directive `.loc FILE LINE ... [inlined_at FILE LINE ...]`;
/// 0 where it has none.
int line_of_directive(const std::string& line, const std::set<std::string>& own_numbers) {
  static const std::regex place(R"((?:\.loc|inlined_at)\s+(\d+)\s+(\d+))");
  for (std::sregex_iterator it(line.begin(), line.end(), place), end; it != end; ++it) {
    if (own_numbers.contains((*it)[1])) return std::stoi((*it)[2]);
  }
  return 0;
}

/// The numbers under which `.file NUMBER ["FOLDER"] "NAME"` has the learner's file.
std::set<std::string> numbers_of_file(const std::vector<std::string>& lines, const fs::path& file) {
  static const std::regex directive(R"re(\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?.*)re");
  std::set<std::string> numbers;
  for (const std::string& line : lines) {
    std::smatch match;
    const std::string text(trim(line));
    if (!text.starts_with(".file") || !std::regex_match(text, match, directive)) continue;
    const fs::path name =
        match[3].matched ? fs::path(match[2].str()) / match[3].str() : fs::path(match[2].str());
    if (is_same_file(name.string(), file)) numbers.insert(match[1]);
  }
  return numbers;
}

/// Of an instruction's text: @P0 LDG.E.128 R4, [R2] -> LDG.E.128.
std::string opcode_of(std::string_view text) {
  if (text.starts_with("@")) text = trim(text.substr(std::min(text.find(' '), text.size())));
  return std::string(text.substr(0, std::min(text.find_first_of(" \t;"), text.size())));
}

/// An instruction of a GPU with what says how much it moves: LDG.E.128.CONSTANT -> LDG.E.128.
std::string short_opcode(const std::string& opcode) {
  static const std::regex kept(R"(\.(E|U8|S8|U16|S16|64|128|256|BYPASS))");
  if (std::islower(static_cast<unsigned char>(opcode[0])) != 0) return opcode;  // PTX
  if (!std::regex_match(opcode, std::regex(R"((LD|ST|ATOM|RED)[A-Z]*(\..*)?)"))) return opcode;
  if (opcode.starts_with("LDSM") || opcode.starts_with("STSM")) return opcode;
  std::string text = opcode.substr(0, opcode.find('.'));
  for (std::sregex_iterator it(opcode.begin(), opcode.end(), kept), end; it != end; ++it) {
    text += it->str();
  }
  return text;
}

struct Group {
  const char* title;
  std::regex opcodes;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {"asynchronous copies",
       std::regex("(LDGSTS|UBLKCP|UTMALDG|UTMASTG|UTMAREDG|UBLKRED)\\b.*|cp\\.(async|reduce).*")},
      {"tensor cores", std::regex("([HIBDQF]MMA|[HIBQ]GMMA)\\b.*|(wmma|mma|wgmma)\\..*")},
      {"global memory", std::regex("(LDG|STG|ATOMG|REDG|RED)\\b.*|"
                                   "(ld|st|atom|red)(\\.\\w+)*\\.global.*")},
      {"generic addresses",
       std::regex("(LD|ST|ATOM)\\b.*|(ld|st|atom|red)(\\.v\\d)?\\.[bfus]\\d+.*")},
      {"shared memory", std::regex("(LDS|STS|LDSM|STSM|ATOMS)\\b.*|"
                                   "(ld|st|atom|red)(\\.\\w+)*\\.shared.*|(ld|st)matrix.*")},
      {"local memory (spilled)", std::regex("(LDL|STL)\\b.*|(ld|st)(\\.\\w+)*\\.local.*")},
      {"warps and barriers", std::regex("(SHFL|VOTE|REDUX|MATCH|BAR|WARPSYNC|SYNCS)\\b.*|"
                                        "(shfl|vote|redux|match|bar|barrier|mbarrier)\\..*")},
      {"arithmetic", std::regex("(FFMA2?|FMUL2?|FADD2?|HFMA2|HADD2|HMUL2|DFMA|DADD|DMUL|MUFU)\\b.*|"
                                "fma\\..*|(add|mul)(\\.\\w+)*\\.(f16|f16x2|f32|f64|bf16)")}};
  return all;
}

/// An instruction that names the kernel's parameters, without the mangled name.
std::string with_short_name(std::string text, const std::string& symbol,
                            const std::string& kernel) {
  const std::string name = kernel.substr(0, kernel.find('<'));
  for (std::size_t at = text.find(symbol); at != std::string::npos; at = text.find(symbol)) {
    text.replace(at, symbol.size(), name);
  }
  return text;
}

KernelCode code_of(const std::string& symbol) { return {kernel_in(demangled(symbol)), symbol, {}}; }

/// What the CPU backend runs a kernel's threads by, of all the functions that it makes.
bool runs_threads(const std::string& name) {
  return name.find("simt::detail::run_") != std::string::npos &&
         name.find("{lambda") != std::string::npos &&
         name.find("run_block_of_large_grid") == std::string::npos &&
         name.find("run_whole_block") == std::string::npos &&
         name.find("[clone .cold]") == std::string::npos;
}

}  // namespace

std::string kernel_in(std::string_view demangled) {
  std::string text(demangled);
  erase_all(text, "(anonymous namespace)::");
  const std::size_t runner = text.find("simt::detail::run_");
  if (runner != std::string::npos) {
    // run_threads<KERNEL(...)::{lambda...}>, run_loops<false, KERNEL(...)::{lambda...}>.
    std::size_t begin = text.find('<', runner) + 1;
    for (const char* flag : {"false, ", "true, "}) {
      if (text.compare(begin, std::string_view(flag).size(), flag) == 0) {
        begin += std::string_view(flag).size();
      }
    }
    text.erase(0, begin);
  }
  static const std::regex number_type(R"(\((?:bool|char|int|long|unsigned[a-z ]*)\)(?=-?\d))");
  text = std::regex_replace(text, number_type, "");
  std::size_t name = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += (text[i] == '<') - (text[i] == '>');
    if (depth != 0) continue;
    if (text[i] == '(') return text.substr(name, i - name);
    if (text[i] == ' ' || text[i] == ':') name = i + 1;
  }
  return text.substr(name);
}

std::vector<KernelCode> parse_sass(std::string_view text, const fs::path& file) {
  static const std::regex place(R"re("([^"]*)", line (\d+))re");
  static const std::regex instruction(R"(\s*/\*[0-9a-f]+\*/\s+(.*?)\s*;?\s*)");
  std::vector<KernelCode> kernels;
  int line_now = 0;
  bool inside_place = false;
  for (const std::string& line : split_lines(text)) {
    std::smatch match;
    if (line.starts_with(".text.") && line.ends_with(":")) {
      kernels.push_back(code_of(line.substr(6, line.size() - 7)));
      line_now = 0;
    } else if (line.find("//## File ") != std::string::npos) {
      if (!inside_place) line_now = 0;
      inside_place = true;
      for (std::sregex_iterator it(line.begin(), line.end(), place), end; it != end; ++it) {
        if (line_now == 0 && is_same_file((*it)[1], file)) line_now = std::stoi((*it)[2]);
      }
    } else if (!kernels.empty() && std::regex_match(line, match, instruction)) {
      kernels.back().lines.push_back({line_now, match[1]});
      inside_place = false;
    } else if (!kernels.empty() && line.starts_with(".L_")) {
      kernels.back().lines.push_back({0, line});
    }
  }
  return kernels;
}

std::vector<KernelCode> parse_ptx(std::string_view text, const fs::path& file) {
  static const std::regex entry(R"(.*\.entry\s+([\w$]+)\(.*)");
  const std::vector<std::string> lines = split_lines(text);
  const std::set<std::string> own = numbers_of_file(lines, file);
  std::vector<KernelCode> kernels;
  bool inside = false;
  int line_now = 0;
  for (const std::string& line : lines) {
    std::smatch match;
    const std::string words(trim(line));
    if (std::regex_match(line, match, entry)) {
      kernels.push_back(code_of(match[1]));
    } else if (line == "{") {
      inside = !kernels.empty();
      line_now = 0;
    } else if (line == "}") {
      inside = false;
    } else if (inside && words.starts_with(".loc")) {
      line_now = line_of_directive(words, own);
    } else if (inside && !words.empty() && !words.starts_with("//") && !words.starts_with(".")) {
      KernelCode& code = kernels.back();
      code.lines.push_back(
          {words.ends_with(":") ? 0 : line_now, with_short_name(words, code.symbol, code.kernel)});
    }
  }
  return kernels;
}

std::vector<KernelCode> parse_cpu_assembly(std::string_view text, const fs::path& file) {
  const std::vector<std::string> lines = split_lines(text);
  const std::set<std::string> own = numbers_of_file(lines, file);
  static const std::regex noise(R"(\.L(V|BB|BE|FB|FE|M|C?FI|FSB|text|debug|ASF|col|hot)\w*:)");
  std::vector<KernelCode> kernels;
  bool inside = false;
  int line_now = 0;
  for (const std::string& line : lines) {
    const std::string words(trim(line));
    if (line.starts_with("_Z") && line.ends_with(":")) {
      const std::string symbol = line.substr(0, line.size() - 1);
      inside = runs_threads(demangled(symbol));
      line_now = 0;
      if (inside) kernels.push_back(code_of(symbol));
    } else if (inside && words.starts_with(".size")) {
      inside = false;
    } else if (inside && words.starts_with(".loc")) {
      line_now = line_of_directive(words, own);
    } else if (inside && line.ends_with(":")) {
      if (!std::regex_match(line, noise)) kernels.back().lines.push_back({0, line});
    } else if (inside && !words.empty() && words[0] != '.' && words[0] != '#') {
      kernels.back().lines.push_back({line_now, words});
    }
  }
  return kernels;
}

std::vector<KernelResources> parse_resources(std::string_view text) {
  std::vector<KernelResources> all;
  const auto number = [](const std::string& line, const char* pattern) {
    std::smatch match;
    return std::regex_search(line, match, std::regex(pattern)) ? std::stoi(match[1]) : 0;
  };
  static const std::regex name("Compiling entry function '([^']+)'");
  for (const std::string& line : split_lines(text)) {
    std::smatch match;
    if (std::regex_search(line, match, name)) {
      all.push_back({match[1], 0, 0, 0, 0});
    } else if (!all.empty() && line.find("spill stores") != std::string::npos) {
      all.back().stack_bytes = number(line, R"((\d+) bytes stack frame)");
      all.back().spill_bytes =
          number(line, R"((\d+) bytes spill stores)") + number(line, R"((\d+) bytes spill loads)");
    } else if (!all.empty() && line.find(": Used ") != std::string::npos) {
      all.back().registers = number(line, R"(Used (\d+) registers)");
      all.back().shared_bytes = number(line, R"((\d+) bytes smem)");
    }
  }
  return all;
}

std::vector<std::string> instruction_table(const KernelCode& code) {
  std::vector<std::map<std::string, int>> counts(groups().size());
  for (const CodeLine& line : code.lines) {
    const std::string opcode = opcode_of(line.text);
    if (opcode.empty()) continue;
    const auto group = std::find_if(groups().begin(), groups().end(), [&](const Group& one) {
      return std::regex_match(opcode, one.opcodes);
    });
    if (group == groups().end()) continue;
    ++counts[static_cast<std::size_t>(group - groups().begin())][short_opcode(opcode)];
  }
  std::vector<std::string> table;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::string items;
    for (const auto& [opcode, count] : counts[i]) {
      items += fmt::format("{}{} {}", items.empty() ? "" : ", ", opcode, count);
    }
    if (!items.empty()) table.push_back(fmt::format("{:<22} {}", groups()[i].title, items));
  }
  return table;
}

std::string listing(const KernelCode& code, const fs::path& file, std::string_view source) {
  const std::vector<std::string> lines = split_lines(source);
  std::string text;
  int shown = 0;
  for (const CodeLine& line : code.lines) {
    const auto number = static_cast<std::size_t>(line.source_line);
    if (line.source_line != 0 && line.source_line != shown && number <= lines.size()) {
      text += fmt::format("{}:{}: {}\n", file.filename().string(), number, trim(lines[number - 1]));
      shown = line.source_line;
    }
    const bool label = line.text.ends_with(":");
    text += fmt::format("{}{}\n", label ? "    " : "        ", line.text);
  }
  return text;
}

}  // namespace tut::learn
