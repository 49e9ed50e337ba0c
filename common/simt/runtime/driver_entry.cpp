// Calls of the driver API by their names.
#include <string_view>

#include "context.hpp"
#include "cuda.h"
#include "simt/driver/versions.hpp"

namespace {

using simt::detail::api_call;

struct Call {
  std::string_view name;
  unsigned int version;  ///< of CUDA, the first with this form
  void* function;
};

/// Since CUDA 13 a context may be named, and there is but one.
CUresult synchronize_context(CUcontext /*context*/) { return cuCtxSynchronize(); }

const Call kCalls[] = {
#define SIMT_CALL(name, version) {#name, version, reinterpret_cast<void*>(&name)},
    SIMT_DRIVER_CALLS(SIMT_CALL)
#undef SIMT_CALL
        {"cuCtxSynchronize", 13000, reinterpret_cast<void*>(&synchronize_context)},
};

}  // namespace

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                             unsigned int version, unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* result) {
  return api_call([=] {
    if (symbol == nullptr || function == nullptr || flags > cudaEnablePerThreadDefaultStream) {
      return cudaErrorInvalidValue;
    }
    *function = nullptr;
    auto found = cudaDriverEntryPointSymbolNotFound;
    for (const Call& call : kCalls) {  // the newest form comes last
      if (call.name != symbol) continue;
      if (call.version <= version) {
        *function = call.function;
        found = cudaDriverEntryPointSuccess;
      } else if (*function == nullptr) {
        found = cudaDriverEntryPointVersionNotSufficent;
      }
    }
    if (result != nullptr) *result = found;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* result) {
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, result);
}
