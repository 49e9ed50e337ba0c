// Tries tilings of matmul_tuned on this GPU: each is checked, then timed in turn with the others.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "07_register_tiling/candidates.hpp"
#include "07_register_tiling/tune_options.hpp"
#include "tut/bench/bench_settings.hpp"
#include "tut/bench/matmul_rivals.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"
#include "tut/text/program.hpp"
#include "tut/text/results_file.hpp"
#include "tut/text/terminal.hpp"

namespace {

using namespace tut;
using namespace tut::ch07;
using Json = nlohmann::ordered_json;
using Inputs = MatmulRotation<float, float>;

constexpr int ROUNDS = on_cpu_backend ? 1 : 21;

struct Entry {
  Candidate candidate;
  std::string error;               // why it was not timed
  std::vector<double> times = {};  // ms

  bool is_timed() const { return !times.empty(); }
  double median() const {
    std::vector<double> sorted = times;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
};

/// What is wrong with a candidate, or "".
std::string fault(const Candidate& candidate, const MatmulShape& shape, Inputs& inputs) {
  if (candidate.blocks == 0) return "needs more shared memory than a block has here";
  return sample_error<float, float>({candidate.name(), candidate.matmul}, shape, inputs);
}

double time_ms(const Candidate& candidate, std::int64_t index, Inputs& inputs) {
  Event start, stop;
  start.record();
  candidate.matmul(inputs.a(index), inputs.b(index), inputs.c(index), nullptr);
  stop.record();
  stop.synchronize();
  check_launch();
  return static_cast<double>(Event::elapsed_ms(start, stop));
}

using AfterRound = std::function<void(const std::vector<Entry>&)>;

/// Every candidate once in each round, so that a clock that changes changes them all.
std::vector<Entry> measure(int size, const AfterRound& after_round) {
  const MatmulShape shape{size, size, size};
  Inputs inputs(shape);
  std::vector<Entry> entries;
  for (const Candidate& candidate : candidates()) entries.push_back({candidate, ""});
  const auto count = static_cast<std::int64_t>(entries.size());
  ProgressBar progress("tuning", count * (ROUNDS + 1));
  for (Entry& entry : entries) {
    entry.error = fault(entry.candidate, shape, inputs);
    progress.advance();
  }
  for (int round = 0; round < ROUNDS; ++round) {
    for (Entry& entry : entries) {
      if (entry.error.empty()) {
        entry.times.push_back(time_ms(entry.candidate, round, inputs));
      }
      progress.advance();
    }
    after_round(entries);
  }
  progress.finish();
  return entries;
}

double tflops(const Entry& entry, int size) { return 2e-9 * size * size * size / entry.median(); }

void print(const std::vector<Entry>& entries, int size) {
  std::printf("%-24s %8s %10s %8s %8s %8s", "block, thread, stages", "threads", "registers",
              "spilled", "shared", "blocks");
  if (on_cpu_backend) {
    std::printf("   right\n");
  } else {
    std::printf(" %9s %8s\n", "ms", "TFLOP/s");
  }
  for (const Entry& entry : entries) {
    const Candidate& c = entry.candidate;
    std::printf("%-24s %8d ", c.name().c_str(), c.threads);
    if (on_cpu_backend) {
      std::printf("%10s %8s %8d %8s   %s\n", "-", "-", c.shared_bytes, "-",
                  entry.is_timed() ? "yes" : entry.error.c_str());
    } else if (entry.is_timed()) {
      std::printf("%10d %8d %8d %8d %9.3f %8.1f\n", c.registers, c.spilled, c.shared_bytes,
                  c.blocks, entry.median(), tflops(entry, size));
    } else {
      std::printf("%10d %8d %8d %8d %s\n", c.registers, c.spilled, c.shared_bytes, c.blocks,
                  entry.error.c_str());
    }
  }
}

/// A row of the results. What the CPU backend does not know is left out: registers, spilled bytes,
/// blocks of a multiprocessor, times.
Json row_of(const Entry& entry, int size) {
  const Candidate& c = entry.candidate;
  Json row{{"name", c.name() + "/" + std::to_string(size)},
           {"threads", c.threads},
           {"shared_bytes", c.shared_bytes}};
  if (!on_cpu_backend) {
    row["registers"] = c.registers;
    row["spilled_bytes"] = c.spilled;
    row["blocks"] = c.blocks;
  }
  if (!entry.error.empty()) row["error_message"] = entry.error;
  if (!on_cpu_backend && entry.is_timed()) {
    row["real_time"] = entry.median();
    row["time_unit"] = "ms";
    row["TFLOP/s"] = tflops(entry, size);
  }
  return row;
}

/// Google Benchmark's own format, as all results of the course.
void write_json(const std::string& path, const std::vector<Entry>& entries, int size) {
  Json results{{"context", {{"chapter", "07_register_tiling"}}}, {"benchmarks", Json::array()}};
  for (const auto& [key, value] : device_facts()) results["context"][key] = value;
  for (const Entry& entry : entries) results["benchmarks"].push_back(row_of(entry, size));
  // Whole or not at all, whenever this is stopped.
  const std::string part = path + ".part";
  std::ofstream file(part);
  file << results.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
  file.close();
  if (!file) throw std::runtime_error("cannot write " + part);
  std::filesystem::rename(part, path);
}

int run(const TuneOptions& options) {
  const std::string unfair = unfair_setting();
  if (!unfair.empty()) throw std::runtime_error(unfair);
  // The results are written after each round, so that they are kept if the program is stopped.
  std::vector<Entry> entries = measure(options.size, [&](const std::vector<Entry>& so_far) {
    if (options.json) write_json(*options.json, so_far, options.size);
  });
  if (!on_cpu_backend) {
    // The fastest first, what was not timed last.
    std::ranges::stable_sort(entries, [](const Entry& x, const Entry& y) {
      if (!x.is_timed() || !y.is_timed()) return x.is_timed();
      return x.median() < y.median();
    });
  }
  std::printf("%d x %d matrices, %d tilings\n\n", options.size, options.size,
              static_cast<int>(entries.size()));
  print(entries, options.size);
  if (on_cpu_backend) {
    std::printf(
        "\nThis is the CPU backend: all it can say of a tiling is whether its results are right.\n"
        "Times here say nothing about a GPU, so none are shown, and nothing is ranked.\n");
  } else if (entries.front().is_timed()) {
    const Candidate& best = entries.front().candidate;
    std::printf(
        "\nThe best here: using Chosen = Tiling<%d, %d, %d, %d, %d, %d>; in matmul_tuned.cu.\n",
        best.bm, best.bn, best.bk, best.tm, best.tn, best.stages);
  }
  if (options.json) write_json(*options.json, entries, options.size);
  const auto wrong = [](const Entry& e) { return !e.error.empty() && e.candidate.blocks > 0; };
  return std::ranges::any_of(entries, wrong) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  TuneOptions options;
  try {
    options = parse_tune_options({argv + 1, argv + std::max(argc, 1)}, on_cpu_backend ? 256 : 4096);
    if (options.json && !options.help) {
      require_results_file(*options.json, "results of ch07_tune", {"/benchmarks/0/shared_bytes"});
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ch07_tune: %s\n", error.what());
    return 2;
  }
  if (options.help) {
    std::printf(
        "ch07_tune [--size N] [--json FILE]\n\nTries tilings of matmul_tuned on N x N matrices: "
        "checks each, times them in turn, and\nprints them, the fastest first. --json writes them, "
        "too; "
        "what the CPU backend does not\nknow is left out there: registers, spilled_bytes, blocks "
        "and times.\n");
    return 0;
  }
  try {
    const int code = run(options);
    return flush_output("ch07_tune") ? code : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ch07_tune: %s\n", error.what());
    return 1;
  }
}
