#include "driver/plain.hpp"

#include <iostream>
#include <utility>
#include <vector>

#include "driver/compile.hpp"
#include "driver/headers.hpp"
#include "driver/missing.hpp"
#include "driver/preprocess.hpp"
#include "driver/process.hpp"
#include "driver/stubs.hpp"
#include "passes/rewrite.hpp"

namespace simt::rewrite {
namespace {

/// The command, but for the stage and what it writes.
Command plain_command(const CommandLine& line, const Installation& installation,
                      const std::string& input) {
  const bool is_c = input.ends_with(".c");
  Command command = {line.compiler};
  for (const std::string& flag : line.compiler_flags) {
    if (!is_c || !flag.starts_with("-std=")) command.push_back(flag);
  }
  append(command, preprocessor_flags(line, installation));
  if (is_c) append(command, {"-x", "c"});
  if (line.mode != Mode::run) {
    command.emplace_back("-D__SIMT_WATCHED__");
    append(command, watching_flags(line.mode, line.device_debug));
  }
  command.push_back(input);
  return command;
}

/// What is to be said of headers that are not here, and the source as it is without them.
struct PastHeaders {
  std::string missing;  ///< lines about those of CUDA's
  std::string others;   ///< what the compiler says of another one
  std::string text;
};

/// Preprocesses past headers of CUDA's that are missing, or a toolkit's.
PastHeaders preprocess_past(const CommandLine& line, const Installation& installation,
                            const Command& command, Stubs& stubs) {
  const TemporaryFile output(".ii");
  Command whole = command;
  append(whole, {"-w", "-E", "-o", output.path()});
  PastHeaders past;
  for (bool has_new = true; has_new;) {
    std::string said;
    std::vector<MissingHeader> headers;
    if (run_quietly(line, stubs.seen_by(whole), said) == 0) {
      past.text = read_file(output.path());
      headers = find_toolkit_headers(entered_files(past.text), installation.include_folder);
    } else if (MissingHeader header = missing_header(said); !header.name.empty()) {
      headers.push_back(std::move(header));
    } else {
      past.others = said;
    }
    has_new = false;
    for (const MissingHeader& header : headers) {
      past.missing += header.text;
      has_new = stubs.add(header.name) || has_new;
    }
  }
  return past;
}

/// All of CUDA's that a source names and that is not here; empty if nothing is missing. `said` is
/// what the compiler says of it.
std::string all_missing(const CommandLine& line, const Installation& installation,
                        const Command& command, std::string said) {
  Stubs stubs;
  const PastHeaders past = preprocess_past(line, installation, command, stubs);
  if (!past.missing.empty()) {
    const TemporaryFile object(".o");
    Command compile = command;
    append(compile, {"-w", "-c", "-o", object.path()});
    run_quietly(line, stubs.seen_by(compile), said);
  }
  std::string names = missing_text(said, installation.include_folder);
  if (past.missing.empty() && !hides_calls(names)) return names;
  return merge_lines(past.missing + names, rewrite(past.text, {}, {}).refused_calls) + past.others;
}

}  // namespace

int compile_plain(const CommandLine& line, const Installation& installation,
                  const std::string& input, const std::string& output) {
  const Command command = plain_command(line, installation, input);
  const char* stage = line.stage == Stage::preprocess      ? "-E"
                      : line.stage == Stage::assemble_text ? "-S"
                                                           : "-c";
  Command whole = command;
  whole.emplace_back(stage);
  if (!output.empty()) append(whole, {"-o", output});
  std::string said;
  const int status = run_quietly(line, whole, said);
  std::string missing;
  if (status != 0 && line.stage != Stage::preprocess) {
    missing = all_missing(line, installation, command, said);
  }
  if (missing.empty()) {
    show_said(installation, status, said);
  } else {
    std::cerr << missing;
  }
  return status;
}

}  // namespace simt::rewrite
