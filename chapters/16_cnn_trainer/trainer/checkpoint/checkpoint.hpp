/// \file
/// A training run on disk, so that it can go on after it was stopped.
///
/// The file, little-endian, without gaps:
///
///     bytes  what
///         8  "TUT-CKPT"
///         4  version: 1
///         8  bytes of the whole file
///         8  fingerprint of the network's text
///      4, n  the network's text: its length, then the text
///      4, n  the options, a line `key=value` each
///    5 x 8   epochs done, steps done, images done in this epoch, steps of the optimiser, losses
///            that were not finite and whose step was left out
///      4, 8  the loss scaler: scale (float), steps since it changed
///         4  number of arrays, and for each of them:
///      4, n    its name
///      8, 4n   its length, then the values (float)
///         4  CRC-32 of everything before (zlib's)
///
/// Texts are at most 64 KiB, names 64 characters of a-z, 0-9 and _, arrays at most 64, options at
/// most 256.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "16_cnn_trainer/trainer/network/network_spec.hpp"

namespace tut::ch16 {

/// A checkpoint that cannot be used: one line with the file's name, what was expected and found.
class CheckpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How far a run is and what it needs to go on.
struct Checkpoint {
  struct Array {
    std::string name;
    std::vector<float> values;
  };

  std::string network;                                       ///< to_text of its description
  std::vector<std::pair<std::string, std::string>> options;  ///< those that matter, in any order
  std::uint64_t epoch = 0;                                   ///< epochs done
  std::uint64_t step = 0;                                    ///< steps done
  std::uint64_t images = 0;                                  ///< images done in this epoch
  std::uint64_t optimiser_steps = 0;                         ///< as Adam's corrections count them
  std::uint64_t skipped = 0;     ///< steps that the loss scaler left out
  float scale = 1;               ///< of the loss; above 0
  std::uint64_t good_steps = 0;  ///< since the scale changed
  std::vector<Array> arrays;     ///< under the names below

  static constexpr std::string_view kParameters = "parameters";
  static constexpr std::string_view kFirstMoment = "first_moment";  ///< or the momentum's velocity
  static constexpr std::string_view kSecondMoment = "second_moment";
  static constexpr std::string_view kState = "state";  ///< batch-norm's running statistics

  /// The array of that name, or nullptr.
  const std::vector<float>* find(std::string_view name) const;
  /// The option of that name, or nullptr.
  const std::string* option(std::string_view key) const;
};

/// 64 bits that tell where two runs are: of the arrays, the loss scaler and all that is counted.
/// Options, which have times among them, are left out. Runs that are equal to the bit have the
/// same.
std::uint64_t fingerprint(const Checkpoint& checkpoint);

/// Replaces the file as a whole (AtomicFile): whatever goes wrong, the last checkpoint stays.
/// Errors: FileError if the file cannot be written; std::invalid_argument for a checkpoint that
/// could not be read again (a name, key or value that the format has no room for).
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Reads a file that write_checkpoint has written. Memory is twice the file's size at most, never
/// what a damaged length says.
/// Errors: CheckpointError for everything else: no such file, something else than a checkpoint,
/// another version, a file that ends early or goes on, a wrong checksum.
Checkpoint read_checkpoint(const std::filesystem::path& path);

/// The same for the bytes of a file; `name` stands for it in messages.
Checkpoint parse_checkpoint(std::span<const std::uint8_t> bytes, const std::string& name);

/// Throws CheckpointError unless the checkpoint is of that very network and its arrays have the
/// lengths that go with it: kParameters and, where the network has any, kState; the moments if they
/// are there.
void require_made_by(const Checkpoint& checkpoint, const NetworkSpec& spec,
                     const std::filesystem::path& path);

}  // namespace tut::ch16
