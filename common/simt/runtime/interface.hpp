/// @file
/// What a program may ask of the CPU backend beyond CUDA. In a program for a GPU these functions
/// are null.
#ifndef SIMT_RUNTIME_INTERFACE_HPP
#define SIMT_RUNTIME_INTERFACE_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

extern "C" {

/// What ended the latest stream capture before its time; cudaSuccess if nothing did. CUDA tells
/// only the call at fault, and calls after it that the capture is broken.
[[gnu::weak]] cudaError_t simt_capture_error();
/// The function of CUDA's whose call did; nullptr for a launch.
[[gnu::weak]] const char* simt_capture_call();
/// Where it is called, `FILE:LINE`; "" if that is not known. Check mode knows.
[[gnu::weak]] const char* simt_capture_place();

/// The grid and block of a graph's kernel node, and what tells its kernel from others, as CUDA
/// gives them by cudaGraphKernelNodeGetParams. cudaErrorInvalidValue for a node of another type.
[[gnu::weak]] cudaError_t simt_node_launch(cudaGraphNode_t node, dim3* grid, dim3* block,
                                           const void** kernel);

/// What was wrong with the host thread's last launch if it was refused: "gridDim.y is 70000 in
/// <<<(1, 70000), 256>>>; expected 1 to 65535"; null if it was not, or for another reason.
[[gnu::weak]] const char* simt_refused_launch();

/// The function of CUDA's that gave back `error`, or another name for a launch, if it is the latest
/// that the host thread was given; else null.
[[gnu::weak]] const char* simt_error_call(cudaError_t error);

/// The call of that number, from 1, that the program makes to the runtime from now on fails with
/// cudaErrorUnknown and does nothing; 0: none. A launch is a call; what frees or destroys, or asks
/// for the last error, is not counted.
[[gnu::weak]] void simt_fail_call(std::uint64_t number);
/// How many calls were counted since, while the number was not 0.
[[gnu::weak]] std::uint64_t simt_calls_made();
/// The function of CUDA's that failed, or another name for a launch; null if none did.
[[gnu::weak]] const char* simt_failed_call();

/// A copy between the host's memory and the device's.
struct SimtCopy {
  const void* host;    ///< its end in the host's memory
  std::size_t size;    ///< in bytes
  bool pinned;         ///< whether that end is pinned
  unsigned under_way;  ///< such copies that the host had not waited for then, with this one
};
/// From now on such copies are noted, if `on`; those that were noted before are forgotten.
[[gnu::weak]] void simt_note_copies(bool on);
/// How many are noted, of which `copies` gets the first `most`.
[[gnu::weak]] std::size_t simt_noted_copies(SimtCopy* copies, std::size_t most);

/// Where an instruction stands in the source, `FILE:LINE`, as programs know that are watched; "" if
/// that is not known, null in other programs. `with_caller`: ", called at FILE:LINE," comes behind
/// it where the line is one of a function that was inlined into another file's.
[[gnu::weak]] const char* simt_line_of_instruction(const void* instruction, bool with_caller);

/// The order in which the blocks of the launches from now on start: see simt/seed.hpp.
[[gnu::weak]] void simt_set_seed(std::uint64_t seed);
[[gnu::weak]] std::uint64_t simt_seed();

/// From now on the device says that it has this compute capability, 10 * major + minor. What it can
/// do stays as it is.
[[gnu::weak]] void simt_set_compute_capability(int capability);

/// From now on a launch runs so many of its blocks at most, the first and the last ones, so that
/// one that is too long to be run shows what it does at its ends; so do copies and fills, with
/// 64 MiB at each end. 0: all blocks and bytes, as before.
[[gnu::weak]] void simt_run_ends(std::uint64_t blocks);

/// Memory of the current device, to be freed by cudaFree, of which only what is touched exists; it
/// may be larger than the machine's. It is zero where it was not written, and check mode takes
/// these zeros for written if `zeros` is true. Null if there is not enough address space.
[[gnu::weak]] void* simt_allocate_sparse(std::size_t size, bool zeros);
}

#endif
