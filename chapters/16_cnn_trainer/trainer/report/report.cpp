#include "16_cnn_trainer/trainer/report/report.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tut::ch16 {

namespace {

using Json = nlohmann::ordered_json;

// A number that is written with so many digits, or with the fewest that are this float; null if it
// is not finite.
template <class T, class... Digits>
Json number(T value, Digits... digits) {
  if (!std::isfinite(value)) return nullptr;
  char text[32];
  const char* const end = std::to_chars(text, text + sizeof(text), value, digits...).ptr;
  double written = 0;
  std::from_chars(text, end, written);
  return written;
}

Json figures(const EpochResult& result) {
  const auto number_of = [](double value) { return number(value, std::chars_format::general, 9); };
  return {{"train_loss", number_of(result.train_loss)},
          {"test_accuracy", number_of(result.test_accuracy)},
          {"images_per_second", number_of(result.images_per_second)}};
}

Json settings(const TrainOptions& o) {
  return {{"epochs", o.epochs},
          {"batch", o.batch},
          {"accumulate", o.accumulate},
          {"optimiser", to_string(o.optimiser)},
          {"lr", number(o.learning_rate)},
          {"momentum", number(o.momentum)},
          {"weight_decay", number(o.weight_decay)},
          {"warmup", number(o.warmup)},
          {"decay", to_string(o.decay)},
          {"format", to_string(o.format)},
          {"loss_scale", number(o.loss_scale)},
          {"augment", o.augment},
          {"patience", o.patience},
          {"seed", o.seed}};
}

// What computes each operation: exercises of the learner's own, or the reference.
Json kernels(const KernelChoices& choices) {
  Json all = Json::array();
  for (const KernelChoice& choice : choices.all) {
    Json& one = all.emplace_back(Json{{"operation", choice.name},
                                      {"exercises", choice.exercises},
                                      {"kernel", choice.own ? "own" : "reference"}});
    if (!choice.remark.empty()) one["remark"] = choice.remark;
  }
  return all;
}

Json object(const Report& report) {
  Json json{{"backend", report.backend},           {"data", report.data},
            {"train_images", report.train_images}, {"test_images", report.test_images},
            {"network", report.network},           {"settings", settings(report.options)}};
  if (!report.kernels.all.empty()) json["kernels"] = kernels(report.kernels);
  if (!report.diverged.empty()) json["diverged"] = report.diverged;
  Json& epochs = json["epochs"] = Json::array();
  for (const std::vector<EpochResult>& results : report.epochs) {
    Json& epoch = epochs.emplace_back(Json{{"epoch", results[0].epoch}});
    epoch.update(figures(results[0]));
    if (results.size() < 2) continue;
    Json& loops = epoch["plain_loops"] = {{"name", report.rival}};
    loops.update(figures(results[1]));
  }
  return json;
}

// The name of a file may hold bytes that are no text.
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const Report& report) { return text_of(object(report)); }

std::string to_json(std::span<const Report> reports) {
  Json runs = Json::array();
  for (const Report& report : reports) runs.push_back(object(report));
  return text_of({{"runs", runs}});
}

}  // namespace tut::ch16
