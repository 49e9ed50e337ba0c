/// @file
/// Calls of the runtime API that the CPU backend does not have. Calling one is an error of one line
/// that says so, where the compiler would otherwise complain of an unknown name.
#ifndef SIMT_API_UNSUPPORTED_HPP
#define SIMT_API_UNSUPPORTED_HPP

#include "simt/api/errors.hpp"
#include "simt/api/texture_types.hpp"

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
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t cudaFreeArray(
    const Args&...);
template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaFreeMipmappedArray(const Args&...);
template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaGetMipmappedArrayLevel(const Args&...);
template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t cudaArrayGetInfo(
    const Args&...);
template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t cudaMemcpyToArray(
    const Args&...);
template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t cudaMemcpyFromArray(
    const Args&...);
template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMemcpyToArrayAsync(const Args&...);
template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMemcpyFromArrayAsync(const Args&...);
template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMemcpyArrayToArray(const Args&...);
template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMemcpy2DToArrayAsync(const Args&...);
template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMemcpy2DFromArrayAsync(const Args&...);
template <class... Args>
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMemcpy2DArrayToArray(const Args&...);
template <class... Args>
[[gnu::error("texture objects are not supported on the CPU backend")]] cudaError_t
cudaDestroyTextureObject(const Args&...);
template <class... Args>
[[gnu::error("texture objects are not supported on the CPU backend")]] cudaError_t
cudaGetTextureObjectResourceDesc(const Args&...);
template <class... Args>
[[gnu::error("texture references are not supported on the CPU backend")]] cudaError_t
cudaBindTexture(const Args&...);
template <class... Args>
[[gnu::error("texture references are not supported on the CPU backend")]] cudaError_t
cudaBindTexture2D(const Args&...);
template <class... Args>
[[gnu::error("texture references are not supported on the CPU backend")]] cudaError_t
cudaBindTextureToArray(const Args&...);
template <class... Args>
[[gnu::error("texture references are not supported on the CPU backend")]] cudaError_t
cudaUnbindTexture(const Args&...);
template <class... Args>
[[gnu::error("surface objects are not supported on the CPU backend")]] cudaError_t
cudaDestroySurfaceObject(const Args&...);
template <class... Args>
[[gnu::error("sharing memory between processes is not supported on the CPU backend")]] cudaError_t
cudaIpcCloseMemHandle(const Args&...);
template <class... Args>
[[gnu::error("sharing memory between processes is not supported on the CPU backend")]] cudaError_t
cudaIpcGetEventHandle(const Args&...);
template <class... Args>
[[gnu::error("sharing memory between processes is not supported on the CPU backend")]] cudaError_t
cudaIpcOpenEventHandle(const Args&...);
template <class... Args>
[[gnu::error("graphics are not supported on the CPU backend")]] cudaError_t
cudaGraphicsMapResources(const Args&...);
template <class... Args>
[[gnu::error("graphics are not supported on the CPU backend")]] cudaError_t
cudaGraphicsUnmapResources(const Args&...);
template <class... Args>
[[gnu::error("graphics are not supported on the CPU backend")]] cudaError_t
cudaGraphicsResourceGetMappedPointer(const Args&...);
template <class... Args>
[[gnu::error("graphics are not supported on the CPU backend")]] cudaError_t
cudaGraphicsUnregisterResource(const Args&...);

#endif
