#include "16_cnn_trainer/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>

#include "16_cnn_trainer/architecture.hpp"
#include "tut/math.hpp"

namespace tut::ch16 {

namespace {

using Clock = std::chrono::steady_clock;

// Images that one model trains on before the next has its turn: long beside the wait at its end.
constexpr int kStretch = 2048;

// One model's sums over the epoch so far.
struct Tally {
  LossSum loss;
  double seconds = 0;

  double mean_loss() const { return loss.sum / static_cast<double>(loss.images); }
  double rate() const { return static_cast<double>(loss.images) / seconds; }
};

// The learning rate falls along a straight line over the whole run, to 0 after its last step.
class Schedule {
 public:
  Schedule(const TrainOptions& options, std::size_t images)
      : options_(options), steps_a_epoch_(ceil_div(static_cast<int>(images), options.batch)) {}

  Step at(int epoch, std::size_t first_image) const {
    const double done =
        epoch * double{steps_a_epoch_} + static_cast<double>(first_image) / options_.batch;
    const double total = double{steps_a_epoch_} * options_.epochs;
    const double rate = options_.learning_rate * (1 - done / total);
    return {static_cast<float>(rate), options_.momentum};
  }

 private:
  TrainOptions options_;
  double steps_a_epoch_;
};

// Trains on order[begin, end) and waits for the end.
void run_stretch(Model& model, std::span<const int> order, std::size_t begin, std::size_t end,
                 int batch, const Schedule& schedule, int epoch, Tally& tally) {
  const auto start = Clock::now();
  for (std::size_t first = begin; first < end; first += batch) {
    const std::size_t count = std::min<std::size_t>(batch, end - first);
    model.train_batch(order.subspan(first, count), schedule.at(epoch, first));
  }
  const LossSum loss = model.take_loss();
  tally.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  tally.loss.sum += loss.sum;
  tally.loss.images += loss.images;
  if (!std::isfinite(tally.loss.sum)) {
    throw std::runtime_error("the loss is no longer finite in epoch " + std::to_string(epoch + 1) +
                             ": the learning rate is too large");
  }
}

}  // namespace

void require_options(const TrainOptions& options, const data::Split& sets) {
  const auto demand = [](bool condition, const std::string& name, auto value,
                         const std::string& expected) {
    if (condition) return;
    throw std::invalid_argument(name + " is " + std::to_string(value) + "; expected " + expected);
  };
  demand(options.epochs >= 1, "the number of epochs", options.epochs, "at least 1");
  demand(options.batch >= 1, "the batch", options.batch, "at least 1 image");
  demand(static_cast<std::size_t>(options.batch) <= sets.train.size(), "the batch", options.batch,
         "at most the " + std::to_string(sets.train.size()) + " images of the training set");
}

std::vector<std::vector<EpochResult>> train(std::span<Model* const> models, const data::Split& sets,
                                            const TrainOptions& options,
                                            const TrainCallbacks& callbacks) {
  require_options(options, sets);
  const std::size_t size = sets.train.size();
  const Schedule schedule(options, size);
  const std::size_t stretch = round_up(kStretch, options.batch);
  std::vector<std::vector<EpochResult>> results;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    const std::vector<int> order = epoch_order(size, options.seed, epoch);
    std::vector<Tally> tallies(models.size());
    for (std::size_t begin = 0; begin < size; begin += stretch) {
      const std::size_t end = std::min(size, begin + stretch);
      for (std::size_t m = 0; m < models.size(); ++m) {
        run_stretch(*models[m], order, begin, end, options.batch, schedule, epoch, tallies[m]);
      }
      if (callbacks.progress) {
        const Tally& first = tallies.front();
        callbacks.progress({epoch + 1, end, size, first.mean_loss(), first.rate()});
      }
    }
    std::vector<EpochResult>& of_epoch = results.emplace_back();
    for (std::size_t m = 0; m < models.size(); ++m) {
      const double accuracy =
          static_cast<double>(models[m]->count_correct()) / static_cast<double>(sets.test.size());
      of_epoch.push_back({epoch + 1, tallies[m].mean_loss(), accuracy, tallies[m].rate()});
    }
    if (callbacks.epoch) callbacks.epoch(of_epoch);
  }
  return results;
}

}  // namespace tut::ch16
