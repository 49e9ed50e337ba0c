// The programs with kernels of one's own: with the solutions, with stubs, with planted mistakes.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "../../common/data_files.hpp"

namespace {

using tut::test::TemporaryFolder;

struct Outcome {
  int status;
  std::string out, err;
};

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A folder with a small MNIST, a network with every operation, and what programs leave behind.
class Workplace {
 public:
  Workplace() {
    using namespace tut::test;
    folder_.write("train-images-idx3-ubyte", idx_images(64, 28, 28));
    folder_.write("train-labels-idx1-ubyte", idx_labels(64));
    folder_.write("t10k-images-idx3-ubyte", idx_images(16, 28, 28));
    folder_.write("t10k-labels-idx1-ubyte", idx_labels(16));
    std::ofstream(path("net.txt"))
        << "input 1 28 28\nconv 4 5\nrelu\nmaxpool 2\nconv 4 3\nrelu\ndense 12\nrelu\ndense 10\n";
  }

  std::string path(const std::string& name) const { return folder_.path() / name; }

  Outcome run(const std::string& program, const std::string& arguments) const {
    const std::string out = path("out"), err = path("err");
    const std::string command = "'" + program + "' --data '" + folder_.path().string() +
                                "' --epochs 1 --batch 8 " + arguments + " >'" + out + "' 2>'" +
                                err + "'";
    const int status = std::system(command.c_str());
    REQUIRE(WIFEXITED(status));
    return {WEXITSTATUS(status), contents(out), contents(err)};
  }

 private:
  TemporaryFolder folder_;
};

// The line of the table that begins so.
std::string line_of(const std::string& table, const std::string& begin) {
  std::stringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(begin + "  ")) return line;
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool is_here(const std::string& program) {
  if (!program.empty()) return true;
  MESSAGE("skipped: only maintainers build the program");
  return false;
}

}  // namespace

TEST_CASE("with the solutions every operation is one's own, and the report says so") {
  const Workplace here;
  const Outcome outcome =
      here.run(TUT_MINE_SOLUTIONS, "--kernels mine --network '" + here.path("net.txt") +
                                       "' --json '" + here.path("run.json") + "'");
  CAPTURE(outcome.out);
  CHECK(outcome.err == "");
  CHECK(outcome.status == 0);
  CHECK(!has(outcome.out, "the reference's:"));
  CHECK(line_of(outcome.out, "convolution").ends_with("   yours"));
  CHECK(has(outcome.out, "matmul_padded, matmul_transposed_a   yours"));
  CHECK(has(outcome.out, "without an exercise: bias, ReLU and pooling in one, optimiser (sgd)\n"));
  CHECK(has(outcome.out,
            "kernels   yours: matmul_transposed_a matmul_padded linear_relu im2col_nhwc "
            "conv2d_dilated conv2d_transposed relu_bits smoothed_cross_entropy; all others the "
            "reference's\n"));
  CHECK(has(outcome.out, "    1   "));
  const auto kernels = nlohmann::json::parse(contents(here.path("run.json"))).at("kernels");
  CHECK(kernels.size() == 8);
  for (const auto& kernel : kernels) {
    CHECK(kernel.at("kernel") == "own");
    CHECK(!kernel.contains("remark"));
    if (kernel.at("operation") != "convolution, gradient of its weights") continue;
    CHECK(kernel.at("exercises") == std::vector<std::string>{"im2col_nhwc", "matmul_transposed_a"});
  }
}

TEST_CASE("an experiment and lion, with the solutions; the reference unless asked") {
  const Workplace here;
  const Outcome lion =
      here.run(TUT_MINE_SOLUTIONS, "--kernels=mine --optimiser lion --lr 0.001,0.002 --json '" +
                                       here.path("run.json") + "'");
  CAPTURE(lion.err);
  CHECK(lion.status == 0);
  CHECK(line_of(lion.out, "optimiser").ends_with("yours"));
  CHECK(has(contents(here.path("run.json")), "\"operation\": \"optimiser\""));
  const Outcome plain = here.run(TUT_MINE_SOLUTIONS, "--json '" + here.path("run.json") + "'");
  CHECK(plain.status == 0);
  CHECK(!has(plain.out, "yours"));
  CHECK(!has(contents(here.path("run.json")), "\"kernel\""));
}

TEST_CASE("with stubs there is nothing to train with, and every exercise is named") {
  if (!is_here(TUT_MINE)) return;
  const Workplace here;
  const Outcome outcome =
      here.run(TUT_MINE, "--kernels mine --network '" + here.path("net.txt") + "'");
  CAPTURE(outcome.out);
  CHECK(outcome.status == 1);
  CHECK(outcome.err ==
        "error: none of your kernels can be used yet; begin with ./learn check conv2d_dilated\n");
  for (const char* exercise : {"conv2d_dilated", "conv2d_transposed", "im2col_nhwc", "linear_relu",
                               "matmul_padded", "relu_bits", "smoothed_cross_entropy"}) {
    CAPTURE(exercise);
    CHECK(has(outcome.out, std::string("the reference's: yours is not finished (./learn check ") +
                               exercise + ")"));
  }
  CHECK(!has(outcome.out, "epoch"));
  CHECK(here.run(TUT_MINE, "").status == 0);
}

TEST_CASE("a kernel that is wrong, crashes, exits or never ends is named, and the others stay") {
  if (!is_here(TUT_MINE_PLANTED)) return;
  const Workplace here;
  const Outcome outcome =
      here.run(TUT_MINE_PLANTED, "--kernels mine --network '" + here.path("net.txt") + "'");
  CAPTURE(outcome.out);
  CHECK(outcome.err == "");
  CHECK(outcome.status == 0);
  CHECK(line_of(outcome.out, "convolution").ends_with("   yours"));
  CHECK(has(line_of(outcome.out, "convolution, gradient of its input"),
            "the reference's: yours gives wrong values (./learn check conv2d_transposed)"));
  CHECK(has(line_of(outcome.out, "convolution, gradient of its weights"),
            "the reference's: yours never ends (./learn check im2col_nhwc)"));
  CHECK(has(line_of(outcome.out, "dense layer with ReLU"),
            "the reference's: yours gives wrong values (./learn check linear_relu)"));
  CHECK(has(line_of(outcome.out, "loss and its gradient"),
            "the reference's: yours crashes (./learn check smoothed_cross_entropy)"));
  CHECK(has(line_of(outcome.out, "dense layer, gradients"),
            "the reference's: yours crashes (./learn check matmul_transposed_a)"));
  // matmul_padded is wrong: the other product takes its place.
  CHECK(has(line_of(outcome.out, "dense layer"), "matmul_rectangular"));
  CHECK(line_of(outcome.out, "dense layer").ends_with("   yours"));
  CHECK(has(outcome.out,
            "kernels   yours: matmul_rectangular conv2d_dilated "
            "relu_bits; all others"));
  CHECK(has(outcome.out, "    1   "));
}
