// cuRAND's host interface: generators that fill arrays, in cuRAND's default order.
// Source: cuRAND documentation, "Generator Options", for the order of each generator.
#include <cstdio>
#include <memory>
#include <new>

#include "curand.h"
#include "sequences.hpp"
#include "simt/library.hpp"

struct curandGenerator_st {
  std::unique_ptr<simt::curand::Sequence> sequence;
  bool on_host = false;
  cudaStream_t stream = nullptr;
};

namespace {

using simt::curand::Sequence;

simt::KernelInfo kernel{"curand_generate", "curand", 0, 0};

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool on_host) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  std::unique_ptr<Sequence> sequence = simt::curand::make_sequence(type);
  if (!sequence) {
    std::fprintf(stderr,
                 "simt: cuRAND's generator %d is not supported on the CPU backend (XORWOW, "
                 "Philox4x32-10 and MRG32k3a are)\n",
                 static_cast<int>(type));
    return CURAND_STATUS_TYPE_ERROR;
  }
  *generator = new (std::nothrow) curandGenerator_st;
  if (*generator == nullptr) return CURAND_STATUS_ALLOCATION_FAILED;
  (*generator)->sequence = std::move(sequence);
  (*generator)->on_host = on_host;
  return CURAND_STATUS_SUCCESS;
}

/// fill(sequence, out, n) at once, or when the stream comes to it.
template <class T, class Fill>
curandStatus_t generate(curandGenerator_t generator, T* out, std::size_t n, Fill fill) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (n == 0) return CURAND_STATUS_SUCCESS;
  Sequence* const sequence = generator->sequence.get();
  if (generator->on_host) {
    fill(*sequence, out, n);
    return CURAND_STATUS_SUCCESS;
  }
  const auto uses = [=](simt::MemoryUses& all) { all.write(out, static_cast<std::ptrdiff_t>(n)); };
  const auto work = [=](unsigned) { fill(*sequence, out, n); };
  return simt::run_library(kernel, 1, generator->stream, uses, work)
             ? CURAND_STATUS_SUCCESS
             : CURAND_STATUS_PREEXISTING_FAILURE;
}

/// Numbers that are made two at a time.
template <class T, class Fill>
curandStatus_t generate_pairs(curandGenerator_t generator, T* out, std::size_t n, Fill fill) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (n % 2 != 0 && generator->sequence->needs_pairs()) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return generate(generator, out, n, fill);
}

}  // namespace

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, true);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int* version) {
  if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  switch (type) {
    case MAJOR_VERSION:
      *value = CURAND_VER_MAJOR;
      return CURAND_STATUS_SUCCESS;
    case MINOR_VERSION:
      *value = CURAND_VER_MINOR;
      return CURAND_STATUS_SUCCESS;
    case PATCH_LEVEL:
      *value = CURAND_VER_PATCH;
      return CURAND_STATUS_SUCCESS;
  }
  return CURAND_STATUS_OUT_OF_RANGE;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->sequence->set_seed(seed);
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->sequence->set_offset(offset);
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  const bool known =
      order == CURAND_ORDERING_PSEUDO_BEST || order == CURAND_ORDERING_PSEUDO_DEFAULT ||
      (order == CURAND_ORDERING_PSEUDO_LEGACY && generator->sequence->has_legacy_order());
  return known ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->sequence->prepare();
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* out, size_t n) {
  return generate(generator, out, n, [](Sequence& sequence, unsigned* to, std::size_t count) {
    sequence.bits(to, count);
  });
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, size_t n) {
  return generate(generator, out, n, [](Sequence& sequence, float* to, std::size_t count) {
    sequence.uniform(to, count);
  });
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out, size_t n) {
  return generate(generator, out, n, [](Sequence& sequence, double* to, std::size_t count) {
    sequence.uniform(to, count);
  });
}

curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, size_t n, float mean,
                                    float stddev) {
  return generate_pairs(generator, out, n, [=](Sequence& sequence, float* to, std::size_t count) {
    sequence.normal(to, count);
    for (std::size_t i = 0; i < count; ++i) to[i] = mean + stddev * to[i];
  });
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, size_t n,
                                          double mean, double stddev) {
  return generate_pairs(generator, out, n, [=](Sequence& sequence, double* to, std::size_t count) {
    sequence.normal(to, count);
    for (std::size_t i = 0; i < count; ++i) to[i] = mean + stddev * to[i];
  });
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, size_t n,
                                       float mean, float stddev) {
  return generate_pairs(generator, out, n, [=](Sequence& sequence, float* to, std::size_t count) {
    sequence.normal(to, count);
    for (std::size_t i = 0; i < count; ++i) to[i] = expf(mean + stddev * to[i]);
  });
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out, size_t n,
                                             double mean, double stddev) {
  return generate_pairs(generator, out, n, [=](Sequence& sequence, double* to, std::size_t count) {
    sequence.normal(to, count);
    for (std::size_t i = 0; i < count; ++i) to[i] = exp(mean + stddev * to[i]);
  });
}

}  // extern "C"
