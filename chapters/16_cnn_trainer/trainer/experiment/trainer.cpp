#include "16_cnn_trainer/trainer/experiment/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "16_cnn_trainer/architecture.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch16 {

namespace {

using Clock = std::chrono::steady_clock;

// Images that one model trains on before the next has its turn: long beside the wait at its end.
constexpr std::size_t kStretch = 2048;

// One model's sums over the epoch so far.
struct Tally {
  LossSum loss;
  double seconds = 0;
  std::size_t timed = 0;  // images that took these seconds

  double mean_loss() const { return loss.sum / static_cast<double>(loss.images); }
  double rate() const { return static_cast<double>(timed) / seconds; }
};

class Run {
 public:
  Run(std::span<Model* const> models, const data::Split& sets, const TrainOptions& options,
      const TrainCallbacks& callbacks, const Position& from)
      : models_(models),
        sets_(sets),
        options_(options),
        callbacks_(callbacks),
        schedule_(options, sets.train.size()),
        stretch_(round_up(kStretch, options.images_a_step())),
        at_(from) {
    for (const EpochResult& result : from.results) results_.push_back({result});
  }

  std::vector<std::vector<EpochResult>> go() {
    while (!is_complete(at_, options_)) run_epoch();
    return results_;
  }

 private:
  void run_epoch() {
    const std::size_t size = sets_.train.size();
    const std::vector<int> order = epoch_order(size, options_.seed, at_.epoch);
    std::vector<Tally> tallies(models_.size());
    tallies[0].loss = {at_.loss, at_.images};
    while (at_.images < size) {
      const std::size_t end = std::min(size, at_.images + stretch_);
      const std::span<const int> part = std::span(order).subspan(at_.images, end - at_.images);
      for (std::size_t m = 0; m < models_.size(); ++m) run_stretch(*models_[m], part, tallies[m]);
      at_.step += ceil_div(part.size(), options_.images_a_step());
      at_.images = end;
      at_.loss = tallies[0].loss.sum;
      if (callbacks_.progress) {
        callbacks_.progress({at_.epoch + 1, end, size, tallies[0].mean_loss(), tallies[0].rate()});
      }
      if (end < size) tell_position();
    }
    end_epoch(tallies);
  }

  // Trains on `order` and waits for the end.
  void run_stretch(Model& model, std::span<const int> order, Tally& tally) const {
    const auto start = Clock::now();
    std::uint64_t step = at_.step;
    for (std::size_t first = 0; first < order.size(); first += options_.images_a_step(), ++step) {
      const std::size_t count = std::min(options_.images_a_step(), order.size() - first);
      model.train_batch(order.subspan(first, count), {schedule_.rate(step), options_.momentum,
                                                      options_.weight_decay, step, at_.epoch});
    }
    const LossSum loss = model.take_loss();
    tally.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    tally.timed += loss.images;
    tally.loss.sum += loss.sum;
    tally.loss.images += loss.images;
    if (std::isfinite(tally.loss.sum)) return;
    throw DivergedError("the loss is no longer finite in epoch " + std::to_string(at_.epoch + 1) +
                        ": the learning rate is too large");
  }

  void end_epoch(const std::vector<Tally>& tallies) {
    ++at_.epoch;
    at_.images = 0;
    at_.loss = 0;
    std::vector<EpochResult>& of_epoch = results_.emplace_back();
    for (std::size_t m = 0; m < models_.size(); ++m) {
      const std::vector<std::uint8_t> predictions = models_[m]->predict();
      const std::size_t correct = count_correct(predictions, sets_.test);
      const bool one =
          predictions.size() > 1 && std::ranges::count(predictions, predictions[0]) ==
                                        static_cast<std::ptrdiff_t>(predictions.size());
      const double accuracy = static_cast<double>(correct) / static_cast<double>(sets_.test.size());
      of_epoch.push_back({at_.epoch, tallies[m].mean_loss(), accuracy, tallies[m].rate(), one});
    }
    at_.results.push_back(of_epoch[0]);
    tell_position();
    if (callbacks_.epoch) callbacks_.epoch(of_epoch);
  }

  void tell_position() const {
    if (callbacks_.position) callbacks_.position(at_);
  }

  std::span<Model* const> models_;
  const data::Split& sets_;
  const TrainOptions& options_;
  const TrainCallbacks& callbacks_;
  Schedule schedule_;
  std::size_t stretch_;
  Position at_;
  std::vector<std::vector<EpochResult>> results_;
};

}  // namespace

std::optional<std::string> divergence(const EpochResult& last, std::uint64_t steps, int classes) {
  constexpr std::uint64_t few_steps = 50;
  const double guess = std::log(classes);
  const bool worse = last.train_loss > 2 * guess && (last.epoch > 1 || last.one_prediction);
  const bool nothing =
      last.epoch > 1 && steps >= few_steps && last.one_prediction && last.train_loss > 0.99 * guess;
  if (!worse && !nothing) return std::nullopt;
  char text[256];
  std::snprintf(
      text, sizeof(text),
      "the run has diverged: in epoch %d the loss is %.4g, where a guess has %.4g%s; try a "
      "smaller --lr, or --warmup 1",
      last.epoch, last.train_loss, guess,
      last.one_prediction ? ", and every test image gets the same prediction" : "");
  return text;
}

bool is_complete(const Position& at, const TrainOptions& options) {
  if (at.epoch >= options.epochs) return true;
  if (options.patience == 0 || at.results.empty()) return false;
  const auto worse = [](const EpochResult& a, const EpochResult& b) {
    return a.test_accuracy < b.test_accuracy;
  };
  const auto best = std::max_element(at.results.begin(), at.results.end(), worse);
  return at.results.end() - best > options.patience;
}

std::vector<std::vector<EpochResult>> train(std::span<Model* const> models, const data::Split& sets,
                                            const TrainOptions& options,
                                            const TrainCallbacks& callbacks, const Position& from) {
  require_options(options, sets);
  return Run(models, sets, options, callbacks, from).go();
}

}  // namespace tut::ch16
