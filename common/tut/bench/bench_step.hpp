/// \file
/// The rows of a benchmark. Rows of one ladder and one size do the same work and are compared with
/// one another: the steps of a lesson in its order, and the rivals that they are measured against.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tut {

/// Bytes that a call moves, and the name of the roof that bounds their rate.
struct BenchTraffic {
  double bytes = 0;
  std::string from = "memory";  // or another roof of add_roof: "first_cache"
};

/// What one call of the function under test does.
struct BenchCost {
  double flops = 0;  // floating-point operations
  double bytes = 0;  // bytes that must move to or from memory, at least
  /// Whose peak bounds the FLOPs: fp32; fp16, bf16 and tf32 on tensor cores, "tf32/3" where a
  /// product takes three of these; or a roof of add_roof.
  std::string arithmetic = "fp32";
  /// What limits the call in place of `bytes` from memory; 0 bytes where these do.
  BenchTraffic traffic = {};
};

struct BenchStep {
  std::string ladder;  // "matmul"
  std::string size;    // "4096x4096x4096"
  std::string name;    // "matmul_tiled"
  BenchCost cost = {};
  bool rival = false;    // no step of the lesson: a ladder's first rival is what ratios refer to
  std::string row = {};  // its name in the results; empty: LADDER/SIZE/NAME
};

/// What a benchmark adds. The function waits until the main program has read its arguments: rows
/// that ask the device for something would otherwise fail before there is a main to say so.
///
///     const BenchRows rows_of_chapter([] { add_bench_step(...); });
class BenchRows {
 public:
  explicit BenchRows(std::function<void()> add);
};

/// Calls the functions of all BenchRows, once.
void add_bench_rows();

/// Runs the step once and returns what is wrong with its result, or "".
using BenchVerify = std::function<std::string()>;

/// One call; index counts up, and picks the copy of the inputs: `inputs[index % rotation_count()]`.
using DeviceCall = std::function<void(std::int64_t index, cudaStream_t stream)>;
using HostCall = std::function<void(std::int64_t index)>;

/// Adds a row that launches kernels. It is verified once, before it is timed or counted; a wrong
/// one gets an error in place of a figure. Throws std::invalid_argument for a row without a ladder,
/// size or name, and for a second row of one name.
void add_bench_step(BenchStep step, BenchVerify verify, DeviceCall call);

/// The same for work on the host.
void add_host_bench_step(BenchStep step, BenchVerify verify, HostCall call);

/// Adds cudaMemcpyAsync on the device as the rival of functions that only move memory; `bytes`
/// counts what it reads and what it writes.
void add_copy_rival(const std::string& ladder, const std::string& size, double bytes);

/// Adds a bound, measured before the rows are: FLOP/s of an arithmetic, or bytes/s for "memory" and
/// for names that end in "_cache". Those of a GPU are measured without it.
void add_roof(std::string name, std::function<double()> measure);

/// A function that makes a T of these arguments when it is first called, and returns the same one
/// ever after: inputs that the rows of a ladder share.
template <class T, class... Arguments>
auto made_once(Arguments... arguments) {
  return [kept = std::make_shared<std::optional<T>>(), arguments...]() -> T& {
    if (!*kept) kept->emplace(arguments...);
    return **kept;
  };
}

/// A row that was added.
struct BenchWork {
  BenchStep step;
  BenchVerify verify;
  DeviceCall on_device;  // one of the two is empty
  HostCall on_host;
  int batch = 0;  // calls that are timed at once; 0: not known yet

  /// What `verify` returns; it is called once. An exception from it counts as an error, too.
  const std::string& error();
  std::optional<std::string> known_error = {};
};

/// A bound that was added.
struct BenchRoof {
  std::string name;
  std::function<double()> measure;
};

/// All that were added, in their order.
std::vector<std::shared_ptr<BenchWork>>& bench_works();
std::vector<BenchRoof>& bench_roofs();

/// The folder of the chapter whose benchmark this is; empty: of none.
std::string& bench_chapter();

}  // namespace tut
