#include "driver/options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <sstream>
#include <string_view>

#include "driver/option_tables.hpp"
#include "driver/process.hpp"

namespace simt::rewrite {
namespace {

/// Walks over a command line; options may carry their value behind `=`, attached or as the next
/// word.
class Words {
 public:
  explicit Words(const std::vector<std::string>& words) : words_(words) {}

  bool done() const { return next_ == words_.size(); }
  const std::string& take() { return words_[next_++]; }
  const std::string& peek() const { return words_[next_]; }

  const std::string& value_of(const std::string& option) {
    if (done()) throw UsageError("option " + option + " expects a value");
    return take();
  }

 private:
  const std::vector<std::string>& words_;
  std::size_t next_ = 0;
};

std::vector<std::string> split_commas(std::string_view list) {
  std::vector<std::string> parts;
  std::stringstream stream{std::string(list)};
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

/// Words as a shell parts them: by white space, with quotes and backslashes.
std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      words.back() += c;
    }
  }
  return words;
}

/// The runtime's headers are C++20: an older standard is raised to it.
std::string standard_flag(std::string_view name) {
  const bool old = name.ends_with("03") || name.ends_with("11") || name.ends_with("14") ||
                   name.ends_with("17") || name.ends_with("98") || name.ends_with("1y") ||
                   name.ends_with("1z") || name.ends_with("0x");
  return "-std=" + (old ? std::string("gnu++20") : std::string(name));
}

bool starts_with(std::string_view word, std::string_view prefix) {
  return word.starts_with(prefix);
}

/// Takes an option that means the same to the C++ compiler; false if it is none.
bool take_compiler_option(CommandLine& line, Words& words, const std::string& word) {
  const auto joined_or_next = [&](std::string_view option, std::vector<std::string>& flags) {
    flags.push_back(word);
    if (word == option) flags.push_back(words.value_of(word));
  };
  if (starts_with(word, "-isystem=")) {  // as CMake has it for nvcc
    line.preprocessor_flags.insert(line.preprocessor_flags.end(), {"-isystem", word.substr(9)});
    return true;
  }
  for (const std::string_view option : kPreprocessorOptions) {
    if (!starts_with(word, option)) continue;
    const bool short_option = option.size() == 2;
    if (!short_option && word != option) continue;
    joined_or_next(option, line.preprocessor_flags);
    return true;
  }
  if (word == "-o") {
    line.output = words.value_of(word);
  } else if (starts_with(word, "-o") && word.size() > 2 && word[2] != '-') {
    line.output = word.substr(2);
  } else if (word == "-c") {
    line.stage = Stage::compile;
  } else if (word == "-E") {
    line.stage = Stage::preprocess;
  } else if (word == "-S") {
    line.stage = Stage::assemble_text;
  } else if (word == "-x") {
    line.language = words.value_of(word);
  } else if (word == "-MD" || word == "-MMD") {
    line.writes_dependencies = true;
    line.system_dependencies = word == "-MD";
  } else if (word == "-M" || word == "-MM") {
    line.stage = Stage::preprocess;
    line.preprocessor_flags.push_back(word);
  } else if (word == "-MP") {
    line.phony_dependencies = true;
  } else if (word == "-MF") {
    line.dependency_file = words.value_of(word);
  } else if (word == "-MT" || word == "-MQ") {
    line.dependency_targets.push_back(word);
    line.dependency_targets.push_back(words.value_of(word));
  } else if (word == "-L" || word == "-l" || word == "-Xlinker" || word == "-T" || word == "-u" ||
             word == "-z") {
    line.linker_flags.push_back(word);
    line.linker_flags.push_back(words.value_of(word));
  } else if (starts_with(word, "-L") || starts_with(word, "-l") || starts_with(word, "-Wl,")) {
    line.linker_flags.push_back(word);
  } else if (word == "--param" || word == "-Xassembler" || word == "-Xpreprocessor") {
    line.compiler_flags.push_back(word);
    line.compiler_flags.push_back(words.value_of(word));
  } else if (starts_with(word, "-std=")) {
    line.compiler_flags.push_back(standard_flag(word.substr(5)));
  } else {
    return false;
  }
  return true;
}

void note_flag(CommandLine& line, const std::string& word) {
  if (starts_with(word, "-O")) line.optimises = true;
  if (starts_with(word, "-march=") || starts_with(word, "-mcpu=")) line.targets_machine = true;
  line.compiler_flags.push_back(word);
}

/// nvcc spells its options with one dash or two.
std::string single_dash(const std::string& word) {
  return word.starts_with("--") ? word.substr(1) : word;
}

/// An nvcc option with the value it takes, if it takes one.
struct NvccOption {
  std::string name;  ///< with one dash
  std::string value;
};

NvccOption read_nvcc_option(Words& words, const std::string& word) {
  const std::string name = single_dash(word);
  const std::size_t equals = name.find('=');
  if (equals != std::string::npos) return {name.substr(0, equals), name.substr(equals + 1)};
  const auto found = std::find(kNvccWithValue.begin(), kNvccWithValue.end(), name);
  if (found == kNvccWithValue.end()) return {name, {}};
  return {name, words.value_of(word)};
}

void take_host_flags(CommandLine& line, const std::string& list) {
  const std::vector<std::string> parts = split_commas(list);
  Words words(parts);
  while (!words.done()) {
    const std::string word = words.take();
    if (!take_compiler_option(line, words, word)) note_flag(line, word);
  }
}

void take_werror(CommandLine& line, Words& words, const NvccOption& option) {
  static constexpr std::array<std::string_view, 5> kinds = {
      "all-warnings", "cross-execution-space-call", "deprecated-declarations", "reorder",
      "default-stream-launch"};
  const auto is_kind = [](const std::string& word) {
    return std::find(kinds.begin(), kinds.end(), word) != kinds.end();
  };
  const bool next = option.value.empty() && !words.done() && is_kind(words.peek());
  const std::string kind = next ? words.take() : option.value;
  if (kind.empty() || kind == "all-warnings") line.compiler_flags.emplace_back("-Werror");
}

/// Takes an option that is nvcc's own; false if it is none.
bool take_nvcc_option(CommandLine& line, Words& words, const std::string& word) {
  const std::string name = single_dash(word.substr(0, word.find('=')));
  if (name == "-Werror") {
    take_werror(line, words,
                {name, word.size() > name.size() ? word.substr(word.find('=') + 1) : ""});
    return true;
  }
  if (std::find(kNvccIgnored.begin(), kNvccIgnored.end(), name) != kNvccIgnored.end()) {
    read_nvcc_option(words, word);
    return true;
  }
  const auto known = kNvccMeanings.find(name);
  if (known == kNvccMeanings.end()) return false;
  const std::string value = read_nvcc_option(words, word).value;
  switch (known->second) {
    case Meaning::host_flags:
      take_host_flags(line, value);
      break;
    case Meaning::linker_flags:
      for (const std::string& part : split_commas(value)) {
        line.linker_flags.insert(line.linker_flags.end(), {"-Xlinker", part});
      }
      break;
    case Meaning::host_compiler:
      line.compiler = value;
      break;
    case Meaning::standard:
      line.compiler_flags.push_back(standard_flag(value));
      break;
    case Meaning::separate:
      line.separate_compilation = value.empty() || value == "true";
      break;
    case Meaning::separate_compile:
      line.separate_compilation = true;
      line.stage = Stage::compile;
      break;
    case Meaning::compile:
      line.stage = Stage::compile;
      break;
    case Meaning::rewrite:
      line.stage = Stage::rewrite;
      break;
    case Meaning::run:
      line.runs_program = true;
      break;
    case Meaning::verbose:
      line.verbose = true;
      break;
    case Meaning::split_report:
      line.split_report = true;
      break;
    case Meaning::dry_run:
      line.dry_run = true;
      break;
    case Meaning::check:
      line.mode = Mode::check;
      break;
    case Meaning::strict_device:
      line.strict_device = true;
      break;
    case Meaning::count:
      line.mode = Mode::count;
      break;
    case Meaning::fast_math:
      line.compiler_flags.insert(line.compiler_flags.end(),
                                 {"-fno-math-errno", "-freciprocal-math"});
      break;
    case Meaning::fused:
      if (value == "false") line.compiler_flags.emplace_back("-ffp-contract=off");
      break;
    case Meaning::output:
      line.output = value;
      break;
    case Meaning::language:
      line.language = value;
      break;
    case Meaning::include:
      line.preprocessor_flags.push_back("-I" + value);
      break;
    case Meaning::define:
      line.preprocessor_flags.push_back("-D" + value);
      break;
    case Meaning::library:
      line.linker_flags.push_back("-l" + value);
      break;
    case Meaning::library_path:
      line.linker_flags.push_back("-L" + value);
      break;
    case Meaning::optimise:
      note_flag(line, "-O" + value);
      break;
    case Meaning::shared:
      line.linker_flags.emplace_back("-shared");
      break;
    case Meaning::device_link:
      line.links_device_code = true;
      break;
    case Meaning::debug:
      line.compiler_flags.emplace_back("-g");
      break;
    case Meaning::device_debug:
      line.device_debug = true;
      break;
    case Meaning::runtime:
      line.shared_runtime = value == "shared";
      break;
    case Meaning::device_output:
      throw UsageError("option " + word + " asks for code of a GPU, which cucc does not make");
  }
  return true;
}

/// Libraries of the CUDA toolkit that the CPU backend replaces.
bool is_replaced_library(const std::string& flag) {
  return starts_with(flag, "-l") && std::find(kReplacedLibraries.begin(), kReplacedLibraries.end(),
                                              flag.substr(2)) != kReplacedLibraries.end();
}

bool has_suffix(const std::string& name, const std::vector<std::string_view>& suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](std::string_view suffix) { return name.ends_with(suffix); });
}

}  // namespace

std::vector<std::string> read_response_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> all;
  Words words(arguments);
  while (!words.done()) {
    const std::string word = words.take();
    const std::string name = single_dash(word.substr(0, word.find('=')));
    if (name != "-options-file" && name != "-optf") {
      all.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string files =
        equals == std::string::npos ? words.value_of(word) : word.substr(equals + 1);
    for (const std::string& file : split_commas(files)) {
      const std::vector<std::string> more = read_response_files(split_words(read_file(file)));
      all.insert(all.end(), more.begin(), more.end());
    }
  }
  return all;
}

CommandLine parse_nvcc(const std::vector<std::string>& arguments) {
  CommandLine line;
  Words words(arguments);
  while (!words.done()) {
    const std::string word = words.take();
    if (word.size() < 2 || word[0] != '-') {
      line.inputs.push_back(word);
    } else if (!take_nvcc_option(line, words, word) && !take_compiler_option(line, words, word)) {
      if (word.starts_with("--") && word.find("sanitize") == std::string::npos) {
        throw UsageError("unknown option " + word);
      }
      note_flag(line, word);
    }
  }
  const auto is_runtime = [](const std::string& flag) { return flag == "-lcudart"; };
  line.shared_runtime |= std::ranges::any_of(line.linker_flags, is_runtime);
  std::erase_if(line.linker_flags, is_replaced_library);
  return line;
}

CommandLine parse_compiler(const std::vector<std::string>& command) {
  if (command.empty()) throw UsageError("--launcher expects a compiler command");
  CommandLine line;
  line.compiler = command.front();
  const std::vector<std::string> arguments(command.begin() + 1, command.end());
  Words words(arguments);
  while (!words.done()) {
    const std::string word = words.take();
    if (word.size() < 2 || word[0] != '-') {
      line.inputs.push_back(word);
    } else if (!take_compiler_option(line, words, word)) {
      note_flag(line, word);
    }
  }
  return line;
}

bool is_cuda_source(const CommandLine& line, const std::string& input) {
  return has_suffix(input, {".cu", ".cuh"}) || (line.language == "cu" && is_plain_source(input));
}

bool is_plain_source(const std::string& input) {
  return has_suffix(input, {".cpp", ".cc", ".cxx", ".c++", ".C", ".c"});
}

}  // namespace simt::rewrite
