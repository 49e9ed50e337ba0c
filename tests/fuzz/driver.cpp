// Runs a fuzz target without libFuzzer: on every file of a corpus, then on changed copies of them,
// the same ones each time.
//
//     fuzz_network [--changed N] FOLDER

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz.hpp"
#include "tut/data/counter_random.hpp"

namespace {

namespace fs = std::filesystem;
using tut::data::CounterRandom;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kMaxBytes = 1 << 16;

std::vector<Bytes> read_corpus(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> corpus;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

// A stretch of up to 32 bytes; empty only where there are no bytes.
struct Stretch {
  Stretch(const Bytes& bytes, CounterRandom& random)
      : begin(random.below(static_cast<int>(bytes.size()) + 1)),
        end(std::min<std::ptrdiff_t>(begin + 1 + random.below(32), std::ssize(bytes))) {}
  std::ptrdiff_t begin, end;
};

// Overwrites 1, 2, 4 or 8 bytes by a number that lengths and counters get wrong.
void set_number(Bytes& bytes, CounterRandom& random) {
  constexpr std::uint64_t kNumbers[] = {0,          1,          9,          10,     127,
                                        128,        255,        256,        0x7fff, 0x7fffffff,
                                        0x80000000, 0xffffffff, 1ull << 62, ~0ull};
  const std::uint64_t number = kNumbers[random.below(static_cast<int>(std::size(kNumbers)))];
  const int width = 1 << random.below(4);
  const bool little = random.below(2) == 0;
  const std::size_t at = Stretch(bytes, random).begin;
  for (int i = 0; i < width && at + i < bytes.size(); ++i) {
    bytes[at + i] = static_cast<std::uint8_t>(number >> 8 * (little ? i : width - 1 - i));
  }
}

void change(Bytes& bytes, const Bytes& other, CounterRandom& random) {
  const Stretch here(bytes, random);
  switch (random.below(7)) {
    case 0:  // flip a bit
      if (here.begin < std::ssize(bytes)) bytes[here.begin] ^= 1 << random.below(8);
      break;
    case 1:  // overwrite a byte
      if (here.begin < std::ssize(bytes)) bytes[here.begin] = random.below(256);
      break;
    case 2:
      set_number(bytes, random);
      break;
    case 3:  // leave a stretch out
      bytes.erase(bytes.begin() + here.begin, bytes.begin() + here.end);
      break;
    case 4:  // end early
      bytes.resize(here.begin);
      break;
    case 5: {  // say something twice
      const Bytes copy(bytes.begin() + here.begin, bytes.begin() + here.end);
      bytes.insert(bytes.begin() + here.end, copy.begin(), copy.end());
      break;
    }
    default: {  // insert something of another file
      const Stretch there(other, random);
      bytes.insert(bytes.begin() + here.begin, other.begin() + there.begin,
                   other.begin() + there.end);
    }
  }
  bytes.resize(std::min(bytes.size(), kMaxBytes));
}

void run(const std::vector<Bytes>& corpus, int changed) {
  for (const Bytes& bytes : corpus) LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  const std::size_t accepted = tut::fuzz::accepted;
  tut::fuzz::demand(accepted > 0 && accepted < 2 * corpus.size(),
                    "a corpus of good and of bad files");
  for (int i = 0; i < changed; ++i) {
    CounterRandom random(1, i);
    const auto pick = [&]() -> const Bytes& {
      return corpus[random.below(static_cast<int>(corpus.size()))];
    };
    Bytes bytes = pick();
    for (int changes = 1 + random.below(4); changes > 0; --changes) change(bytes, pick(), random);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%zu files, %zu times accepted; %d changed copies, %zu times accepted\n",
              corpus.size(), accepted, changed, tut::fuzz::accepted - accepted);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool has_changed = arguments.size() == 3 && arguments[0] == "--changed";
  if (arguments.size() != 1 && !has_changed) {
    std::fputs("usage: PROGRAM [--changed N] FOLDER\n", stderr);
    return 2;
  }
  try {
    run(read_corpus(arguments.back()), has_changed ? std::stoi(arguments[1]) : 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
