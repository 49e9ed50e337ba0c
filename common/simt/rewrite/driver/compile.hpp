/// \file
/// One .cu file to one object file: preprocess, rewrite, compile.
#pragma once

#include <iostream>
#include <string>
#include <vector>

#include "driver/driver.hpp"
#include "driver/options.hpp"

namespace simt::rewrite {

/// How the stages of one compilation are carried out.
struct CompileJob {
  const CommandLine& line;
  const Installation& installation;
  std::string input;
  std::string output;  ///< empty with Stage::preprocess and Stage::rewrite: standard output
  bool use_ccache = false;
  std::ostream* messages = &std::cerr;  ///< where what is said of the source goes
};

/// Runs the job up to line.stage; returns the exit status of the first step that failed, or 0.
int compile_cuda(const CompileJob& job);

/// The flags of the preprocessor. A CUDA toolkit's folders, which many a makefile names, come
/// behind the CPU backend's own.
std::vector<std::string> preprocessor_flags(const CommandLine& line,
                                            const Installation& installation);

/// What makes code tell of every access. mode: check or count; debug: for a debugger as well.
std::vector<std::string> watching_flags(Mode mode, bool debug);

/// Runs a compiler; `said` gets what it says on standard error.
int run_quietly(const CommandLine& line, std::vector<std::string> command, std::string& said);

/// Shows what a command said that ended with this status. What CUDA has and the CPU backend does
/// not is named alone.
void show_said(const Installation& installation, int status, const std::string& said);

/// Runs or, with --dryrun, shows a command.
int run_step(const CommandLine& line, const std::vector<std::string>& command);

}  // namespace simt::rewrite
