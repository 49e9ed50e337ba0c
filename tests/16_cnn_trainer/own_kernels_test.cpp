#include "16_cnn_trainer/trainer/own_kernels/own_kernels.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "../common/data_files.hpp"

namespace {

using namespace tut;
using namespace tut::ch16;
using Names = std::vector<std::string>;

// Answers as it is told, "agrees" for all others, and counts the questions.
struct Answers {
  std::map<std::string, Verdict, std::less<>> verdicts = {};
  std::map<std::string, int> asked = {};

  KernelChoices choose(const std::string& layers, Optimiser optimiser = Optimiser::sgd) {
    const NetworkSpec spec = parse_network("input 1 28 28\n" + layers + "dense 10\n", "test");
    return choose_kernels(spec, optimiser, [&](std::string_view exercise) {
      ++asked[std::string(exercise)];
      const auto known = verdicts.find(exercise);
      return known == verdicts.end() ? Verdict::agrees : known->second;
    });
  }
};

std::vector<Operation> operations(const KernelChoices& choices) {
  std::vector<Operation> all;
  for (const KernelChoice& choice : choices.all) all.push_back(choice.operation);
  return all;
}

}  // namespace

TEST_CASE("own kernels: a network's operations are those of its stages") {
  using O = Operation;
  Answers answers;
  CHECK(operations(answers.choose("")) == std::vector{O::dense, O::dense_backward, O::loss});
  CHECK(answers.asked.size() == 3);
  CHECK(operations(answers.choose("conv 4 5\nrelu\nmaxpool 2\n", Optimiser::lion)) ==
        std::vector{O::conv2d, O::conv2d_backward_weights, O::dense, O::dense_backward, O::loss,
                    O::lion});
  const KernelChoices many =
      answers.choose("conv 4 5\nrelu\nconv 4 5\nsigmoid\ndropout 0.5\ndense 8\nrelu\n");
  CHECK(operations(many) == std::vector{O::conv2d, O::conv2d_backward_input,
                                        O::conv2d_backward_weights, O::relu, O::dense_relu,
                                        O::dense, O::dense_backward, O::loss});
  CHECK(many.without_exercise == Names{"sigmoid", "dropout", "optimiser (sgd)"});
  CHECK(many.used() == Names{"matmul_transposed_a", "matmul_padded", "linear_relu", "im2col_nhwc",
                             "conv2d_dilated", "conv2d_transposed", "relu_bits",
                             "smoothed_cross_entropy"});
}

TEST_CASE("own kernels: each exercise is tried once, and one that is wrong is the reference's") {
  Answers answers;
  answers.verdicts = {{"matmul_transposed_a", Verdict::wrong_values},
                      {"matmul_padded", Verdict::unfinished},
                      {"smoothed_cross_entropy", Verdict::never_ends},
                      {"conv2d_dilated", Verdict::crashes}};
  const KernelChoices choices = answers.choose("conv 4 5\n");
  for (const auto& asked : answers.asked) {
    CAPTURE(asked.first);
    CHECK(asked.second == 1);
  }
  // Two products would do, and one of them does.
  CHECK(choices.find(Operation::dense)->own);
  CHECK(choices.find(Operation::dense)->exercises == Names{"matmul_rectangular"});
  CHECK(choices.find(Operation::lion) == nullptr);
  CHECK(choices.used() == Names{"matmul_rectangular"});
  CHECK(to_text(choices) ==
        "what is computed                       by the exercise                           whose "
        "is used\n"
        "convolution                            conv2d_dilated                            the "
        "reference's: yours crashes (./learn check conv2d_dilated)\n"
        "convolution, gradient of its weights   im2col_nhwc, matmul_transposed_a          the "
        "reference's: yours gives wrong values (./learn check matmul_transposed_a)\n"
        "dense layer                            matmul_rectangular                        "
        "yours\n"
        "dense layer, gradients                 matmul_rectangular, matmul_transposed_a   the "
        "reference's: yours gives wrong values (./learn check matmul_transposed_a)\n"
        "loss and its gradient                  smoothed_cross_entropy                    the "
        "reference's: yours never ends (./learn check smoothed_cross_entropy)\n"
        "without an exercise: optimiser (sgd)\n");
}

TEST_CASE("own kernels: with nothing right there is nothing, and a first exercise to begin with") {
  const NetworkSpec spec = load_network("small");
  const KernelChoices none =
      choose_kernels(spec, Optimiser::lion, [](std::string_view) { return Verdict::unfinished; });
  CHECK(!none.any_own());
  CHECK(none.used().empty());
  CHECK(none.all[0].next == "conv2d_dilated");
  CHECK(none.find(Operation::dense)->exercises == Names{"matmul_padded (or matmul_rectangular)"});
  CHECK(none.find(Operation::dense)->next == "matmul_padded");
}

TEST_CASE("own kernels: the transposed convolution does where the stride comes out even") {
  Answers answers;
  const std::string first = "conv 2 1\n";
  const auto choice = [&](const std::string& layers) {
    return *answers.choose(first + layers).find(Operation::conv2d_backward_input);
  };
  CHECK(choice("conv 4 4 stride 2\n").own);
  CHECK(choice("conv 4 4 stride 2\n").remark == "");
  CHECK(!choice("conv 4 5 stride 2\n").own);
  CHECK(choice("conv 4 5 stride 2\n").remark == "the stride leaves pixels at the far edge");
  CHECK(choice("conv 4 5 stride 2\nconv 4 3\n").own);
  CHECK(choice("conv 4 5 stride 2\nconv 4 3\n").remark ==
        "not where the stride leaves pixels at the far edge");
}

TEST_CASE("own kernels: the seconds of a trial begin when its device is ready") {
  const test::TemporaryFolder folder;
  const auto verdict = [&](const std::string& script, double seconds) {
    const auto program = folder.path() / "program";
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return try_kernel({"lion", folder.path() / "none.cu", nullptr}, program, seconds);
  };
  CHECK(verdict("sleep 4; exec 3>&-; exit 40", 3) == Verdict::agrees);
  CHECK(verdict("exec 3>&-; exec sleep 1000", 0.1) == Verdict::never_ends);
  CHECK(verdict("exec 3>&-; while :; do :; done", 0.1) == Verdict::never_ends);
  CHECK(verdict("exit 41", 10) == Verdict::wrong_values);
  CHECK(verdict("kill -SEGV $$", 10) == Verdict::crashes);
}
