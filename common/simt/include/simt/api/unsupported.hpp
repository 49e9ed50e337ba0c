/// @file
/// Calls of the runtime API that the CPU backend does not have. Calling one is an error of one line
/// that says so, where the compiler would otherwise complain of an unknown name.
#ifndef SIMT_API_UNSUPPORTED_HPP
#define SIMT_API_UNSUPPORTED_HPP

#include "simt/api/errors.hpp"

enum cudaChannelFormatKind : int {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3,
};

struct cudaChannelFormatDesc {
  int x, y, z, w;
  cudaChannelFormatKind f;
};

using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;

template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t cudaMallocArray(
    const Args&...);
template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t cudaMalloc3DArray(
    const Args&...);
template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMallocMipmappedArray(const Args&...);
template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t cudaMemcpy2DToArray(
    const Args&...);
template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMemcpy2DFromArray(const Args&...);
template <class... Args>
[[gnu::error("texture objects are not supported on the CPU backend")]] cudaError_t
cudaCreateTextureObject(const Args&...);
template <class... Args>
[[gnu::error("surface objects are not supported on the CPU backend")]] cudaError_t
cudaCreateSurfaceObject(const Args&...);
template <class... Args>
[[gnu::error("sharing memory between processes is not supported on the CPU backend")]] cudaError_t
cudaIpcGetMemHandle(const Args&...);
template <class... Args>
[[gnu::error("sharing memory between processes is not supported on the CPU backend")]] cudaError_t
cudaIpcOpenMemHandle(const Args&...);
template <class... Args>
[[gnu::error("external memory is not supported on the CPU backend")]] cudaError_t
cudaImportExternalMemory(const Args&...);
template <class... Args>
[[gnu::error("conditional graph nodes are not supported on the CPU backend")]] cudaError_t
cudaGraphConditionalHandleCreate(const Args&...);

#endif
