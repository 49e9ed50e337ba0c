/// @file
/// Types of CUDA arrays, textures and surfaces. Programs may fill them in; the calls that take them
/// are in unsupported.hpp.
#ifndef SIMT_API_TEXTURE_TYPES_HPP
#define SIMT_API_TEXTURE_TYPES_HPP

#include <cstddef>
#include <type_traits>

#include "simt/api/memory_types.hpp"

struct cudaMipmappedArray;
using cudaMipmappedArray_t = cudaMipmappedArray*;

#define cudaArrayDefault 0
#define cudaArrayLayered 1
#define cudaArraySurfaceLoadStore 2
#define cudaArrayCubemap 4
#define cudaArrayTextureGather 8

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03

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

enum cudaTextureAddressMode : int {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3,
};

enum cudaTextureFilterMode : int {
  cudaFilterModePoint = 0,
  cudaFilterModeLinear = 1,
};

enum cudaTextureReadMode : int {
  cudaReadModeElementType = 0,
  cudaReadModeNormalizedFloat = 1,
};

struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned int maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  int disableTrilinearOptimization;
  int seamlessCubemap;
};

enum cudaResourceType : int {
  cudaResourceTypeArray = 0,
  cudaResourceTypeMipmappedArray = 1,
  cudaResourceTypeLinear = 2,
  cudaResourceTypePitch2D = 3,
};

struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      cudaMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t width;
      std::size_t height;
      std::size_t pitchInBytes;
    } pitch2D;
    struct {
      int reserved[32];
    } reserved;
  } res;
  unsigned int flags;
};

using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

/// The description of a number, or of a vector type of one to four of them.
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  const auto describe = []<class Part>(std::type_identity<Part>) {
    const int bits = 8 * static_cast<int>(sizeof(Part));
    const int parts = static_cast<int>(sizeof(T) / sizeof(Part));
    const cudaChannelFormatKind kind = std::is_floating_point_v<Part> ? cudaChannelFormatKindFloat
                                       : std::is_signed_v<Part>       ? cudaChannelFormatKindSigned
                                                                : cudaChannelFormatKindUnsigned;
    return cudaChannelFormatDesc{bits, parts > 1 ? bits : 0, parts > 2 ? bits : 0,
                                 parts > 3 ? bits : 0, kind};
  };
  if constexpr (std::is_arithmetic_v<T>) {
    return describe(std::type_identity<T>());
  } else {
    return describe(std::type_identity<decltype(T::x)>());
  }
}

#endif
