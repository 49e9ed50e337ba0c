#include "tut/trial/recorded_call.hpp"

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simt/runtime/interface.hpp"
#include "tut/errors/check.hpp"
#include "tut/trial/call_failure.hpp"

namespace tut {
namespace {

[[noreturn]] void refuse(const std::string& why, const std::string& cure = "") {
  throw CallFailure("stream",
                    why +
                        "; expected that it starts all of its work on the stream that it gets, "
                        "and returns without waiting for it" +
                        cure);
}

bool is_of_capture(cudaError_t error) {
  return error >= cudaErrorStreamCaptureUnsupported && error <= cudaErrorStreamCaptureWrongThread;
}

/// The function of CUDA's that broke the recording; "" for a launch, and where it is not known.
std::string_view breaking_call() {
  const char* const call = simt_capture_call != nullptr ? simt_capture_call() : nullptr;
  return call != nullptr && std::string_view(call).starts_with("cuda") ? call : "";
}

/// What a function that no recording allows does.
std::string deed_of(std::string_view function) {
  const auto has = [&](std::string_view part) { return function.find(part) != function.npos; };
  if (has("Synchronize") || function == "cudaMemcpy") return "makes the host wait";
  if (has("Query")) return "asks what is finished";
  if (has("Malloc") || has("Alloc")) return "allocates memory";
  if (has("cudaFree")) return "frees memory";
  return "makes the host wait, asks what is finished, or allocates or frees memory";
}

std::string reason_of(cudaError_t error) {
  switch (error) {
    case cudaErrorStreamCaptureUnsupported:
      return "the call " + deed_of(breaking_call());
    case cudaErrorStreamCaptureImplicit:
      return "the call uses the default stream, which is not the one that it was given";
    case cudaErrorStreamCaptureUnjoined:
    case cudaErrorStreamCaptureIsolation:
    case cudaErrorStreamCaptureMerge:
    case cudaErrorCapturedEvent:
      return "the call uses a stream of its own, and its stream does not wait for that one";
    default:
      return "the call makes the host wait, asks what is finished, allocates or frees memory, or "
             "uses another stream";
  }
}

/// The first error of a capture says most: later calls find it broken, and say only that.
cudaError_t first_error(cudaError_t told) {
  const cudaError_t first = simt_capture_error != nullptr ? simt_capture_error() : cudaSuccess;
  return first != cudaSuccess ? first : told;
}

/// ", by cudaStreamQuery", where the backend knows.
std::string call_text() {
  const std::string call(breaking_call());
  return call.empty() ? "" : ", by " + call;
}

/// Where that stands, " (FILE:LINE)", where check mode knows it: else `noticed`, which is where an
/// error was asked for.
std::string place_text(const std::string& noticed) {
  const std::string place = simt_capture_place != nullptr ? simt_capture_place() : "";
  return place.empty() ? noticed : " (" + place + ")";
}

bool is_of_host(const void* pointer) {
  cudaPointerAttributes attributes{};
  const bool known = cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess;
  cudaGetLastError();
  return !known || attributes.type == cudaMemoryTypeUnregistered ||
         attributes.type == cudaMemoryTypeHost;
}

void inspect_copy(cudaGraphNode_t node) {
  cudaMemcpy3DParms copy{};
  check(cudaGraphMemcpyNodeGetParams(node, &copy));
  if (is_of_host(copy.srcPtr.ptr)) refuse("the call copies from the host's memory");
  if (is_of_host(copy.dstPtr.ptr)) refuse("the call copies to the host's memory");
}

std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) check(cudaGraphGetNodes(graph, nodes.data(), &count));
  return nodes;
}

/// Has streams and events of its own, which are there as long as it is.
StreamCall side_by_side(const StreamCall& call, const StreamCall& beside) {
  struct Fork {
    Stream other;
    Event begins{cudaEventDisableTiming}, ends{cudaEventDisableTiming};
  };
  return [&call, &beside, fork = std::make_shared<Fork>()](cudaStream_t stream) {
    fork->begins.record(stream);
    fork->other.wait(fork->begins);
    call(stream);
    beside(fork->other);
    fork->ends.record(fork->other);
    check(cudaStreamWaitEvent(stream, fork->ends, 0));
  };
}

}  // namespace

RecordedCall::RecordedCall(const StreamCall& call) {
  try {
    record(call);
    inspect();
    check(cudaGraphInstantiate(&ready_, graph_, 0));
  } catch (...) {
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
    throw;
  }
}

RecordedCall::RecordedCall(const StreamCall& call, const StreamCall& beside)
    : RecordedCall(side_by_side(call, beside)) {}

RecordedCall::~RecordedCall() {
  if (ready_ != nullptr) cudaGraphExecDestroy(ready_);
  if (graph_ != nullptr) cudaGraphDestroy(graph_);
}

void RecordedCall::record(const StreamCall& call) {
  // One that keeps CUDA's order with the default stream: so work there is noticed.
  const Stream stream;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  std::exception_ptr thrown;
  std::string noticed;
  cudaError_t told = cudaSuccess;
  try {
    call(stream);
  } catch (const CudaError& error) {
    told = error.code();
    noticed = text_of({}, error.where());
    thrown = std::current_exception();
  } catch (...) {
    thrown = std::current_exception();
  }
  if (told == cudaSuccess) told = cudaPeekAtLastError();
  const cudaError_t end = cudaStreamEndCapture(stream, &graph_);
  cudaGetLastError();  // told here, not by the next call
  if (is_of_capture(told) || is_of_capture(end)) {
    const bool waits = breaking_call().find("Synchronize") != std::string_view::npos;
    refuse(reason_of(first_error(is_of_capture(told) ? told : end)) + call_text() +
               place_text(noticed),
           waits ? ": check_launch() tells of a launch that was refused, and does not wait" : "");
  }
  if (thrown) std::rethrow_exception(thrown);
  check(end);
}

void RecordedCall::inspect() {
  for (cudaGraphNode_t node : nodes_of(graph_)) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type));
    if (type == cudaGraphNodeTypeKernel) inspect_launch(node);
    if (type == cudaGraphNodeTypeMemcpy) inspect_copy(node);
    if (type == cudaGraphNodeTypeHost) refuse("the call lets the host do work");
    if (type == cudaGraphNodeTypeMemAlloc) refuse("the call allocates memory");
  }
}

void RecordedCall::inspect_launch(cudaGraphNode_t node) {
  LaunchShape shape;
  const void* kernel = nullptr;
#ifdef TUT_BACKEND_CPU
  check(simt_node_launch(node, &shape.grid, &shape.block, &kernel));
#else
  cudaKernelNodeParams parameters{};
  check(cudaGraphKernelNodeGetParams(node, &parameters));
  shape = {parameters.gridDim, parameters.blockDim};
  kernel = parameters.func;
#endif
  launches_.push_back(shape);
  kernels_.push_back(kernel);
}

void RecordedCall::replay(cudaStream_t stream) const { check(cudaGraphLaunch(ready_, stream)); }

}  // namespace tut
