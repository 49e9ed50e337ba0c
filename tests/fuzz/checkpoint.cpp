// The reader of checkpoints. No fuzzer guesses a checksum: each input is read as it is, then with
// the size and the checksum that its bytes should have.

#include "16_cnn_trainer/trainer/checkpoint/checkpoint.hpp"

#include <zlib.h>

#include <cstring>
#include <set>
#include <vector>

#include "fuzz.hpp"

namespace {

using namespace tut;
using namespace tut::ch16;

constexpr std::size_t kHeader = 20, kSizeAt = 12, kChecksum = 4;

void read(const std::vector<std::uint8_t>& bytes) {
  Checkpoint checkpoint;
  try {
    checkpoint = parse_checkpoint(bytes, "fuzz.ckpt");
  } catch (const CheckpointError& error) {
    return fuzz::demand_one_line(error.what(), "fuzz.ckpt: ");
  }
  ++fuzz::accepted;
  std::size_t size = kHeader + kChecksum + checkpoint.network.size();
  std::set<std::string> names;
  for (const Checkpoint::Array& array : checkpoint.arrays) {
    fuzz::demand(names.insert(array.name).second, "no name twice");
    size += array.name.size() + array.values.size() * sizeof(float);
  }
  fuzz::demand(size <= bytes.size(), "no more than the file holds");
  try {
    require_made_by(checkpoint, load_network("small"), "fuzz.ckpt");
  } catch (const CheckpointError& error) {
    fuzz::demand_one_line(error.what(), "fuzz.ckpt: ");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> bytes(data, data + size);
  read(bytes);
  if (size < kHeader + kChecksum) return 0;
  const std::uint64_t whole = size;
  std::memcpy(&bytes[kSizeAt], &whole, sizeof(whole));
  const auto crc = static_cast<std::uint32_t>(crc32_z(0, bytes.data(), size - kChecksum));
  std::memcpy(&bytes[size - kChecksum], &crc, sizeof(crc));
  read(bytes);
  return 0;
}
