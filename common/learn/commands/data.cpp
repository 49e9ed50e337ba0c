#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "learn/commands/commands.hpp"
#include "learn/core/error.hpp"
#include "learn/core/mnist.hpp"
#include "learn/core/process.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> mirrors(const std::string& preferred) {
  std::vector<std::string> urls = {"https://storage.googleapis.com/cvdf-datasets/mnist",
                                   "https://ossci-datasets.s3.amazonaws.com/mnist",
                                   "http://yann.lecun.com/exdb/mnist"};
  if (!preferred.empty()) urls.insert(urls.begin(), preferred);
  return urls;
}

/// Copies from a folder or downloads; false when that did not work.
bool fetch(const std::string& mirror, const char* name, const fs::path& target) {
  if (fs::is_directory(mirror)) {
    std::error_code error;
    fs::copy_file(fs::path(mirror) / name, target, fs::copy_options::overwrite_existing, error);
    return !error;
  }
  const std::string url = mirror + "/" + name;
  const bool show = isatty(STDERR_FILENO) != 0;
  if (find_program("curl")) {
    return run_attached({{"curl", "-fL", "--connect-timeout", "10", "--retry", "1",
                          show ? "-#" : "-s", "-o", target.string(), url},
                         {},
                         {}})
        .ok();
  }
  if (find_program("wget")) {
    return run_attached({{"wget", show ? "-nv" : "-q", "--timeout=10", "--tries=2", "-O",
                          target.string(), url},
                         {},
                         {}})
        .ok();
  }
  throw UsageError("downloading needs curl or wget; install one, or give --mirror a folder");
}

/// Gets one file, from the first mirror that has the right content.
void obtain(const MnistFile& file, const fs::path& folder, const std::string& preferred) {
  const fs::path part = folder / fmt::format("{}.{}", file.name, getpid());
  std::string fault = "cannot be downloaded; is there a network?";
  for (const std::string& mirror : mirrors(preferred)) {
    fmt::print("{} from {}\n", file.name, mirror);
    std::fflush(stdout);
    if (fetch(mirror, file.name, part)) {
      fault = mnist_fault(part, file);
      if (fault.empty()) {
        fs::rename(part, folder / file.name);
        return;
      }
      fmt::print("  the file {}; trying the next place\n", fault);
    }
    std::error_code ignored;
    fs::remove(part, ignored);
  }
  std::error_code not_empty;
  fs::remove(folder, not_empty);
  throw UsageError(
      fmt::format("{} {} (--mirror URL|FOLDER names another place)", file.name, fault));
}

/// The whole set is collected in a second folder, as a folder with half of it would be taken for
/// the data set. Collected files are kept for the next attempt.
int get_mnist(const fs::path& folder, const std::string& preferred) {
  if (mnist_present(folder)) {
    fmt::print("MNIST is there: {} (contents verified)\n", folder.string());
    return exit_ok;
  }
  const fs::path gathered = folder.string() + ".part";
  std::error_code error;
  fs::create_directories(gathered, error);
  if (error)
    throw UsageError(fmt::format("cannot make {}: {}", gathered.string(), error.message()));
  for (const MnistFile& file : mnist_files) {
    if (mnist_fault(gathered / file.name, file).empty()) continue;
    const fs::path present = folder / file.name;
    if (mnist_fault(present, file).empty()) {
      fs::copy_file(present, gathered / file.name, fs::copy_options::overwrite_existing);
    } else {
      obtain(file, gathered, preferred);
    }
  }
  fs::create_directories(folder);
  for (const MnistFile& file : mnist_files) {
    fs::rename(gathered / file.name, folder / file.name);
  }
  fs::remove_all(gathered, error);
  fmt::print("MNIST is complete: {} (contents verified)\n", folder.string());
  return exit_ok;
}

}  // namespace

int data_command(const Context& context, const DataOptions& options) {
  const fs::path folder = mnist_folder(context.root);
  if (options.name.empty()) {
    fmt::print("mnist  {}  ({})\n", folder.string(),
               mnist_present(folder) ? "there, contents verified"
                                     : "not downloaded; './learn data mnist' downloads 11 MB");
    return exit_ok;
  }
  if (options.name != "mnist") {
    throw UsageError(fmt::format("no data set '{}'; the only one is mnist", options.name));
  }
  return get_mnist(folder, options.mirror);
}

}  // namespace tut::learn
