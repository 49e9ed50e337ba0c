#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "learn/bench/chart.hpp"
#include "learn/bench/exercises.hpp"
#include "learn/bench/gpu_sheet.hpp"
#include "learn/bench/guard.hpp"
#include "learn/commands/commands.hpp"
#include "learn/core/chapters.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/process.hpp"
#include "learn/core/status_line.hpp"
#include "learn/core/text.hpp"
#include "tut/text/terminal.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

bool has_flag(const BenchOptions& options, std::string_view start) {
  return std::ranges::any_of(options.arguments,
                             [&](const std::string& a) { return a.starts_with(start); });
}

/// What a chapter's benchmark is on this machine.
struct Program {
  std::string target;
  bool counts = false;
};

std::string timed_target(const Chapter& chapter) {
  return fmt::format("ch{:02}_bench", chapter.number);
}

/// Whether a chapter may have got a benchmark since the build was configured, which a build finds
/// out.
bool may_have_changed(const Context& context, const Chapter& chapter) {
  std::error_code error;
  const fs::path list = context.root / "chapters" / chapter.folder / "CMakeLists.txt";
  const auto listed = fs::last_write_time(list, error);
  if (error) return false;
  const auto configured = fs::last_write_time(context.build_folder / "build.ninja", error);
  return error || listed > configured;
}

/// Says before anything is built that a chapter has no benchmark.
void require_benchmark(const Context& context, const std::vector<Chapter>& chapters,
                       const Chapter& chapter) {
  const BuildTree tree = context.tree();
  if (!tree.configured() || tree.has_target(timed_target(chapter)) ||
      may_have_changed(context, chapter)) {
    return;
  }
  std::vector<std::string> others;
  for (const Chapter& other : chapters) {
    if (tree.has_target(timed_target(other))) others.push_back(other.folder.substr(0, 2));
  }
  throw UsageError(
      fmt::format("chapter {} has no benchmark; these have one: {}", chapter.folder,
                  others.empty() ? "none" : fmt::format("{}", fmt::join(others, ", "))));
}

/// On the CPU backend kernels are counted: their times there say nothing about a GPU. A chapter
/// without kernels is timed wherever it is.
Program choose_program(const Context& context, const Chapter& chapter,
                       const BenchOptions& options) {
  const std::string counts = fmt::format("ch{:02}_counts", chapter.number);
  const bool can_count = context.tree().has_target(counts);
  const bool must_count = options.counts || !options.gpu.empty();
  if (must_count && !can_count) {
    throw UsageError(fmt::format(
        "chapter {} cannot be counted by {}: counting needs kernels, the CPU backend and g++",
        chapter.folder, context.build_folder.filename().string()));
  }
  const bool counted = must_count || (context.backend == "cpu" && can_count && !options.times);
  return {counted ? counts : timed_target(chapter), counted};
}

/// The flags of the program that counts: of Google Benchmark's it knows the filter.
std::vector<std::string> count_arguments(const BenchOptions& options, const fs::path& json) {
  constexpr std::string_view filter = "--benchmark_filter=";
  std::vector<std::string> arguments = {"--json", json.string()};
  for (const std::string& argument : options.arguments) {
    if (!argument.starts_with(filter)) {
      throw UsageError(fmt::format(
          "{} is for times, and this run counts bytes; --times measures the CPU backend",
          argument));
    }
    arguments.insert(arguments.end(), {"--filter", argument.substr(filter.size())});
  }
  return arguments;
}

std::vector<std::string> time_arguments(const BenchOptions& options, const fs::path& json) {
  std::vector<std::string> arguments = options.arguments;
  arguments.insert(arguments.end(), {"--progress", "--benchmark_out=" + json.string(),
                                     "--benchmark_out_format=json"});
  return arguments;
}

fs::path build_program(const Context& context, const Chapter& chapter, const Program& program) {
  StatusLine status;
  const std::string name = "chapter " + chapter.folder;
  return context.tree().require_program(program.target, name, status.build_bar(name));
}

int run_to_end(const fs::path& program, const std::vector<std::string>& arguments) {
  Command command{{program.string()}, {}, {}};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  const Outcome outcome = run_attached(command);
  if (outcome.signal != 0) {
    fmt::print(stderr, "learn: {} ended by signal {}\n", program.filename().string(),
               outcome.signal);
  }
  return shell_exit_code(outcome);
}

/// What the bounds are, and what they are not.
std::string bounds_heading(const GpuSheet& gpu) {
  return fmt::format(
      "Bounds, not measured: the most that kernels can reach on an {} by its data\n"
      "sheet, {} of memory and {} of FP32 on CUDA cores. All bytes that a kernel\n"
      "requests, as counted on the CPU backend, come from memory; caches may do better, up to\n"
      "the last line of a ladder, where each byte moves once. A longer bar is faster.\n",
      gpu.title, amount(gpu.bandwidth, "B/s"), amount(gpu.rates.at("fp32"), "FLOP/s"));
}

/// What the figures are: times of a device, or counts.
std::string heading(const Results& results) {
  if (results.counted()) {
    return "Counted on the CPU backend, which runs kernels but not at a GPU's speed: bytes that "
           "they\n"
           "move without a cache, for one size of each ladder. A shorter bar is better. --times "
           "measures.\n";
  }
  if (results.at("backend") == "cuda") {
    return fmt::format("Measured on {}, which copies {} in its memory. A longer bar is faster.\n",
                       results.at("device"), amount(results.roof("memory"), "B/s"));
  }
  if (results.times_of_cpu_backend()) {
    return "Times of the CPU backend: they say nothing about a GPU.\n";
  }
  return fmt::format("Measured on {}. A longer bar is faster.\n", results.at("processor"));
}

/// Rows that went wrong, told again where they cannot be missed.
int failures(const Results& results) {
  int count = 0;
  for (const ResultRow& row : results.rows) {
    if (row.error.empty()) continue;
    fmt::print(stderr, "learn: {}: {}\n", row.name, row.error);
    ++count;
  }
  return count;
}

int guard(const Context& context, const Chapter& chapter, const Results& results, bool everything) {
  const std::optional<fs::path> file = kept_results(context.root, chapter.number, results);
  if (!file) {
    throw UsageError(fmt::format("docs/results has no {:02}.json of this device to compare with",
                                 chapter.number));
  }
  const GuardReport report =
      compare_results(load_results_of(chapter.folder, *file), results, everything);
  fmt::print("\nBeside {}: {} as before or better, {} worse, {} not judged\n",
             file->lexically_proximate(context.root).string(), report.held, report.fallen.size(),
             report.not_judged.size());
  for (const std::string& line : report.fallen) fmt::print("  worse: {}\n", line);
  for (const std::string& line : report.not_judged) fmt::print("  not judged: {}\n", line);
  return report.ok() ? exit_ok : exit_check_failed;
}

/// An absolute path of the file that the results go to; its folder is made. What is there stays
/// until a run has come to its end.
fs::path results_file(const Context& context, const Chapter& chapter, const BenchOptions& options) {
  // Results of some rows do not take the place of a whole run's, which plots are made of.
  const char* part = has_flag(options, "--benchmark_filter") ? ".part" : "";
  fs::path file = options.json.empty() ? context.build_folder / "bench" /
                                             fmt::format("{:02}{}.json", chapter.number, part)
                                       : fs::weakly_canonical(fs::absolute(options.json));
  std::error_code error;
  if (!options.json.empty() && fs::exists(file, error)) {
    if (!fs::is_regular_file(file)) {
      throw UsageError(fmt::format("--json {} is not a file; expected one to write", options.json));
    }
    // What else is there stays.
    if (fs::file_size(file, error) != 0) load_results_of(chapter.folder, file);
  }
  fs::create_directories(file.parent_path(), error);
  if (error) {
    throw UsageError(
        fmt::format("cannot make {}: {}", file.parent_path().string(), error.message()));
  }
  require_writable_folder(file.parent_path());
  return file;
}

/// Shows the results, or with a GPU the bounds that follow from them, and holds them to the kept
/// ones where that is asked for. Of a run that counts
/// all rows, the learner's own kernels follow.
int show(const Context& context, const Chapter& chapter, const BenchOptions& options,
         const fs::path& file, const GpuSheet* gpu) {
  const Results results = load_results_of(chapter.folder, file);
  if (gpu != nullptr) require_counts(results, file);
  const ChartStyle how{context.style, has_utf8()};
  std::string text = gpu != nullptr ? fmt::format("{}\n{}", bounds_heading(*gpu),
                                                  bound_charts(with_roofs_of(*gpu, results), how))
                                    : fmt::format("{}\n{}", heading(results),
                                                  results.counted() ? count_charts(results, how)
                                                                    : time_charts(results, how));
  const bool everything = !has_flag(options, "--benchmark_filter");
  if (results.counted() && everything && options.read.empty()) {
    text += exercise_charts(context, chapter.number, how);
  }
  // Into a file rows stay whole.
  fmt::print("{}", context.interactive ? wrap(text, terminal_width(), 0, 4) : text);
  fmt::print("\nResults: {}\n", file.lexically_proximate(fs::current_path()).string());
  const int failed = failures(results);
  const int status = options.guard ? guard(context, chapter, results, everything) : exit_ok;
  return failed > 0 ? exit_check_failed : status;
}

}  // namespace

int bench_command(const Context& context, const BenchOptions& options) {
  if (options.counts && options.times)
    throw UsageError("--counts and --times cannot be given together; expected one of them");
  if (!options.gpu.empty() && options.times) {
    throw UsageError("--gpu bounds what is counted, and --times measures; expected one of them");
  }
  std::vector<GpuSheet> sheets;
  if (!options.gpu.empty()) sheets = load_gpu_sheets(context.root);
  const GpuSheet* gpu = sheets.empty() ? nullptr : &pick_gpu(sheets, options.gpu);
  const std::vector<Chapter> chapters = find_chapters(context.root);
  const Chapter& chapter = pick_chapter(chapters, options.chapter);
  if (!options.read.empty() &&
      (options.counts || options.times || !options.json.empty() || !options.arguments.empty())) {
    throw UsageError(
        "--read shows results as they are; expected no flag but --gpu and --guard with it");
  }
  if (!options.read.empty())
    return show(context, chapter, options, fs::absolute(options.read), gpu);
  require_benchmark(context, chapters, chapter);
  const Program choice = choose_program(context, chapter, options);
  // Google Benchmark's own output, where its flags ask for that.
  if (!choice.counts &&
      (has_flag(options, "--benchmark_list_tests") || has_flag(options, "--benchmark_format"))) {
    return run_to_end(build_program(context, chapter, choice), options.arguments);
  }
  const fs::path file = results_file(context, chapter, options);
  const fs::path unfinished = file.string() + ".unfinished";
  const std::vector<std::string> arguments =
      choice.counts ? count_arguments(options, unfinished) : time_arguments(options, unfinished);
  const fs::path program = build_program(context, chapter, choice);
  const int status = run_to_end(program, arguments);
  std::error_code error;
  if (status != exit_ok) {
    fs::remove(unfinished, error);
    return status;
  }
  fs::rename(unfinished, file, error);
  if (error) throw UsageError(fmt::format("no results in {}: {}", file.string(), error.message()));
  return show(context, chapter, options, file, gpu);
}

}  // namespace tut::learn
