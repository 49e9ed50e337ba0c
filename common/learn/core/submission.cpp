#include "learn/core/submission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "learn/core/cpp_source.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/process.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

namespace fs = std::filesystem;

/// The name without what a function takes, and without the type that a template's function returns.
std::string plain_name(std::string_view demangled) {
  std::string name;
  int angles = 0;
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    const bool shift = name.ends_with("operator");
    if (c == '(' && !demangled.substr(i).starts_with("(anonymous namespace)")) break;
    if (c == '<' && !shift) ++angles;
    if (c == ' ' && angles == 0 && !name.ends_with("operator")) {
      name.clear();
    } else {
      name += c;
    }
    if (c == '>' && angles > 0) --angles;
  }
  return name;
}

std::string_view last_part(std::string_view name) {
  name = name.substr(0, name.find('<'));
  const std::size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

bool is_library_call(std::string_view name) {
  constexpr auto kLibraries =
      std::to_array<std::string_view>({"cublas", "cudnn", "cusolver", "cusparse", "nccl", "cblas_",
                                       "openblas_", "sgemm_", "dgemm_"});
  return std::ranges::any_of(kLibraries,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_called(const Symbol& symbol) { return symbol.kind == 'U'; }
bool is_defined(const Symbol& symbol) { return symbol.kind != 'U' && symbol.kind != 'w'; }
/// Instances of templates and inline functions are there more than once, and are all the same.
bool may_be_shared(const Symbol& symbol) {
  return symbol.kind == 'W' || symbol.kind == 'V' || symbol.kind == 'u';
}

/// Names that nvcc gives, in code of its own.
bool is_of_compiler(std::string_view name) {
  return name.starts_with("__nv") || name.starts_with("__cuda") || name.starts_with("__fatbin");
}

/// Names that a learner's file must not define.
bool is_reserved(std::string_view name, const std::string& own_space) {
  constexpr auto kSpaces = std::to_array<std::string_view>(
      {"tut::", "simt::", "doctest::", "std::", "__gnu", "__cxxabiv1::", "operator "});
  if (name.starts_with(own_space)) return false;
  return std::ranges::any_of(kSpaces,
                             [&](std::string_view space) { return name.starts_with(space); });
}

/// What a program is linked from, the learner's own object apart.
struct Inputs {
  std::string own;
  std::vector<std::string> others;
};

Inputs inputs_of(const BuildTree& tree, const std::string& ninja, const std::string& program,
                 const fs::path& own) {
  Inputs inputs;
  const std::string folder = tree.folder().string();
  std::string own_object = own.string();
  if (own.is_absolute()) std::ranges::replace(own_object, ' ', '_');  // as CMake names it
  for (const std::string& line :
       split_lines(output_of_tool({ninja, "-C", folder, "-t", "inputs", "bin/" + program}))) {
    const std::string path(trim(line));
    const bool object = path.ends_with(".o");
    if (object && path.find(own_object) != std::string::npos) {
      inputs.own = path;
    } else if (object && (path.find("/tests/") != std::string::npos ||
                          path.find("common/tut/") != std::string::npos)) {
      inputs.others.push_back((tree.folder() / path).string());
    }
  }
  return inputs;
}

}  // namespace

std::string callable_text(const fs::path& root, const Exercise& exercise) {
  if (auto solution = read_file(root / exercise.solution())) return *solution;
  fs::path calls = root / exercise.given();
  calls.replace_extension(".calls");
  return read_file(root / exercise.given()).value_or("") + read_file(calls).value_or("");
}

std::vector<Symbol> symbols_of(const std::vector<std::string>& files) {
  if (files.empty()) return {};  // nm would look for a.out
  std::vector<std::string> command = {"nm", "--demangle", "--extern-only"};
  command.insert(command.end(), files.begin(), files.end());
  return parse_symbols(output_of_tool(command));
}

std::vector<Symbol> parse_symbols(std::string_view nm_output) {
  std::vector<Symbol> symbols;
  for (const std::string& line : split_lines(nm_output)) {
    // "0000000000000000 T name", or "                 U name".
    if (line.size() < 20 || line[16] != ' ' || line[18] != ' ') continue;
    const std::string_view text = std::string_view(line).substr(19);
    const bool described = text.starts_with("typeinfo ") || text.starts_with("vtable ") ||
                           text.starts_with("guard variable ");
    if (described) continue;
    symbols.push_back(
        {line[17], plain_name(text), line[17] == 'T' && text.find('(') == std::string_view::npos});
  }
  return symbols;
}

std::vector<std::string> foreign_symbols(const std::vector<Symbol>& symbols, int chapter,
                                         std::string_view solution,
                                         const std::vector<std::string>& elsewhere) {
  const std::string own_space = fmt::format("tut::ch{:02}::", chapter);
  std::vector<std::string> lines;
  const auto add = [&](const std::string& line) {
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
  };
  for (const Symbol& symbol : symbols) {
    const std::string& name = symbol.name;
    if (is_called(symbol)) {
      const bool course = name.starts_with("tut::") &&
                          find_word(solution, last_part(name)) == std::string_view::npos;
      if (course || is_library_call(name)) {
        add(fmt::format("it calls {}; expected code of its own that does this work", name));
      }
    } else if (is_defined(symbol)) {
      const bool is_there =
          std::ranges::binary_search(elsewhere, name) && !name.starts_with(own_space);
      if (is_there || (!may_be_shared(symbol) && is_reserved(name, own_space))) {
        add(fmt::format("it defines {}, which is not the exercise's; expected names of its own",
                        name));
      } else if (symbol.is_c_function && !is_of_compiler(name)) {
        add(fmt::format(
            "it defines the C function {}, which could stand in for another's; expected "
            "C++ functions",
            name));
      }
    }
  }
  return lines;
}

std::vector<std::string> foreign_files(const std::vector<std::string>& files, const fs::path& root,
                                       const fs::path& own) {
  std::vector<std::string> lines;
  for (const std::string& file : files) {
    const fs::path path = fs::path(file).lexically_normal();
    const fs::path inside = path.is_absolute() ? path.lexically_relative(root) : path;
    const std::string text = inside.string();
    const bool source = inside.extension() == ".cu" || inside.extension() == ".cpp";
    const bool foreign = text.starts_with("solutions/") || text.starts_with("tests/") ||
                         text.starts_with("exercises/") ||
                         (text.starts_with("chapters/") && source);
    if (inside == own || (!foreign && file.find("/Eigen/") == std::string::npos)) continue;
    lines.push_back(fmt::format("it includes {}; expected code of its own", foreign ? text : file));
  }
  if (lines.size() > 3) lines.resize(3);
  return lines;
}

std::string foreign_parts(const BuildTree& tree, const fs::path& root, const Exercise& exercise,
                          const std::string& program) {
  const std::string ninja = tree.ninja();
  const Inputs inputs = inputs_of(tree, ninja, program, exercise.file);
  if (inputs.own.empty()) {
    throw UsageError(fmt::format("the build does not say which object of {} {} became", program,
                                 exercise.file.string()));
  }
  std::vector<std::string> files;
  for (const std::string& line : split_lines(
           output_of_tool({ninja, "-C", tree.folder().string(), "-t", "deps", inputs.own}))) {
    if (line.starts_with("    ")) files.emplace_back(trim(line));
  }
  std::vector<std::string> wrong = foreign_files(files, root, exercise.file);
  if (!exercise.course.empty()) {
    const fs::path file = exercise.file.lexically_relative(exercise.course);
    for (std::string& line : foreign_files(files, exercise.course, file)) {
      if (std::ranges::find(wrong, line) == wrong.end()) wrong.push_back(std::move(line));
    }
  }
  std::vector<std::string> elsewhere;
  for (const Symbol& symbol : symbols_of(inputs.others)) {
    if (is_defined(symbol) && !may_be_shared(symbol)) elsewhere.push_back(symbol.name);
  }
  std::ranges::sort(elsewhere);
  const std::string solution = callable_text(root, exercise);
  for (std::string& line : foreign_symbols(symbols_of({(tree.folder() / inputs.own).string()}),
                                           exercise.chapter, solution, elsewhere)) {
    wrong.push_back(std::move(line));
  }
  std::string report;
  for (const std::string& line : wrong) {
    report += fmt::format("{}: {}\n", exercise.file.string(), line);
  }
  return report;
}

}  // namespace tut::learn
