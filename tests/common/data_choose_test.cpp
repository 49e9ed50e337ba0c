#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "data_files.hpp"
#include "tut/data/choose.hpp"

namespace {

using namespace tut::test;
using tut::data::choose_dataset;
using tut::data::DataError;

// Sets TUT_DATA_DIR, and puts it back.
class DataVariable {
 public:
  explicit DataVariable(const char* value) {
    if (const char* old = std::getenv(kName)) old_ = old;
    value ? setenv(kName, value, 1) : unsetenv(kName);
  }
  ~DataVariable() { old_ ? setenv(kName, old_->c_str(), 1) : unsetenv(kName); }

 private:
  static constexpr const char* kName = "TUT_DATA_DIR";
  std::optional<std::string> old_;
};

// A folder that looks like MNIST, with `count` training images to tell it by.
void write_mnist(const TemporaryFolder& folder, std::uint32_t count) {
  folder.write("train-images-idx3-ubyte", idx_images(count, 28, 28));
  folder.write("train-labels-idx1-ubyte", idx_labels(count));
  folder.write("t10k-images-idx3-ubyte", idx_images(1, 28, 28));
  folder.write("t10k-labels-idx1-ubyte", idx_labels(1));
}

}  // namespace

TEST_CASE("data: the flag goes before the variable, that before the default folder") {
  const TemporaryFolder by_flag, by_variable, by_default;
  write_mnist(by_flag, 2);
  write_mnist(by_variable, 3);
  write_mnist(by_default, 4);
  {
    const DataVariable variable(by_variable.path().c_str());
    const auto flagged = choose_dataset(by_flag.path().string(), by_default.path());
    CHECK(flagged.sets.train.size() == 2);
    CHECK(flagged.source == "MNIST in " + by_flag.path().string() + " (--data)");
    const auto chosen = choose_dataset({}, by_default.path());
    CHECK(chosen.sets.train.size() == 3);
    CHECK(chosen.source == "MNIST in " + by_variable.path().string() + " (TUT_DATA_DIR)");
  }
  for (const char* nothing : {static_cast<const char*>(nullptr), ""}) {
    const DataVariable variable(nothing);
    CHECK(choose_dataset({}, by_default.path()).sets.train.size() == 4);
  }
}

TEST_CASE("data: without MNIST the digits are drawn, and the line says so") {
  const TemporaryFolder folder;
  const DataVariable variable(nullptr);
  const auto chosen = choose_dataset({}, folder.path() / "absent");
  CHECK(chosen.sets.train.size() == 20000);
  CHECK(chosen.source.starts_with("the drawn digits (no " + folder.path().string() + "/absent"));
  CHECK(choose_dataset("drawn", folder.path()).source == "the drawn digits (--data)");
}

TEST_CASE("data: a folder that was asked for is never passed over in silence") {
  const TemporaryFolder empty;
  const DataVariable variable(nullptr);
  CHECK_THROWS_AS(choose_dataset("/absent"), DataError);
  CHECK_THROWS_AS(choose_dataset({}, empty.path()), DataError);
  const DataVariable wrong("/absent");
  CHECK_THROWS_AS(choose_dataset({}, empty.path() / "absent"), DataError);
}
