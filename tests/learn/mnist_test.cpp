#include "learn/core/mnist.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "learn/core/process.hpp"
#include "learn/core/sha256.hpp"
#include "scratch_folder.hpp"

using namespace tut::learn;

TEST_CASE("unpack reads gzip and plain files whole, and refuses a cut one") {
  const ScratchFolder scratch;
  const std::string plain = (scratch.path() / "x").string();
  std::string content(100000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * i >> 3);
  std::ofstream(plain, std::ios::binary) << content;
  CHECK(unpack(plain) == content);
  REQUIRE(run_captured({{"gzip", "-k", plain}, {}, {}}).ok());
  CHECK(unpack(plain + ".gz") == content);

  std::filesystem::resize_file(plain + ".gz", std::filesystem::file_size(plain + ".gz") - 20);
  CHECK(unpack(plain + ".gz") == std::nullopt);
  CHECK(unpack(scratch.path() / "none") == std::nullopt);

  const std::string sum = sha256(content);
  const MnistFile expected{"x", sum.c_str()};
  CHECK(mnist_fault(plain, expected) == "");
  CHECK(mnist_fault(plain + ".gz", expected) == "cannot be unpacked");
  CHECK(mnist_fault(scratch.path() / "none", expected) == "is not there");
  std::ofstream(plain, std::ios::app) << "!";
  CHECK(mnist_fault(plain, expected) == "has other content than MNIST's (SHA-256)");
  CHECK_FALSE(mnist_present(scratch.path()));
}

TEST_CASE("mnist_folder follows TUT_DATA_DIR as the trainer does") {
  const char* variable = std::getenv("TUT_DATA_DIR");
  const std::optional<std::string> saved =
      variable ? std::optional<std::string>(variable) : std::nullopt;
  unsetenv("TUT_DATA_DIR");
  CHECK(mnist_folder("/course") == "/course/data/mnist");
  setenv("TUT_DATA_DIR", "", 1);
  CHECK(mnist_folder("/course") == "/course/data/mnist");
  setenv("TUT_DATA_DIR", "drawn", 1);
  CHECK(mnist_folder("/course") == "/course/data/mnist");
  setenv("TUT_DATA_DIR", "/my data/", 1);
  CHECK(mnist_folder("/course") == "/my data");
  saved ? setenv("TUT_DATA_DIR", saved->c_str(), 1) : unsetenv("TUT_DATA_DIR");
}
