#include "16_cnn_trainer/trainer/command_line.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "../common/data_files.hpp"
#include "16_cnn_trainer/trainer/report/report.hpp"

namespace {

using namespace tut;
using namespace tut::ch16;
using test::TemporaryFolder;

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

// Runs the program; arguments stand in a shell's command line.
Outcome trainer(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string out = folder.path() / "out", err = folder.path() / "err";
  const std::string command =
      std::string("'" TUT_TRAINER "' ") + arguments + " >'" + out + "' 2>'" + err + "'";
  const int status = std::system(command.c_str());
  REQUIRE(WIFEXITED(status));
  return {WEXITSTATUS(status), contents(out), contents(err)};
}

// Expects one line that begins with "error: " and holds `part`, a status that is not 0, and no
// training.
void check_refused(const std::string& arguments, const std::string& part) {
  CAPTURE(arguments);
  const Outcome outcome = trainer(arguments);
  CAPTURE(outcome.err);
  CHECK(outcome.status != 0);
  CHECK(outcome.err.starts_with("error: "));
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  CHECK(outcome.err.find(part) != std::string::npos);
  CHECK(outcome.out.find("epoch") == std::string::npos);
}

// The line of the output that begins so; empty without one.
std::string line_of(const std::string& out, const std::string& begin) {
  std::stringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(begin)) return line;
  }
  return "";
}

// A folder with a small MNIST, one file of which can be replaced.
class SmallMnist {
 public:
  SmallMnist() {
    folder_.write("train-images-idx3-ubyte", test::idx_images(64, 28, 28));
    folder_.write("train-labels-idx1-ubyte", test::idx_labels(64));
    folder_.write("t10k-images-idx3-ubyte", test::idx_images(16, 28, 28));
    folder_.write("t10k-labels-idx1-ubyte", test::idx_labels(16));
  }
  void write(const std::string& name, const test::Bytes& bytes) { folder_.write(name, bytes); }
  std::string flag() const { return "--data '" + folder_.path().string() + "' "; }
  std::filesystem::path path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("trainer: bad arguments are refused in one line") {
  check_refused("--epochs 0", "--epochs is '0'; expected a whole number from 1");
  check_refused("--epochs -3", "--epochs is '-3'");
  check_refused("--epochs 1.5", "--epochs is '1.5'");
  check_refused("--epochs 99999999999999999999", "--epochs is '99999999999999999999'");
  check_refused("--epochs ''", "--epochs is ''");
  check_refused("--epochs", "--epochs has no value");
  check_refused("--epochs= --batch 8", "--epochs is ''; expected a whole number from 1");
  check_refused("--batch 0", "--batch is '0'");
  check_refused("--batch 10x", "--batch is '10x'");
  check_refused("--batch=70000", "--batch is '70000'");
  check_refused("--lr 0", "--lr is '0'; expected a number above 0");
  check_refused("--lr -0.1", "--lr is '-0.1'");
  check_refused("--lr nan", "--lr is 'nan'");
  check_refused("--lr inf", "--lr is 'inf'");
  check_refused("--lr 0,1", "--lr is '0'; expected a number above 0");
  check_refused("--lr 0.1,", "--lr is ''");
  check_refused("--batch 32,x", "--batch is 'x'");
  check_refused("--decay square", "--decay is 'square'; expected one of none, linear, cosine");
  check_refused("--format fp8", "--format is 'fp8'; expected one of fp32, tf32, fp16, bf16");
  check_refused("--optimiser rmsprop", "expected one of sgd, adam");
  check_refused("--resume", "--resume goes on from a checkpoint; expected --checkpoint FILE");
  check_refused("--loss-scale 8", "--loss-scale is for --format fp16");
  check_refused("--kernels theirs", "--kernels is 'theirs'; expected one of reference, mine");
  check_refused("--kernels mine --format bf16",
                "--kernels mine are solutions of exercises in FP32");
  check_refused("--kernels mine", "'./learn run 16 -- --kernels mine' builds and runs it");
  check_refused("--optimiser lion", "expected --kernels mine as well");
  check_refused("--try-kernel lion", "unknown argument '--try-kernel'");
  check_refused("--compare --augment", "--compare trains the plain loops");
  check_refused("--batch 8,16 --checkpoint x", "expected no --checkpoint");
  check_refused("--warmup 9", "--warmup is longer than the run; expected at most");
  CHECK(trainer("--warmup 9").status == 2);
  check_refused("--network absent.txt", "absent.txt");
  check_refused("--momentum 1", "--momentum is '1'");
  check_refused("--seed -1", "--seed is '-1'");
  check_refused("--seed 1-", "--seed is '1-'");
  check_refused("--seed 3-1", "--seed is '3-1'; expected the lower seed first");
  check_refused("--seed 0-1000", "at most 1000 of them");
  check_refused("--seed 1-600,1-600", "the experiment has more than 1000 runs");
  check_refused("--seed 1,2 --compare", "--compare trains the plain loops");
  check_refused("--epoch 3", "unknown argument '--epoch'");
  check_refused("mnist", "unknown argument 'mnist'");
  check_refused("--json ''", "--json is ''; expected a name");
  check_refused("--data=", "--data is ''");
  check_refused("--compare=yes", "--compare takes no value");
}

TEST_CASE("trainer: --help explains itself") {
  const Outcome outcome = trainer("--help");
  CHECK(outcome.status == 0);
  for (const char* flag :
       {"--epochs", "--batch", "--lr", "--seed", "--data", "--json", "--compare"}) {
    CHECK(outcome.out.find(flag) != std::string::npos);
  }
}

TEST_CASE("trainer: bad data is refused in one line that names the file") {
  const std::string once = "--epochs 1 --batch 8 ";
  {
    const SmallMnist good;
    CHECK(trainer(good.flag() + once).status == 0);
    check_refused(good.flag() + "--epochs 1 --batch 65",
                  "the batch is 65; expected at most the 64 images of the training set");
  }
  {
    SmallMnist truncated;
    test::Bytes images = test::idx_images(64, 28, 28);
    images.resize(images.size() - 1);
    truncated.write("train-images-idx3-ubyte", images);
    check_refused(truncated.flag() + once, "train-images-idx3-ubyte: expected 64 images");
  }
  {
    SmallMnist packed;
    test::Bytes labels = test::gzip(test::idx_labels(16));
    labels.resize(labels.size() - 4);
    packed.write("t10k-labels-idx1-ubyte", labels);
    check_refused(packed.flag() + once, "t10k-labels-idx1-ubyte: the gzip data ends early");
  }
  {
    SmallMnist mislabelled;
    test::Bytes labels = test::idx_labels(64);
    labels.back() = 10;
    mislabelled.write("train-labels-idx1-ubyte", labels);
    check_refused(mislabelled.flag() + once,
                  "train-labels-idx1-ubyte: expected labels from 0 to 9");
  }
  {
    SmallMnist fewer;
    fewer.write("train-labels-idx1-ubyte", test::idx_labels(63));
    check_refused(fewer.flag() + once, "train-labels-idx1-ubyte: expected 64 labels");
  }
  {
    SmallMnist swapped;
    swapped.write("t10k-images-idx3-ubyte", test::idx_labels(16));
    swapped.write("t10k-labels-idx1-ubyte", test::idx_images(16, 28, 28));
    check_refused(swapped.flag() + once, "are images and labels swapped?");
  }
  {
    SmallMnist text;
    text.write("train-images-idx3-ubyte", {'<', 'h', 't', 'm', 'l', '>', '\n'});
    check_refused(text.flag() + once, "train-images-idx3-ubyte: expected an IDX image file");
  }
  check_refused("--data /absent", "/absent: expected a folder");
}

TEST_CASE("trainer: the results file is whole, or refused before the training" *
          doctest::test_suite("long")) {
  const SmallMnist mnist;
  const TemporaryFolder folder;
  const std::string target = folder.path() / "results.json";
  const std::string once = mnist.flag() + "--epochs 2 --batch 8 --seed 9 ";
  const Outcome outcome = trainer(once + "--json '" + target + "'");
  CHECK(outcome.status == 0);
  const std::string json = contents(target);
  for (const char* key : {"\"train_loss\": ", "\"test_accuracy\": ", "\"images_per_second\": ",
                          "\"epoch\": 2", "\"seed\": 9", "\"lr\": 0.02,"}) {
    CAPTURE(key);
    CHECK(json.find(key) != std::string::npos);
  }
  CHECK(json.find("plain_loops") == std::string::npos);
  // Nothing is left beside it.
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);

  check_refused(once + "--json '" + folder.path().string() + "/absent/results.json'",
                "results.json: cannot be written: No such file");
  check_refused(once + "--json '" + folder.path().string() + "'", "it is not a regular file");
  check_refused(once + "--json /dev/null", "it is not a regular file");
}

TEST_CASE("trainer: --json takes no other file's place, only that of such results") {
  const SmallMnist mnist;
  const TemporaryFolder folder;
  const std::string target = folder.path() / "results.json";
  const std::string once = mnist.flag() + "--epochs 1 --batch 8 --seed 1,2 --json '" + target + "'";
  for (const char* content : {"precious\n", R"({"benchmarks": [{"name": "m/8/step"}]})"}) {
    CAPTURE(content);
    std::ofstream(target) << content;
    check_refused(once, target + ": holds something other than results of the trainer");
    CHECK(contents(target) == content);
  }
  TrainOptions options;
  const Report one{"b", "", "d", "n", 1, 1, options, {}};
  const std::string experiment = to_json(std::vector{one, one});
  for (const std::string& content : {std::string(), to_json(one), experiment}) {
    CAPTURE(content);
    std::ofstream(target) << content;
    CHECK(trainer(once).status == 0);
    CHECK(contents(target).find("\"data\": \"d\"") == std::string::npos);
    CHECK(contents(target).find("\"runs\"") != std::string::npos);
  }
}

TEST_CASE("trainer: --compare prints both rates and writes them") {
  const SmallMnist mnist;
  const TemporaryFolder folder;
  const std::string target = folder.path() / "results.json";
  const Outcome outcome =
      trainer(mnist.flag() + "--epochs 1 --batch 8 --compare --json '" + target + "'");
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("images/s   CUDA kernels") != std::string::npos);
  CHECK(outcome.out.find("images/s   plain C++ loops") != std::string::npos);
  CHECK(outcome.out.find("kernels / loops: ") != std::string::npos);
  CHECK(contents(target).find("\"plain_loops\": {") != std::string::npos);
}

TEST_CASE("trainer: the last of two equal flags counts, and both spellings") {
  const std::array<const char*, 5> arguments{"--epochs", "2", "--epochs=4", "--lr=0.5",
                                             "--compare"};
  const CommandLine line = parse_command_line(arguments);
  CHECK(line.train.epochs == 4);
  CHECK(line.train.learning_rate == 0.5f);
  CHECK(line.compare);
  CHECK(!line.json);
}

TEST_CASE("trainer: a report that is not finite or has odd characters is still JSON") {
  Report report;
  report.backend = "a \"name\"\\ with\na line";
  report.epochs = {{{1, NAN, 0.5, 1e6}}};
  const auto json = nlohmann::json::parse(to_json(report));
  CHECK(json.at("backend") == report.backend);
  CHECK(json.at("epochs").at(0).at("train_loss").is_null());
}

TEST_CASE("trainer: killed at any moment and resumed, a run ends the same" *
          doctest::test_suite("long")) {
  const SmallMnist mnist;
  const TemporaryFolder folder;
  const std::string checkpoint = folder.path() / "run.ckpt";
  const std::string whole = folder.path() / "whole.json", parts = folder.path() / "parts.json";
  const std::string settings =
      mnist.flag() + "--epochs 60 --batch 4 --lr 0.002 --augment --seed 5 ";
  const Outcome at_once = trainer(settings + "--json '" + whole + "'");
  CHECK(at_once.status == 0);
  const std::string resumed = settings + "--checkpoint-seconds 0 --checkpoint '" + checkpoint +
                              "' --resume --json '" + parts + "'";
  int killed = 0;
  for (int tenths = 1; tenths < 200; ++tenths) {
    const std::string command = "timeout -s KILL " + std::to_string(tenths / 10.0) + " '" +
                                TUT_TRAINER "' " + resumed + " >/dev/null 2>&1";
    if (std::system(command.c_str()) == 0) break;
    ++killed;
  }
  MESSAGE("killed " << killed << " times");
  // All but what a clock says.
  const auto results = [](const std::string& path) {
    std::stringstream lines(contents(path)), kept;
    for (std::string line; std::getline(lines, line);) {
      if (line.find("\"images_per_second\"") == std::string::npos) kept << line << '\n';
    }
    return kept.str();
  };
  CHECK(results(parts) == results(whole));
  CHECK(results(whole).find("\"epoch\": 60") != std::string::npos);
  // And so are weights, velocity and counts.
  const std::string weights = line_of(at_once.out, "weights ");
  CHECK(!weights.empty());
  CHECK(line_of(trainer(resumed).out, "weights ") == weights);
}

TEST_CASE("trainer: a checkpoint that cannot be used is refused in one line, and left alone") {
  const SmallMnist mnist;
  const TemporaryFolder folder;
  const std::string path = folder.path() / "run.ckpt";
  const std::string once = mnist.flag() + "--epochs 1 --batch 8 ";
  const std::string file = "--checkpoint '" + path + "' ";
  CHECK(trainer(once + file).status == 0);
  const std::string good = contents(path);
  check_refused(once + file + "--resume --lr 0.5",
                "the checkpoint's run has lr 0.02, and 0.5 is asked for");
  check_refused(once + file + "--resume --network example", "was made by a network");
  CHECK(contents(path) == good);
  check_refused(once + file, "run.ckpt is there already; expected --resume");
  CHECK(contents(path) == good);
  std::ofstream(path) << good.substr(0, good.size() / 2);
  check_refused(once + file + "--resume", "run.ckpt: the checkpoint ends early");
  std::ofstream(path) << "something else";
  check_refused(once + file + "--resume", "run.ckpt: ");
  check_refused(once + "--checkpoint /absent/run.ckpt", "/absent/run.ckpt");
}

TEST_CASE("trainer: of a complete run nothing is left, and it says so") {
  const SmallMnist mnist;
  const TemporaryFolder folder;
  const std::string run = mnist.flag() + "--epochs 2 --batch 8 --checkpoint '" +
                          (folder.path() / "run.ckpt").string() + "' ";
  const Outcome first = trainer(run), again = trainer(run + "--resume");
  CHECK(first.status == 0);
  CHECK(line_of(first.out, "complete ").empty());
  CHECK(again.status == 0);
  CHECK(line_of(again.out, "complete ").find("--epochs 4 and another --checkpoint") !=
        std::string::npos);
  CHECK(line_of(again.out, "    2   ") == line_of(first.out, "    2   "));
  CHECK(line_of(again.out, "weights ") == line_of(first.out, "weights "));
  CHECK(line_of(first.out, "weights ").size() > std::string("weights   0123456789abcdef").size());
  const Outcome other = trainer(mnist.flag() + "--epochs 2 --batch 8 --seed 2");
  CHECK(line_of(other.out, "weights ") != line_of(first.out, "weights "));
}

/// Runs `command`, sends the signal when `file` is there, and returns the signal that ended it.
int stopped_by(const std::string& command, int signal_number, const std::string& file) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
    _exit(127);
  }
  for (int tenths = 0; tenths < 600 && !std::filesystem::exists(file); ++tenths) usleep(100'000);
  kill(child, signal_number);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST_CASE("trainer: a run that is stopped says how it goes on") {
  const SmallMnist mnist;
  const TemporaryFolder folder;
  const std::string checkpoint = folder.path() / "run.ckpt", err = folder.path() / "err";
  const std::string run = std::string("'" TUT_TRAINER "' ") + mnist.flag() +
                          "--epochs 9999 --batch 8 --checkpoint '" + checkpoint + "'";
  const std::string words = "the same command line with --resume goes on from " + checkpoint;
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal_number);
    std::filesystem::remove(checkpoint);
    CHECK(stopped_by(run + " >/dev/null 2>'" + err + "'", signal_number, checkpoint) ==
          signal_number);
    CHECK(contents(err).find(words) != std::string::npos);
    CHECK(std::filesystem::exists(checkpoint));
  }
  // A reader that leaves stops the run after an epoch, and that is kept.
  std::filesystem::remove(checkpoint);
  CHECK(std::system(("(" + run + " 2>'" + err + "') | head -c 1 >/dev/null").c_str()) == 0);
  CHECK(contents(err).find(words) != std::string::npos);
  CHECK(std::filesystem::exists(checkpoint));
  const std::string without = run.substr(0, run.find("--checkpoint"));
  CHECK(WEXITSTATUS(std::system(
            ("timeout -s INT 1 " + without + " >/dev/null 2>'" + err + "'").c_str())) == 124);
  CHECK(contents(err).empty());
}

TEST_CASE("trainer: what cannot be printed is an error") {
  const SmallMnist mnist;
  const TemporaryFolder folder;
  const std::string err = folder.path() / "err";
  for (const std::string& arguments : {std::string("--help"), mnist.flag() + "--epochs 1"}) {
    CAPTURE(arguments);
    const std::string command =
        std::string("'" TUT_TRAINER "' ") + arguments + " >/dev/full 2>'" + err + "'";
    CHECK(WEXITSTATUS(std::system(command.c_str())) == 1);
    CHECK(contents(err).starts_with("error: cannot write the output: "));
    CHECK(std::ranges::count(contents(err), '\n') == 1);
  }
}

TEST_CASE("trainer: a run that diverges is an error, in an experiment a line" *
          doctest::test_suite("long")) {
  const Outcome alone = trainer("--data drawn --epochs 2 --lr 5");
  CHECK(alone.status == 1);
  CHECK(alone.out.find("    2   ") != std::string::npos);
  CHECK(alone.err.starts_with("error: the run has diverged: in epoch 2 the loss is "));
  CHECK(alone.err.find("try a smaller --lr") != std::string::npos);
  const Outcome both = trainer("--data drawn --epochs 2 --batch 64 --lr 5,0.02");
  CHECK(both.status == 0);
  CHECK(line_of(both.out, "   64               5 ").ends_with("   diverged"));
  CHECK(line_of(both.out, "   64            0.02 ").ends_with("images/s"));
  CHECK(both.out.find("1 of 2 runs diverged") != std::string::npos);
}

TEST_CASE("trainer: a run goes on with the same data wherever they are, and with no others") {
  const SmallMnist mnist, elsewhere;
  const TemporaryFolder folder;
  const std::string run =
      "--epochs 1 --batch 8 --checkpoint '" + (folder.path() / "run.ckpt").string() + "' --resume ";
  CHECK(trainer(run + mnist.flag()).status == 0);
  CHECK(trainer(run + elsewhere.flag()).status == 0);
  SmallMnist other;
  other.write("train-labels-idx1-ubyte", test::idx_labels(64, 1));
  check_refused(run + other.flag(), "the checkpoint's run has data 64 + 16 images, checksum ");
}

TEST_CASE("trainer: what it writes are files of their own") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "x", twice = "'" + path + "' ";
  check_refused("--epochs 1 --json " + twice + "--checkpoint " + twice,
                "--checkpoint and --json name the same file");
  check_refused("--epochs 1 --curves " + twice + "--mistakes " + twice,
                "--curves and --mistakes name the same file");
  std::ofstream(path) << "input 1 28 28\ndense 10\n";
  check_refused("--epochs 1 --json " + twice + "--network " + twice,
                "--network and --json name the same file");
  CHECK(contents(path).starts_with("input"));
}

TEST_CASE("trainer: an experiment has a line for each batch and rate" *
          doctest::test_suite("long")) {
  const SmallMnist mnist;
  const TemporaryFolder folder;
  const std::string json = folder.path() / "runs.json", svg = folder.path() / "runs.svg";
  const Outcome outcome = trainer(mnist.flag() + "--epochs 1 --batch 8,16 --lr 0.01,1e20 --json '" +
                                  json + "' --curves '" + svg + "'");
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("    8            0.01      1   ") != std::string::npos);
  CHECK(outcome.out.find("   16           1e+20      1   the loss is no longer finite") !=
        std::string::npos);
  CHECK(contents(json).find("\"batch\": 16") != std::string::npos);
  CHECK(contents(svg).find("batch 16, rate 0.01") != std::string::npos);
}

TEST_CASE("trainer: several seeds end with their mean and spread" * doctest::test_suite("long")) {
  const SmallMnist mnist;
  const TemporaryFolder folder;
  const std::string json = folder.path() / "runs.json";
  const Outcome outcome =
      trainer(mnist.flag() + "--epochs 1 --batch 8 --seed 5,1-2 --json '" + json + "'");
  CHECK(outcome.status == 0);
  const auto runs = nlohmann::json::parse(contents(json)).at("runs");
  std::vector<double> percent;
  for (const int seed : {5, 1, 2}) {
    const auto& run = runs.at(percent.size());
    CHECK(run.at("settings").at("seed") == seed);
    percent.push_back(100 * run.at("epochs").at(0).at("test_accuracy").get<double>());
  }
  const double mean = (percent[0] + percent[1] + percent[2]) / 3;
  char expected[64];
  std::snprintf(expected, sizeof(expected), "3 seeds: mean %.3f %%, standard deviation", mean);
  CHECK_MESSAGE(outcome.out.find(expected) != std::string::npos, outcome.out);
}

TEST_CASE("trainer: curves and mistakes are pictures of the run" * doctest::test_suite("long")) {
  const SmallMnist mnist;
  const TemporaryFolder folder;
  const std::string curves = folder.path() / "curves.svg", wrong = folder.path() / "wrong.svg";
  CHECK(trainer(mnist.flag() + "--epochs 2 --batch 8 --curves '" + curves + "' --mistakes '" +
                wrong + "'")
            .status == 0);
  CHECK(contents(curves).find("</svg>") != std::string::npos);
  CHECK(contents(wrong).find("</svg>") != std::string::npos);
}
