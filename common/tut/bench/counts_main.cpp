// The main program of chNN_counts: the rows of a benchmark, each run once with its kernels watched.
// Writes what they ask of memory as JSON, with one compiler the same on every machine; of each
// ladder one size, the first.
//
//   chNN_counts [--json FILE] [--filter REGEX]

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tut/bench/bench_json.hpp"
#include "tut/bench/bench_progress.hpp"
#include "tut/bench/bench_step.hpp"
#include "tut/bench/counting.hpp"
#include "tut/text/program.hpp"
#include "tut/text/terminal.hpp"

namespace {

using namespace tut;
using Json = nlohmann::ordered_json;

struct Options {
  std::string json, filter;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if ((flag != "--json" && flag != "--filter") || i + 1 == argc) {
      throw std::invalid_argument("unexpected '" + flag +
                                  "'; expected --json FILE, --filter REGEX");
    }
    (flag == "--json" ? options.json : options.filter) = argv[++i];
  }
  return options;
}

/// The rows of the first size of each ladder that launch kernels, by their place among all.
std::vector<std::size_t> chosen(const std::string& filter) {
  std::map<std::string, std::string> size_of;
  std::vector<std::size_t> rows;
  const auto& works = bench_works();
  for (std::size_t i = 0; i < works.size(); ++i) {
    const BenchStep& step = works[i]->step;
    if (!works[i]->on_device || !keeps_row(filter, step.row)) continue;
    if (size_of.try_emplace(step.ladder, step.size).first->second == step.size) rows.push_back(i);
  }
  return rows;
}

double ratio(double numerator, double denominator) {
  return denominator == 0 ? 0 : numerator / denominator;
}

/// The first kernel that told of nothing: it was compiled without cucc --count. Empty if none.
std::string unwatched_kernel(const Counters& counters) {
  std::map<std::string, std::uint64_t> requests;
  for (const LineRecord& record : counters.lines) {
    auto& sum = requests[record.kernel];
    for (const Counts& counts : record.counts) sum += counts.requests;
  }
  const auto found =
      std::ranges::find(requests, 0U, [](const auto& entry) { return entry.second; });
  return found == requests.end() ? "" : found->first;
}

void add_counts(Json& row, const Counters& counters, const BenchCost& cost) {
  Counts global, shared, atomics;
  const TrafficCounts total = counters.total();
  for (std::size_t i = 0; i < total.size(); ++i) {
    const auto traffic = static_cast<Traffic>(i);
    (simt::inspect::is_shared(traffic) ? shared : global) += total[i];
    if (simt::inspect::is_atomic(traffic)) atomics += total[i];
  }
  const Counts& load = of(total, Traffic::global_load);
  const Counts& store = of(total, Traffic::global_store);
  row["bytes_moved"] = global.moved();
  row["flops_per_byte"] = ratio(cost.flops, static_cast<double>(global.moved()));
  row["requests"] = global.requests;
  row["sectors"] = global.sectors;
  row["sectors_per_request"] = global.each(global.sectors);
  row["load_bytes_moved"] = load.moved();
  row["store_bytes_moved"] = store.moved();
  row["atomics"] = atomics.lanes;
  row["atomic_repeats"] = atomics.repeats;
  row["shared_requests"] = shared.requests;
  row["shared_wavefronts"] = shared.wavefronts;
  row["bank_conflicts"] = shared.conflicts;
}

Json counted_row(BenchWork& work, std::size_t order) {
  Json row{{"name", work.step.row}, {"run_type", "counted"}};
  row.update(step_json(work.step, order));
  if (!work.error().empty()) {
    row["error_occurred"] = true;
    row["error_message"] = work.error();
    return row;
  }
  const Counters counters = counted([&] { work.on_device(0, nullptr); });
  const std::string unwatched = unwatched_kernel(counters);
  if (!unwatched.empty() && !work.step.rival) {
    throw std::runtime_error("nothing of " + unwatched + " was counted for " + work.step.row +
                             ": name its file after COUNT in the chapter's CMakeLists");
  }
  // Libraries do not tell.
  if (unwatched.empty() && !counters.lines.empty()) add_counts(row, counters, work.step.cost);
  return row;
}

void write(const Json& results, const std::string& path) {
  const std::string text = results.dump(1) + "\n";
  if (path.empty()) {
    std::fputs(text.c_str(), stdout);
    return;
  }
  std::ofstream file(path);
  if (!(file << text) || !file.flush()) throw std::runtime_error("cannot write " + path);
}

int run(const Options& options) {
  if (!can_count()) throw std::runtime_error("this program does not count (see cucc --count)");
  add_bench_rows();
  const std::vector<std::size_t> rows = chosen(options.filter);
  if (rows.empty()) throw std::invalid_argument("no row matches '" + options.filter + "'");
  Json results{{"context",
                {{"chapter", bench_chapter()},
                 {"counted", "true"},
                 {"backend", "cpu"},
                 {"device", "cpu_backend"},
                 {"compiler", "g++ " __VERSION__}}},
               {"benchmarks", Json::array()}};
  std::optional<ProgressBar> progress;
  if (is_terminal(stderr)) progress.emplace("counting", static_cast<std::int64_t>(rows.size()));
  for (const std::size_t i : rows) {
    results["benchmarks"].push_back(counted_row(*bench_works()[i], i));
    if (progress) progress->advance();
  }
  progress.reset();
  write(results, options.json);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int code = run(parse(argc, argv));
    return tut::flush_output("counts") ? code : 1;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
