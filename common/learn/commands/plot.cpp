#include "learn/bench/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "learn/bench/gpu_sheet.hpp"
#include "learn/bench/roofline.hpp"
#include "learn/commands/commands.hpp"
#include "learn/core/chapters.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

/// Of kept results a GPU's times come first, then a processor's, then counts.
int rank(const Results& results) {
  if (results.counted()) return 2;
  return results.at("backend") == "cuda" ? 0 : 1;
}

/// The last run's results; where there is none, the best of those that are kept; empty where there
/// is none, either. With `only_counts` counts alone will do.
fs::path find_results(const Context& context, const Chapter& chapter, bool only_counts) {
  fs::path last = context.build_folder / "bench" / fmt::format("{:02}.json", chapter.number);
  if (fs::exists(last) && (!only_counts || load_results(last).counted())) return last;
  fs::path best;
  int best_rank = 3;
  for (const fs::path& file : kept_files(context.root, chapter.number)) {
    const Results results = load_results(file);
    if (ladders_of(results).empty() || rank(results) >= best_rank) continue;
    if (only_counts && !results.counted()) continue;
    best_rank = rank(results);
    best = file;
  }
  return best;
}

/// What the figures of a plot are.
std::string title_of(const Chapter& chapter, const Results& results) {
  const std::string what = fmt::format("Chapter {:02}, {}", chapter.number, chapter.title);
  if (results.counted()) return what + ": counted on the CPU backend";
  if (results.times_of_cpu_backend()) {
    return what + ": times of the CPU backend, which say nothing about a GPU";
  }
  const std::string device =
      results.at("backend") == "cuda" || results.at("processor").empty() ? "device" : "processor";
  return what + ": measured on " + results.at(device);
}

/// What to plot, beside the results themselves.
struct PlotJob {
  const Chapter& chapter;
  fs::path source, folder;
  const GpuSheet& gpu;  ///< whose roofs counts get
};

/// Writes a picture, where there is one, and says so.
int write_picture(const PlotJob& job, const std::string& kind, const std::string& picture) {
  if (picture.empty()) return 0;
  const fs::path file = job.folder / fmt::format("{:02}_{}.svg", job.chapter.number, kind);
  write_file_atomically(file, picture);
  fmt::print("{}\n", file.lexically_proximate(fs::current_path()).string());
  return 1;
}

/// The picture of a device's roofs; of counts its bounds on a GPU of which the data sheet is known.
int write_roofline(const PlotJob& job, const Results& results) {
  if (!results.counted()) {
    return write_picture(job, "roofline", roofline_plot(results, title_of(job.chapter, results)));
  }
  const std::string title =
      fmt::format("Chapter {:02}, {}: bounds by the data sheet of {}, not measured",
                  job.chapter.number, job.chapter.title, job.gpu.title);
  const int written = write_picture(job, "roofline_" + job.gpu.name,
                                    roofline_plot(with_roofs_of(job.gpu, results), title));
  if (written == 0) {
    fmt::print("No roofline of chapter {:02}: no kernel does FLOPs that {} has a rate for.\n",
               job.chapter.number, job.gpu.title);
  }
  return written;
}

void plot(const PlotJob& job) {
  const Results results = load_results_of(job.chapter.folder, job.source);
  const int ladders =
      write_picture(job, "ladder", ladder_plot(results, title_of(job.chapter, results)));
  if (ladders + write_roofline(job, results) == 0) {
    throw UsageError(fmt::format("{} has no row of a ladder to plot", job.source.string()));
  }
  if (results.times_of_cpu_backend()) {
    fmt::print("Times of the CPU backend: they say nothing about a GPU.\n");
  }
}

std::string missing_results(const Chapter& chapter, bool only_counts) {
  return only_counts ? fmt::format(
                           "chapter {} has no counts yet, which --gpu is about; './learn "
                           "bench {} --counts' makes them where it has kernels",
                           chapter.folder, chapter.number)
                     : fmt::format("chapter {} has no results yet; './learn bench {}' makes them",
                                   chapter.folder, chapter.number);
}

}  // namespace

int plot_command(const Context& context, const PlotOptions& options) {
  const bool only_counts = !options.gpu.empty();
  const std::vector<GpuSheet> sheets = load_gpu_sheets(context.root);
  const GpuSheet& gpu = pick_gpu(sheets, only_counts ? options.gpu : usual_gpu);
  const std::vector<Chapter> chapters = find_chapters(context.root);
  const fs::path folder =
      options.out.empty() ? context.build_folder / "plots" : fs::absolute(options.out);
  if (!options.chapter.empty()) {
    const Chapter& chapter = pick_chapter(chapters, options.chapter);
    const fs::path source =
        options.json.empty() ? find_results(context, chapter, only_counts) : fs::path(options.json);
    if (source.empty()) throw UsageError(missing_results(chapter, only_counts));
    if (only_counts) require_counts(load_results_of(chapter.folder, source), source);
    plot({chapter, source, folder, gpu});
    return exit_ok;
  }
  if (!options.json.empty())
    throw UsageError("--json holds results of one chapter; name the chapter as well");
  int plotted = 0;
  for (const Chapter& chapter : chapters) {
    const fs::path source = find_results(context, chapter, only_counts);
    if (source.empty()) continue;
    plot({chapter, source, folder, gpu});
    ++plotted;
  }
  if (plotted == 0) throw UsageError("no results yet; './learn bench CHAPTER' makes them");
  return exit_ok;
}

}  // namespace tut::learn
