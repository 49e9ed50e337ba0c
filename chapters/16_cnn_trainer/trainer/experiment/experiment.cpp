#include "16_cnn_trainer/trainer/experiment/experiment.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

#include "16_cnn_trainer/trainer/experiment/kernel_model.hpp"
#include "16_cnn_trainer/trainer/experiment/run_setup.hpp"
#include "16_cnn_trainer/trainer/experiment/trainer.hpp"
#include "16_cnn_trainer/trainer/report/learning_curves.hpp"
#include "16_cnn_trainer/trainer/report/progress_line.hpp"
#include "16_cnn_trainer/trainer/report/report.hpp"

namespace tut::ch16 {

namespace {

class Experiment {
 public:
  explicit Experiment(const CommandLine& line)
      : line_(line),
        files_(line),
        spec_(load_network(line.network)),
        chosen_(data::choose_dataset(line.data)),
        own_(choose(line_, spec_)) {}

  void run() {
    print_settings(line_, spec_, chosen_, {});
    std::printf("\nbatch   learning rate   seed   loss     accuracy   trained at\n");
    for (const int batch : line_.batches) {
      for (const float rate : line_.rates) {
        TrainOptions options = line_.train;
        options.batch = batch;
        options.learning_rate = rate;
        run_seeds(options);
      }
    }
    const auto diverged =
        std::ranges::count_if(reports_, [](const Report& run) { return !run.diverged.empty(); });
    if (diverged == 0) return;
    std::printf("%td of %zu runs diverged: the learning rate is too large for them\n", diverged,
                reports_.size());
  }

 private:
  static constexpr std::size_t kMostCurves = 4;  // in one picture

  // The same with each seed, then what they have in common.
  void run_seeds(TrainOptions options) {
    const std::size_t first = reports_.size();
    for (const std::uint64_t seed : line_.seeds) {
      options.seed = seed;
      run_one(options);
    }
    if (line_.seeds.size() > 1) print_spread(std::span(reports_).subspan(first));
  }

  static void print_spread(std::span<const Report> runs) {
    std::vector<double> percent;
    for (const Report& run : runs) {
      if (run.diverged.empty()) percent.push_back(100 * run.epochs.back()[0].test_accuracy);
    }
    if (percent.empty()) return;
    const auto n = static_cast<double>(percent.size());
    const double mean = std::accumulate(percent.begin(), percent.end(), 0.0) / n;
    double squares = 0;
    for (const double p : percent) squares += (p - mean) * (p - mean);
    const auto [lowest, highest] = std::minmax_element(percent.begin(), percent.end());
    std::printf("%zu seeds: mean %.3f %%, standard deviation %.3f, from %.2f to %.2f %%\n",
                percent.size(), mean, n > 1 ? std::sqrt(squares / (n - 1)) : 0.0, *lowest,
                *highest);
  }

  void run_one(const TrainOptions& options) {
    KernelModel model(chosen_.sets, spec_, options, own_.kernels);
    Model* const models[] = {&model};
    Report& report = reports_.emplace_back(Report{model.name(),
                                                  "",
                                                  chosen_.source,
                                                  line_.network,
                                                  chosen_.sets.train.size(),
                                                  chosen_.sets.test.size(),
                                                  options,
                                                  {},
                                                  own_.choices});
    ProgressLine bar(options.epochs);
    char who[64];
    std::snprintf(who, sizeof(who), "%5d   %13g   %4llu", options.batch, options.learning_rate,
                  static_cast<unsigned long long>(options.seed));
    try {
      report.epochs = train(models, chosen_.sets, options,
                            {.progress = [&](const Progress& progress) { bar.show(progress); }});
      bar.clear();
      const EpochResult& last = report.epochs.back()[0];
      const std::uint64_t steps =
          Schedule(options, chosen_.sets.train.size()).steps_an_epoch() * report.epochs.size();
      report.diverged = divergence(last, steps, chosen_.sets.train.classes).value_or("");
      std::printf("%s   %.4f   %6.2f %%   %8.0f images/s%s\n", who, last.train_loss,
                  100 * last.test_accuracy, last.images_per_second,
                  report.diverged.empty() ? "" : "   diverged");
      add_curve(report);
    } catch (const DivergedError& error) {
      bar.clear();
      report.diverged = error.what();
      std::printf("%s   %s\n", who, error.what());
    }
    std::fflush(stdout);
    if (files_.json) files_.json->write(to_json(reports_));
    if (files_.curves && !curves_.empty()) {
      files_.curves->write(learning_curves(curves_, title_of(line_)));
    }
  }

  void add_curve(const Report& report) {
    if (curves_.size() == kMostCurves) return;
    char name[64];
    std::snprintf(name, sizeof(name), "batch %d, rate %g", report.options.batch,
                  report.options.learning_rate);
    if (line_.seeds.size() > 1) {
      std::snprintf(name, sizeof(name), "batch %d, rate %g, seed %llu", report.options.batch,
                    report.options.learning_rate,
                    static_cast<unsigned long long>(report.options.seed));
    }
    Curve& curve = curves_.emplace_back(Curve{name, {}});
    for (const auto& epoch : report.epochs) curve.epochs.push_back(epoch[0]);
  }

  CommandLine line_;
  OutputFiles files_;
  NetworkSpec spec_;
  data::Choice chosen_;
  Chosen own_;
  std::vector<Report> reports_;
  std::vector<Curve> curves_;
};

}  // namespace

void run_experiment(const CommandLine& line) { Experiment(line).run(); }

}  // namespace tut::ch16
