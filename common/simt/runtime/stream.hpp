/// @file
/// Streams and events: who they are.
#ifndef SIMT_RUNTIME_STREAM_HPP
#define SIMT_RUNTIME_STREAM_HPP

#include <map>
#include <memory>
#include <vector>

#include "driver_types.h"
#include "handles.hpp"

namespace simt::detail {
struct Capture;
}

/// A stream: only its properties, as it never has work left.
struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  int device = 0;
  unsigned long long id = 0;
  std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes;  ///< those that were set

  // While it captures: the capture, and the nodes that the next one comes after.
  std::shared_ptr<simt::detail::Capture> capture;
  std::vector<CUgraphNode_st*> frontier;
};

struct CUevent_st {
  unsigned flags = 0;
  bool recorded = false;
  bool polled = false;  ///< cudaEventQuery has said "not ready" since

  // If it was last recorded in a capturing stream: that capture, and the nodes before the record.
  std::shared_ptr<simt::detail::Capture> capture;
  std::vector<CUgraphNode_st*> frontier;
};

namespace simt::detail {

Handles<CUstream_st>& streams();
Handles<CUevent_st>& events();

/// Destroys all streams and events.
void destroy_streams();

/// True for null and the two other names of default streams.
bool is_default_stream(cudaStream_t stream);

/// True for default streams and every stream that has not been destroyed.
bool is_valid_stream(cudaStream_t stream);

}  // namespace simt::detail

#endif
