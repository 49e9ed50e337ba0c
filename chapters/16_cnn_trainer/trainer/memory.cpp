// What a pass takes of the device's memory for each image of a batch, counted. The lesson quotes
// it.

#include <cstddef>
#include <cstdio>
#include <string>

#include "16_cnn_trainer/trainer/network/network.hpp"
#include "16_cnn_trainer/trainer/network/network_spec.hpp"
#include "tut/errors/check.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut;
using namespace tut::ch16;

std::size_t bytes_in_use() {
  std::size_t unused = 0, total = 0;
  check(cudaMemGetInfo(&unused, &total));
  return total - unused;
}

std::size_t bytes_of(const NetworkSpec& spec, int batch, NumberFormat format) {
  const std::size_t before = bytes_in_use();
  const Network network(spec, batch, format);
  return bytes_in_use() - before;
}

// What a network takes whatever the batch falls out of the difference.
std::size_t bytes_an_image(const NetworkSpec& spec, NumberFormat format) {
  constexpr int batch = 256;
  return (bytes_of(spec, 2 * batch, format) - bytes_of(spec, batch, format)) / batch;
}

}  // namespace

int main(int argc, char** argv) {
  return tut::run_without_arguments("ch16_memory", argc, argv, [] {
    constexpr NumberFormat formats[] = {NumberFormat::fp32, NumberFormat::tf32, NumberFormat::fp16,
                                        NumberFormat::bf16};
    std::printf("bytes an image   ");
    for (const NumberFormat format : formats) {
      std::printf("%9s", std::string(to_string(format)).c_str());
    }
    for (const char* network : {"small", "example"}) {
      std::printf("\n%-17s", network);
      for (const NumberFormat format : formats) {
        std::printf("%9zu", bytes_an_image(load_network(network), format));
      }
    }
    std::printf("\n");
  });
}
