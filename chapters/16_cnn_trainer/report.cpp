#include "16_cnn_trainer/report.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace tut::ch16 {

namespace {

std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value, std::chars_format::general, 9).ptr};
}

// The shortest text that is this float.
std::string number(float value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof(code), "\\u%04x", c);
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string figures(const EpochResult& result) {
  return "\"train_loss\": " + number(result.train_loss) +
         ", \"test_accuracy\": " + number(result.test_accuracy) +
         ", \"images_per_second\": " + number(result.images_per_second);
}

std::string settings(const TrainOptions& o) {
  return "{\"epochs\": " + std::to_string(o.epochs) + ", \"batch\": " + std::to_string(o.batch) +
         ", \"accumulate\": " + std::to_string(o.accumulate) +
         ", \"optimiser\": " + quoted(std::string(to_string(o.optimiser))) +
         ", \"lr\": " + number(o.learning_rate) + ", \"momentum\": " + number(o.momentum) +
         ", \"weight_decay\": " + number(o.weight_decay) + ", \"warmup\": " + number(o.warmup) +
         ", \"decay\": " + quoted(std::string(to_string(o.decay))) +
         ", \"format\": " + quoted(std::string(to_string(o.format))) +
         ", \"loss_scale\": " + number(o.loss_scale) +
         ", \"augment\": " + (o.augment ? "true" : "false") +
         ", \"patience\": " + std::to_string(o.patience) + ", \"seed\": " + std::to_string(o.seed) +
         "}";
}

// What computes each operation: exercises of the learner's own, or the reference.
std::string kernels(const KernelChoices& choices) {
  std::string json = "[";
  for (const KernelChoice& choice : choices.all) {
    json += (json.size() > 1 ? ",\n    {" : "\n    {") + std::string("\"operation\": ") +
            quoted(choice.name) + ", \"exercises\": [";
    for (const std::string& exercise : choice.exercises) {
      json += (&exercise == choice.exercises.data() ? "" : ", ") + quoted(exercise);
    }
    json += std::string("], \"kernel\": ") + (choice.own ? "\"own\"" : "\"reference\"");
    if (!choice.remark.empty()) json += ", \"remark\": " + quoted(choice.remark);
    json += "}";
  }
  return json + "\n  ]";
}

std::string object(const Report& report) {
  std::string json = "{\n  \"backend\": " + quoted(report.backend) +
                     ",\n  \"data\": " + quoted(report.data) +
                     ",\n  \"train_images\": " + std::to_string(report.train_images) +
                     ",\n  \"test_images\": " + std::to_string(report.test_images) +
                     ",\n  \"network\": " + quoted(report.network) +
                     ",\n  \"settings\": " + settings(report.options);
  if (!report.kernels.all.empty()) json += ",\n  \"kernels\": " + kernels(report.kernels);
  if (!report.diverged.empty()) json += ",\n  \"diverged\": " + quoted(report.diverged);
  json += ",\n  \"epochs\": [";
  const char* separator = "\n";
  for (const std::vector<EpochResult>& epoch : report.epochs) {
    json += separator + std::string("    {\"epoch\": ") + std::to_string(epoch[0].epoch) + ", " +
            figures(epoch[0]);
    if (epoch.size() > 1) {
      json += ",\n     \"plain_loops\": {\"name\": " + quoted(report.rival) + ", " +
              figures(epoch[1]) + "}";
    }
    json += "}";
    separator = ",\n";
  }
  return json + "\n  ]\n}";
}

}  // namespace

std::string to_json(const Report& report) { return object(report) + "\n"; }

std::string to_json(std::span<const Report> reports) {
  std::string json = "{\"runs\": [";
  const char* separator = "\n";
  for (const Report& report : reports) {
    json += separator + object(report);
    separator = ",\n";
  }
  return json + "\n]}\n";
}

}  // namespace tut::ch16
