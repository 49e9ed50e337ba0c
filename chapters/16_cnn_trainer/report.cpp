#include "16_cnn_trainer/report.hpp"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

namespace tut::ch16 {

namespace {

namespace fs = std::filesystem;

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

[[noreturn]] void fail(const fs::path& path, const std::string& reason) {
  throw ReportError(path.string() + ": cannot be written: " + reason);
}

void write_file(const fs::path& path, const std::string& contents, const fs::path& named) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) fail(named, std::strerror(errno));
  const bool written = std::fwrite(contents.data(), 1, contents.size(), file) == contents.size() &&
                       std::fflush(file) == 0 && fsync(fileno(file)) == 0;
  const int error = errno;
  if (std::fclose(file) == 0 && written) return;
  std::remove(path.c_str());
  fail(named, std::strerror(error));
}

}  // namespace

std::string to_json(const Report& report) {
  const TrainOptions& options = report.options;
  std::string json =
      "{\n  \"backend\": " + quoted(report.backend) + ",\n  \"data\": " + quoted(report.data) +
      ",\n  \"train_images\": " + std::to_string(report.train_images) +
      ",\n  \"test_images\": " + std::to_string(report.test_images) +
      ",\n  \"settings\": {\"epochs\": " + std::to_string(options.epochs) +
      ", \"batch\": " + std::to_string(options.batch) +
      ", \"lr\": " + number(options.learning_rate) + ", \"momentum\": " + number(options.momentum) +
      ", \"seed\": " + std::to_string(options.seed) + "},\n  \"epochs\": [";
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
  return json + "\n  ]\n}\n";
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
  std::error_code error;
  if (fs::exists(path_, error)) {
    if (!fs::is_regular_file(path_, error)) fail(path_, "it is not a regular file");
    if (access(path_.c_str(), W_OK) != 0) fail(path_, std::strerror(errno));
    path_ = fs::canonical(path_);  // a link stays one, and what it names is replaced
  }
  temporary_ = path_;
  temporary_ += ".tmp" + std::to_string(getpid());
  write_file(temporary_, "", path_);
  fs::remove(temporary_, error);
}

void AtomicFile::write(const std::string& contents) const {
  write_file(temporary_, contents, path_);
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (!error) return;
  std::remove(temporary_.c_str());
  fail(path_, error.message());
}

}  // namespace tut::ch16
