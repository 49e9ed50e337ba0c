#pragma once

#include <string>
#include <vector>

#include "learn/core/context.hpp"

/// One function a command; each returns the program's exit code and throws UsageError for what
/// cannot be done. Each lies in the file of its name.
namespace tut::learn {

int status_command(const Context& context, bool json);

struct ListOptions {
  std::vector<std::string> words;  ///< all of them in the exercise's name or title
  std::string chapter;             ///< empty: all
  std::string part;                ///< I, II, ...; empty: all
  bool unsolved = false;
  bool json = false;
};
int list_command(const Context& context, const ListOptions& options);

struct RunOptions {
  std::string what;  ///< a chapter, or a .cu file
  std::vector<std::string> arguments;
};
int run_command(const Context& context, const RunOptions& options);
/// `what` is a .cu file: run in check mode, or counted.
int check_file_command(const Context& context, const RunOptions& options);
int count_command(const Context& context, const RunOptions& options);

struct DebugOptions {
  std::string what;      ///< an exercise, or a .cu file
  bool check = false;    ///< stop at what check mode finds
  bool prepare = false;  ///< build only; an editor starts the debugger
  bool batch = false;    ///< gdb's own, as are the next two
  std::vector<std::string> command_files;
  std::vector<std::string> commands;
  std::vector<std::string> arguments;  ///< of the program
};
int debug_command(const Context& context, const DebugOptions& options);

enum class AsmLanguage { any, ptx, sass, cpu };
struct AsmOptions {
  std::string what;  ///< an exercise, a kernel or a .cu file
  AsmLanguage language = AsmLanguage::any;
};
int asm_command(const Context& context, const AsmOptions& options);

struct BenchOptions {
  std::string chapter;
  std::string json;                    ///< where the results go; empty: the build folder
  std::string read;                    ///< results to show, instead of making them; empty: none
  std::string gpu;                     ///< whose data sheet bounds the counts; empty: none's
  bool counts = false;                 ///< count, whatever the backend
  bool times = false;                  ///< times, on the CPU backend too
  bool guard = false;                  ///< compare with the kept results of this device
  std::vector<std::string> arguments;  ///< for Google Benchmark
};
int bench_command(const Context& context, const BenchOptions& options);

struct PlotOptions {
  std::string chapter;  ///< empty: every chapter that has results
  std::string json;     ///< results of the chapter; empty: the last run's, or kept counts
  std::string gpu;      ///< whose data sheet bounds the counts; empty: the lessons' example
  std::string out;      ///< the folder for the pictures; empty: in the build folder
};
int plot_command(const Context& context, const PlotOptions& options);

int cucc_command(const Context& context, const std::vector<std::string>& arguments);

/// Runs docs/tools/author.py, with make_stubs, which it builds, and this build folder.
int author_command(const Context& context, const std::vector<std::string>& arguments);

struct CheckOptions {
  std::vector<std::string> exercises;  ///< none: the one you edited last, or the next unsolved
  bool all = false;
  std::string part;   ///< every exercise of this part
  bool full = false;  ///< print all that the tests say
  bool json = false;
};
int check_command(const Context& context, const CheckOptions& options);

int watch_command(const Context& context, const std::string& exercise);
int hint_command(const Context& context, const std::string& exercise);

struct SolutionOptions {
  std::string exercise;
  bool give_up = false;
  bool diff = false;  ///< only the kernels, beside the learner's
};
int solution_command(const Context& context, const SolutionOptions& options);

int reset_command(const Context& context, const std::string& exercise);

struct SubmitOptions {
  std::string assignment;  ///< empty: assignment.toml in the course's folder
  std::string out;         ///< FILE.tar.gz or FILE.zip; empty: submission.tar.gz beside it
  bool anyway = false;     ///< pack although something is missing
};
int submit_command(const Context& context, const SubmitOptions& options);

/// Takes the course's new version and keeps the learner's files.
int update_command(const Context& context);

int doctor_command(const Context& context, bool json);

struct DataOptions {
  std::string name;    ///< mnist, or empty: what there is
  std::string mirror;  ///< a URL or folder tried before the known mirrors
};
int data_command(const Context& context, const DataOptions& options);

/// `command` of the program for who teaches, learn_classroom, which is built when it is first asked
/// for. Does not return when that has been started.
int classroom_command(const Context& context, const std::string& command,
                      const std::vector<std::string>& arguments);

int test_command(const Context& context, const std::vector<std::string>& ctest_arguments);
int tour_command(const Context& context);

}  // namespace tut::learn
