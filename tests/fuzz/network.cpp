// The reader of network descriptions.

#include <string_view>

#include "16_cnn_trainer/trainer/network/network_spec.hpp"
#include "fuzz.hpp"

namespace {

using namespace tut;
using namespace tut::ch16;

void check_layers(const NetworkSpec& spec) {
  fuzz::demand(spec.parameters <= kMaxParameters, "at most 64 Mi parameters");
  ImageShape shape = spec.input;
  std::size_t parameters = 0, state = 0;
  for (const Layer& layer : spec.layers) {
    fuzz::demand(layer.in == shape, "a layer takes what the one before gives");
    fuzz::demand(layer.out.size() > 0 && layer.out.size() <= kMaxParameters, "an output in bounds");
    if (layer.weights.size > 0) {
      fuzz::demand(layer.weights.begin == parameters && layer.bias.begin == layer.weights.end(),
                   "parameters without gaps");
      parameters = layer.bias.end();
    }
    if (layer.variance.size > 0) {
      fuzz::demand(layer.mean.begin == state && layer.variance.begin == layer.mean.end(),
                   "statistics without gaps");
      state = layer.variance.end();
    }
    shape = layer.out;
  }
  fuzz::demand(parameters == spec.parameters && state == spec.state, "the totals");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const NetworkSpec spec = parse_network(text, "fuzz.txt");
    ++fuzz::accepted;
    check_layers(spec);
    const std::string written = to_text(spec);
    const NetworkSpec again = parse_network(written, "again.txt");
    fuzz::demand(again.layers == spec.layers && again.input == spec.input,
                 "the same when read again");
    fuzz::demand(to_text(again) == written, "one way of writing");
  } catch (const NetworkError& error) {
    fuzz::demand_one_line(error.what(), "fuzz.txt:");
    fuzz::demand(std::string_view(error.what()).find("; expected ") != std::string_view::npos,
                 "a message says what was expected");
  }
  return 0;
}
