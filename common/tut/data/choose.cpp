#include "tut/data/choose.hpp"

#include <cstdlib>
#include <string_view>

#include "tut/data/drawn_digits.hpp"
#include "tut/data/idx.hpp"

namespace tut::data {

namespace {

constexpr std::size_t kDrawnTrain = 20'000;
constexpr std::size_t kDrawnTest = 4'000;
constexpr std::uint64_t kTrainSeed = 1;
constexpr std::uint64_t kTestSeed = 2;
constexpr std::string_view kDrawn = "drawn";

Choice drawn(const std::string& why) { return {drawn_split(), "the drawn digits (" + why + ")"}; }

Choice mnist(const std::filesystem::path& folder, const std::string& why) {
  return {load_mnist(folder), "MNIST in " + folder.string() + " (" + why + ")"};
}

}  // namespace

Split drawn_split() {
  return {draw_digits(kDrawnTrain, kTrainSeed), draw_digits(kDrawnTest, kTestSeed)};
}

std::filesystem::path default_data_folder() {
  return std::filesystem::path(TUT_SOURCE_DIR) / "data" / "mnist";
}

Choice choose_dataset(const std::optional<std::string>& flag,
                      const std::filesystem::path& default_folder) {
  if (flag) return *flag == kDrawn ? drawn("--data") : mnist(*flag, "--data");
  const char* variable = std::getenv("TUT_DATA_DIR");
  if (variable && *variable) {
    return variable == kDrawn ? drawn("TUT_DATA_DIR") : mnist(variable, "TUT_DATA_DIR");
  }
  if (std::filesystem::exists(default_folder)) return mnist(default_folder, "the default folder");
  return drawn("no " + default_folder.string() + ": `./learn data mnist` fetches MNIST");
}

}  // namespace tut::data
