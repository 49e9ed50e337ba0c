#include "learn/bench/plot.hpp"

#include <fmt/format.h>

#include <filesystem>

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

/// The last run's results; where there is none, the best of those that are kept.
fs::path find_results(const Context& context, const Chapter& chapter) {
  fs::path best = context.build_folder / "bench" / fmt::format("{:02}.json", chapter.number);
  if (fs::exists(best)) return best;
  int best_rank = 3;
  for (const fs::path& file : kept_files(context.root, chapter.number)) {
    const Results results = load_results(file);
    if (ladders_of(results).empty() || rank(results) >= best_rank) continue;
    best_rank = rank(results);
    best = file;
  }
  return best;
}

/// What the figures of the plots are.
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

void plot(const Chapter& chapter, const fs::path& source, const fs::path& folder) {
  const Results results = load_results_of(chapter.folder, source);
  const std::string title = title_of(chapter, results);
  int written = 0;
  const auto write = [&](const char* kind, const std::string& picture) {
    if (picture.empty()) return;
    const fs::path file = folder / fmt::format("{:02}_{}.svg", chapter.number, kind);
    write_file_atomically(file, picture);
    fmt::print("{}\n", file.lexically_proximate(fs::current_path()).string());
    ++written;
  };
  write("ladder", ladder_plot(results, title));
  write("roofline", roofline_plot(results, title));
  if (written == 0) {
    throw UsageError(fmt::format("{} has no row of a ladder to plot", source.string()));
  }
  if (results.times_of_cpu_backend()) {
    fmt::print("Times of the CPU backend: they say nothing about a GPU.\n");
  }
}

}  // namespace

int plot_command(const Context& context, const PlotOptions& options) {
  const std::vector<Chapter> chapters = find_chapters(context.root);
  const fs::path folder =
      options.out.empty() ? context.build_folder / "plots" : fs::absolute(options.out);
  if (!options.chapter.empty()) {
    const Chapter& chapter = pick_chapter(chapters, options.chapter);
    const fs::path source =
        options.json.empty() ? find_results(context, chapter) : fs::path(options.json);
    if (options.json.empty() && !fs::exists(source)) {
      throw UsageError(fmt::format("chapter {} has no results yet; './learn bench {}' makes them",
                                   chapter.folder, chapter.number));
    }
    plot(chapter, source, folder);
    return exit_ok;
  }
  if (!options.json.empty()) throw UsageError("--json is of one chapter: name it");
  int plotted = 0;
  for (const Chapter& chapter : chapters) {
    const fs::path source = find_results(context, chapter);
    if (!fs::exists(source)) continue;
    plot(chapter, source, folder);
    ++plotted;
  }
  if (plotted == 0) throw UsageError("no results yet; './learn bench CHAPTER' makes them");
  return exit_ok;
}

}  // namespace tut::learn
