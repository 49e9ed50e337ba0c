/// @file
/// Stream capture: work that is issued to a stream becomes nodes of a graph.
#ifndef SIMT_RUNTIME_CAPTURE_HPP
#define SIMT_RUNTIME_CAPTURE_HPP

#include "driver_types.h"
#include "work.hpp"

namespace simt::detail {

/// True while a valid stream only records work, for a graph.
bool is_capturing(cudaStream_t stream);

/// Adds work to the graph that a stream records.
cudaError_t capture(cudaStream_t stream, Work work);

/// Captures a record of an event, or a wait for one.
cudaError_t capture_record(cudaStream_t stream, cudaEvent_t event);
cudaError_t capture_wait(cudaStream_t stream, cudaEvent_t event);

/// Error 906 (and the captures are invalid from then on) if a stream captures that the legacy
/// default stream would have to wait for.
cudaError_t check_legacy_stream();

/// Error 900 (and the captures are invalid from then on) if a capture forbids calls that might make
/// streams wait for each other.
cudaError_t check_unsafe_call();

}  // namespace simt::detail

#endif
