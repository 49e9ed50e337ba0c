#include "learn/bench/guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

constexpr double least_error = 0.004;      // of a median, as a share
constexpr double least_allowance = 0.03;   // of a ratio
constexpr double errors_allowed = 4;       // standard errors that a ratio may fall by
constexpr double largest_allowance = 0.1;  // beyond, a step 15 % slower could hide

/// How much a ratio may fall; nothing if the repetitions of a row do not tell.
std::optional<double> allowance(std::initializer_list<const ResultRow*> rows) {
  double squares = 0;
  for (const ResultRow* row : rows) {
    const std::optional<double> error = median_error(*row);
    if (!error) return std::nullopt;
    squares += *error * *error;
  }
  return std::max(least_allowance, errors_allowed * std::sqrt(squares));
}

class Comparison {
 public:
  Comparison(const Results& kept, const Results& run, bool everything)
      : kept_(kept), run_(run), everything_(everything) {}

  GuardReport report() {
    for (const ResultLadder& ladder : ladders_of(run_)) {
      for (const ResultRow& row : ladder.rows) judge(ladder, row);
    }
    for (const ResultRow& row : kept_.rows) {
      const bool is_step = !row.ladder.empty() && !row.rival && row.error.empty();
      if (everything_ && is_step && run_.find(row.name) == nullptr) {
        report_.fallen.push_back(row.name + ": is not in this run");
      }
    }
    return report_;
  }

 private:
  void judge(const ResultLadder& ladder, const ResultRow& row) {
    if (row.rival) return;
    const std::string name = ladder.title() + ": " + row.step;
    const ResultRow* was = kept_.find(row.name);
    if (was == nullptr) {
      report_.not_judged.push_back(name + ": not among the kept results");
    } else if (!row.error.empty()) {
      report_.fallen.push_back(name + ": " + row.error);
    } else if (row.counted && was->counted) {
      judge_counts(name, *was->counted, *row.counted);
    } else {
      judge_ratio(name, ladder, *was, row);
    }
  }

  void judge_counts(const std::string& name, const CountedRow& was, const CountedRow& is) {
    std::string more;
    const auto compare = [&](const char* what, double before, double now) {
      if (now <= before) return;
      more += fmt::format("{}{} {:.0f}, was {:.0f}", more.empty() ? "" : "; ", what, now, before);
    };
    compare("bytes moved", was.bytes_moved, is.bytes_moved);
    compare("bank conflicts", was.bank_conflicts, is.bank_conflicts);
    compare("atomics that wait", was.atomic_repeats, is.atomic_repeats);
    if (more.empty()) {
      ++report_.held;
    } else {
      report_.fallen.push_back(name + ": " + more + ", allowed: no more");
    }
  }

  void judge_ratio(const std::string& name, const ResultLadder& ladder, const ResultRow& was,
                   const ResultRow& is) {
    const ResultRow* rival = ladder.rival();
    const ResultRow* rival_was = rival == nullptr ? nullptr : kept_.find(rival->name);
    if (rival_was == nullptr || rival_was->seconds.empty() || was.seconds.empty() ||
        is.seconds.empty()) {
      report_.not_judged.push_back(name + ": no rival in both runs");
      return;
    }
    const std::optional<double> allowed = allowance({&was, rival_was, &is, rival});
    const double before = rival_was->median_seconds() / was.median_seconds();
    const double now = rival->median_seconds() / is.median_seconds();
    if (!allowed) {
      report_.not_judged.push_back(name + ": fewer than three repetitions in one of the runs");
    } else if (*allowed > largest_allowance) {
      report_.not_judged.push_back(
          fmt::format("{}: the repetitions differ too much, {:.0f} % would be noise; measure more "
                      "of them (--benchmark_repetitions=15) on an idle machine",
                      name, 100 * *allowed));
    } else if (1 - now / before > *allowed) {
      report_.fallen.push_back(
          fmt::format("{}: was {:.3f} of {}'s speed, is {:.3f}, allowed {:.3f} (noise {:.1f} %)",
                      name, before, rival->step, now, before * (1 - *allowed), 100 * *allowed));
    } else {
      ++report_.held;
    }
  }

  const Results& kept_;
  const Results& run_;
  bool everything_;
  GuardReport report_;
};

/// The facts that make two runs those of one device.
std::vector<std::string> identity(const Results& results) {
  if (results.counted()) return {"counted"};
  if (results.at("backend") == "cuda") return {"cuda", results.at("device")};
  return {"cpu", results.at("processor"), results.at("processor_threads"), results.at("caches")};
}

}  // namespace

std::optional<double> median_error(const ResultRow& row) {
  const auto count = static_cast<double>(row.seconds.size());
  if (count < 3) return std::nullopt;
  const double middle = row.median_seconds();
  std::vector<double> distances;
  for (const double seconds : row.seconds) distances.push_back(std::abs(seconds - middle));
  // 1.4826: from the median distance to the deviation of a normal distribution; 1.2533: from the
  // error of its mean to that of its median.
  const double deviation = 1.4826 * median(distances) / middle * (1 + 2 / (count - 1));
  return std::max(least_error, 1.2533 * deviation / std::sqrt(count));
}

GuardReport compare_results(const Results& kept, const Results& run, bool everything) {
  return Comparison(kept, run, everything).report();
}

std::optional<fs::path> kept_results(const fs::path& root, int chapter, const Results& run) {
  for (const fs::path& file : kept_files(root, chapter)) {
    if (identity(load_results(file)) == identity(run)) return file;
  }
  return std::nullopt;
}

}  // namespace tut::learn
