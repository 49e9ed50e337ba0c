/// @file
/// Calls of the driver API by their names.
#ifndef SIMT_API_DRIVER_ENTRY_HPP
#define SIMT_API_DRIVER_ENTRY_HPP

#include "driver_types.h"

enum cudaGetDriverEntryPointFlags {
  cudaEnableDefault = 0,
  cudaEnableLegacyStream = 1,
  cudaEnablePerThreadDefaultStream = 2,
};

enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess = 0,
  cudaDriverEntryPointSymbolNotFound = 1,
  cudaDriverEntryPointVersionNotSufficent = 2,
};

extern "C" {

/// *function becomes the call in the form that it has in this version of CUDA. If there is none, it
/// becomes null, *result says why, and the call still succeeds.
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                             unsigned int version, unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* result = nullptr);
/// In the form of this runtime's version.
cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* result = nullptr);

}  // extern "C"

#endif
