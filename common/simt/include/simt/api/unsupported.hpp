/// @file
/// Calls of the runtime API that the CPU backend does not have: each is one error of one line.
#ifndef SIMT_API_UNSUPPORTED_HPP
#define SIMT_API_UNSUPPORTED_HPP

#include "simt/api/errors.hpp"
#include "simt/api/texture_types.hpp"

[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t cudaMallocArray(...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t cudaMalloc3DArray(
    ...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMallocMipmappedArray(...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t cudaMemcpy2DToArray(
    ...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMemcpy2DFromArray(...);
[[gnu::error("texture objects are not supported on the CPU backend")]] cudaError_t
cudaCreateTextureObject(...);
[[gnu::error("surface objects are not supported on the CPU backend")]] cudaError_t
cudaCreateSurfaceObject(...);
[[gnu::error("sharing memory between processes is not supported on the CPU backend")]] cudaError_t
cudaIpcGetMemHandle(...);
[[gnu::error("sharing memory between processes is not supported on the CPU backend")]] cudaError_t
cudaIpcOpenMemHandle(...);
[[gnu::error("external memory is not supported on the CPU backend")]] cudaError_t
cudaImportExternalMemory(...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t cudaFreeArray(...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaFreeMipmappedArray(...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaGetMipmappedArrayLevel(...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t cudaArrayGetInfo(
    ...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t cudaMemcpyToArray(
    ...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t cudaMemcpyFromArray(
    ...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMemcpyToArrayAsync(...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMemcpyFromArrayAsync(...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMemcpyArrayToArray(...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMemcpy2DToArrayAsync(...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMemcpy2DFromArrayAsync(...);
[[gnu::error("CUDA arrays are not supported on the CPU backend")]] cudaError_t
cudaMemcpy2DArrayToArray(...);
[[gnu::error("texture objects are not supported on the CPU backend")]] cudaError_t
cudaDestroyTextureObject(...);
[[gnu::error("texture objects are not supported on the CPU backend")]] cudaError_t
cudaGetTextureObjectResourceDesc(...);
[[gnu::error("texture references are not supported on the CPU backend")]] cudaError_t
cudaBindTexture(...);
[[gnu::error("texture references are not supported on the CPU backend")]] cudaError_t
cudaBindTexture2D(...);
[[gnu::error("texture references are not supported on the CPU backend")]] cudaError_t
cudaBindTextureToArray(...);
[[gnu::error("texture references are not supported on the CPU backend")]] cudaError_t
cudaUnbindTexture(...);
[[gnu::error("surface objects are not supported on the CPU backend")]] cudaError_t
cudaDestroySurfaceObject(...);
[[gnu::error("sharing memory between processes is not supported on the CPU backend")]] cudaError_t
cudaIpcCloseMemHandle(...);
[[gnu::error("sharing memory between processes is not supported on the CPU backend")]] cudaError_t
cudaIpcGetEventHandle(...);
[[gnu::error("sharing memory between processes is not supported on the CPU backend")]] cudaError_t
cudaIpcOpenEventHandle(...);
[[gnu::error("graphics are not supported on the CPU backend")]] cudaError_t
cudaGraphicsMapResources(...);
[[gnu::error("graphics are not supported on the CPU backend")]] cudaError_t
cudaGraphicsUnmapResources(...);
[[gnu::error("graphics are not supported on the CPU backend")]] cudaError_t
cudaGraphicsResourceGetMappedPointer(...);
[[gnu::error("graphics are not supported on the CPU backend")]] cudaError_t
cudaGraphicsUnregisterResource(...);

#endif
