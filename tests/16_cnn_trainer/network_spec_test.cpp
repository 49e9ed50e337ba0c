#include "16_cnn_trainer/trainer/network/network_spec.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "../13_convolution/guarded_device.hpp"
#include "../common/data_files.hpp"
#include "16_cnn_trainer/architecture.hpp"

namespace {

using namespace tut;
using namespace tut::ch16;

NetworkSpec parse(const std::string& text) { return parse_network(text, "net.txt"); }

// Expects the message to be "net.txt:LINE: wrong; expected expected".
void check_refused(const std::string& text, int line, const std::string& wrong,
                   const std::string& expected) {
  CAPTURE(text);
  std::string message = "nothing was thrown";
  try {
    parse(text);
  } catch (const NetworkError& error) {
    message = error.what();
  }
  CHECK(message == "net.txt:" + std::to_string(line) + ": " + wrong + "; expected " + expected);
}

const std::string kInput = "input 1 28 28\n";

}  // namespace

TEST_CASE("network: every layer knows its shapes and where its parameters lie") {
  const NetworkSpec spec = parse(
      "# a network\n"
      "\tinput 3 9 8   # three colours\r\n"
      "\n"
      "conv 4 3 padding 1 stride 2\n"
      "batchnorm\n"
      "sigmoid\n"
      "maxpool 2\n"
      "dropout 0.25\n"
      "dense 7\n"
      "batchnorm\n"
      "relu\n"
      "dense 10");
  CHECK(spec.input == ImageShape{3, 9, 8});
  REQUIRE(spec.layers.size() == 9);
  const auto& conv = spec.layers[0];
  CHECK(conv.out == ImageShape{4, 5, 4});
  CHECK(conv.weights == Part{0, 108});
  CHECK(conv.bias == Part{108, 4});
  CHECK(conv.fan_in() == 27);
  const auto& norm = spec.layers[1];
  CHECK(norm.in == conv.out);
  CHECK(norm.out == conv.out);
  CHECK(norm.weights == Part{112, 4});
  CHECK(norm.bias == Part{116, 4});
  CHECK(norm.mean == Part{0, 4});
  CHECK(norm.variance == Part{4, 4});
  CHECK(spec.layers[2].weights == Part{});
  CHECK(spec.layers[3].out == ImageShape{4, 2, 2});  // the fifth row is left out
  CHECK(spec.layers[4].rate == 0.25f);
  const auto& dense = spec.layers[5];
  CHECK(dense.weights == Part{120, 112});
  CHECK(dense.bias == Part{232, 7});
  CHECK(dense.out == ImageShape{7, 1, 1});
  CHECK(spec.layers[6].mean == Part{8, 7});
  CHECK(spec.layers[8].weights == Part{253, 70});
  CHECK(spec.parameters == 333);
  CHECK(spec.state == 22);
  CHECK(spec.output() == ImageShape{10, 1, 1});

  const std::vector<float> state = initial_state(spec);
  REQUIRE(state.size() == 22);
  for (std::size_t i = 0; i < 22; ++i) CHECK(state[i] == ((i / 4 == 1 || i >= 15) ? 1.0f : 0.0f));
}

TEST_CASE("network: what training costs") {
  // The lesson works both out.
  CHECK(training_flops(load_network("small")) == 3 * 645'120 - 230'400);
  const double products = 21'632.0 * 9 + 36'864.0 * 288 + 128.0 * 9'216 + 10 * 128;
  CHECK(training_flops(load_network("example")) == 6 * products - 2 * 21'632.0 * 9);
  // A layer before the first product wants its gradient.
  CHECK(training_flops(parse_network("input 1 2 2\nrelu\ndense 10\n", "r")) == 6 * 40);
}

TEST_CASE("network: the parameters to start from") {
  const NetworkSpec spec = parse("input 2 6 6\nconv 3 3\nbatchnorm\ndense 10\n");
  const std::vector<float> values = initial_parameters(spec, 4);
  REQUIRE(values.size() == spec.parameters);
  for (const Layer& layer : spec.layers) {
    for (std::size_t i = layer.bias.begin; i < layer.bias.end(); ++i) CHECK(values[i] == 0);
    float largest = 0;
    for (std::size_t i = layer.weights.begin; i < layer.weights.end(); ++i) {
      largest = std::max(largest, std::abs(values[i]));
    }
    if (layer.kind == LayerKind::batchnorm) {
      CHECK(values[layer.weights.begin] == 1);
      CHECK(largest == 1);
    } else {
      const float bound = std::sqrt(6.0f / static_cast<float>(layer.fan_in()));
      CHECK(largest <= bound);
      CHECK(largest > 0.9f * bound);
    }
  }
  CHECK(initial_parameters(spec, 4) == values);
  CHECK(initial_parameters(spec, 5) != values);
}

TEST_CASE("network: the small one starts as the fixed network does, bit for bit") {
  const NetworkSpec small = load_network("small");
  CHECK(small.parameters == ParameterLayout::size);
  CHECK(small.layers[0].weights.begin == ParameterLayout::conv1_weights);
  CHECK(small.layers[3].weights.begin == ParameterLayout::conv2_weights);
  CHECK(small.layers[3].bias.begin == ParameterLayout::conv2_bias);
  CHECK(small.layers[6].weights.begin == ParameterLayout::dense_weights);
  CHECK(small.layers[6].bias.begin == ParameterLayout::dense_bias);
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{7}, ~std::uint64_t{0}}) {
    CHECK(test::same_bits(initial_parameters(small, seed), initial_parameters(seed)));
  }
}

TEST_CASE("network: the built-in texts are those of the files, and load by name or path") {
  const std::string folder = TUT_SOURCE_DIR "/chapters/16_cnn_trainer/trainer/network/built_in/";
  REQUIRE(built_in_networks().size() == 2);
  for (const BuiltInNetwork& network : built_in_networks()) {
    const std::string path = folder + std::string(network.name) + ".txt";
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    CHECK(network.text == text.str());
    CHECK(to_text(load_network(path)) == to_text(load_network(std::string(network.name))));
  }
  const NetworkSpec example = load_network("example");
  CHECK(example.name == "example");
  CHECK(example.parameters == 1199882);
  CHECK(example.layers[5].out == ImageShape{64, 12, 12});
  CHECK_THROWS_WITH_AS(
      load_network("/absent.txt"),
      "/absent.txt: there is no such file; expected a file or 'small' or 'example'", NetworkError);
  CHECK_THROWS_WITH_AS(load_network("/dev"),
                       "/dev: is not a file; expected a file or 'small' or 'example'",
                       NetworkError);
  const test::TemporaryFolder own;
  CHECK_THROWS_AS(load_network(own.write("large", test::Bytes(70000, '\n'))), NetworkError);
}

TEST_CASE("network: one text and one fingerprint for one network") {
  const NetworkSpec spec = parse(
      "input 1 28 28 # comment\n conv\t08 5 stride 2 padding 0\nconv 4 3 stride 1 padding 2\n"
      "dropout .50\ndropout -0\nmaxpool 2\nrelu\nsigmoid\nbatchnorm\ndense 10\n");
  const std::string text = to_text(spec);
  CHECK(text ==
        "input 1 28 28\nconv 8 5 stride 2\nconv 4 3 padding 2\ndropout 0.5\ndropout 0\n"
        "maxpool 2\nrelu\nsigmoid\nbatchnorm\ndense 10\n");
  const NetworkSpec again = parse(text);
  CHECK(to_text(again) == text);
  CHECK(again.layers == spec.layers);
  CHECK(again.parameters == spec.parameters);

  // The published values of FNV-1a.
  CHECK(fingerprint("") == 0xcbf29ce484222325);
  CHECK(fingerprint("a") == 0xaf63dc4c8601ec8c);
  CHECK(fingerprint("foobar") == 0x85944171f73967e8);
  CHECK(fingerprint("\xff") == 0xaf64724c8602eb6e);
  std::set<std::uint64_t> seen;
  for (const char* layers :
       {"relu", "sigmoid", "dropout 0.1", "dropout 0.2", "conv 1 1", "conv 2 1"}) {
    seen.insert(fingerprint(to_text(parse(kInput + layers))));
  }
  CHECK(seen.size() == 6);
}

TEST_CASE("network: what is wrong is said in one line") {
  const std::string input_form = "'input CHANNELS HEIGHT WIDTH' ";
  const std::string conv_form = "conv FILTERS SIDE, then padding P or stride S if wanted";
  check_refused("", 1, "no layers", input_form + "and the layers after it");
  check_refused("\n# nothing\n\n", 3, "no layers", input_form + "and the layers after it");
  check_refused(kInput, 1, "no layers", "at least one after the input");
  check_refused("conv 8 5\n" + kInput, 1, "'conv' before the input",
                input_form + "as the first line");
  check_refused(kInput + kInput, 2, "a second input", "one, as the first line");
  check_refused(kInput + "relu\ncnv 8 5\n", 3, "unknown layer 'cnv'",
                "conv, relu, sigmoid, maxpool, dropout, batchnorm or dense");
  check_refused(kInput + "c\x1b[2J" + std::string(99, 'x'), 2,
                "unknown layer 'c?[2J" + std::string(27, 'x') + "...'",
                "conv, relu, sigmoid, maxpool, dropout, batchnorm or dense");
  check_refused("input 1 28", 1, "'input 1 28'", "input CHANNELS HEIGHT WIDTH");
  check_refused("input 0 28 28", 1, "the number of channels is '0'",
                "a whole number from 1 to 65536");
  check_refused("input 1 1025 28", 1, "the height is '1025'", "a whole number from 1 to 1024");
  check_refused("input 65 1024 1024", 1, "an image has 68157440 values", "at most 67108864");
  check_refused(kInput + "conv 8", 2, "'conv 8'", conv_form);
  check_refused(kInput + "conv 8 5 padding", 2, "'conv 8 5 padding'", conv_form);
  check_refused(kInput + "conv 8 5 padding 1 padding 1", 2, "'conv 8 5 padding 1 padding 1'",
                conv_form);
  check_refused(kInput + "conv 8 5 step 1", 2, "'conv 8 5 step 1'", conv_form);
  check_refused(kInput + "conv -8 5", 2, "the number of filters is '-8'",
                "a whole number from 1 to 65536");
  check_refused(kInput + "conv 8 5x", 2, "the side of a filter is '5x'",
                "a whole number from 1 to 1024");
  check_refused(kInput + "conv 99999999999 5", 2, "the number of filters is '99999999999'",
                "a whole number from 1 to 65536");
  check_refused(kInput + "conv 8 5 padding 5", 2, "the padding is '5'",
                "a whole number from 0 to 4");
  check_refused(kInput + "conv 8 1 padding 1", 2, "the padding is '1'", "0");
  check_refused(kInput + "conv 8 5 stride 0", 2, "the stride is '0'",
                "a whole number from 1 to 1024");
  check_refused(kInput + "conv 8 29", 2, "filters of 29 x 29 are larger than the image of 28 x 28",
                "a side of at most 28");
  check_refused("input 1 8 28\nconv 8 60 padding 24", 2,
                "filters of 60 x 60 are larger than the image of 56 x 76, padding included",
                "a side of at most 56");
  check_refused("input 1 1024 1024\nconv 65 1", 2, "the output has 68157440 values",
                "at most 67108864");
  check_refused(kInput + "maxpool 3", 2, "the side of a pool is '3'", "2");
  check_refused(kInput + "maxpool", 2, "'maxpool'", "maxpool 2");
  check_refused(kInput + "dense 10\nmaxpool 2", 3, "nothing is left of an image of 1 x 1",
                "at least 2 x 2 before a max-pool");
  for (const char* share : {"1", "-0.1", "nan", "inf", "0,5", "0.5f", "1e-99"}) {
    check_refused(kInput + "dropout " + share, 2,
                  "the share of values set to 0 is '" + std::string(share) + "'",
                  "a number from 0 to below 1");
  }
  check_refused(kInput + "dropout", 2, "'dropout'", "dropout SHARE, such as 0.25");
  check_refused(kInput + "relu 1", 2, "'relu 1'", "relu alone");
  check_refused(kInput + "dense", 2, "'dense'", "dense OUTPUTS");
  check_refused(kInput + "dense 0", 2, "the number of outputs is '0'",
                "a whole number from 1 to 65536");
  check_refused(kInput + "dense 65536\ndense 1024", 3,
                "with this layer the network has 118555648 parameters", "at most 67108864");
  check_refused(kInput + "# " + std::string(199, '-'), 2, "the line has 201 characters",
                "at most 200");
  check_refused(kInput + std::string("relu\0\n", 6), 2, "the line holds a NUL byte", "text");
  std::string many = kInput;
  for (int i = 0; i < 257; ++i) many += "relu\n";
  check_refused(many, 258, "one layer more than 256", "at most that many");
  CHECK(parse(many.substr(0, many.size() - 5)).layers.size() == 256);
  CHECK(parse(kInput + "# " + std::string(198, '-') + "\nrelu").layers.size() == 1);
}

TEST_CASE("network: a file's name cannot break the line") {
  CHECK_THROWS_WITH_AS(
      parse_network("", "a\nb\x1b"),
      "a?b?:1: no layers; expected 'input CHANNELS HEIGHT WIDTH' and the layers after it",
      NetworkError);
}

TEST_CASE("network: a classifier has the data's images and classes") {
  const ImageShape digits{1, 28, 28};
  require_classifier(load_network("small"), digits, 10);
  CHECK_THROWS_WITH_AS(require_classifier(parse("input 1 14 28\ndense 10"), digits, 10),
                       "net.txt: the network takes images of 1 x 14 x 28; expected 1 x 28 x 28, as "
                       "the data has them",
                       NetworkError);
  for (const char* last : {"dense 9", "dense 10\nrelu", "conv 10 28"}) {
    CHECK_THROWS_AS(require_classifier(parse(kInput + last), digits, 10), NetworkError);
  }
  CHECK_THROWS_WITH_AS(
      require_classifier(parse(kInput + "dense 10\nrelu"), digits, 10),
      "net.txt: the last layer is 'relu'; expected 'dense 10', a score for each class",
      NetworkError);
}
