// cuRAND's host interface. The numbers expected are those that cuRAND 10.4 gives.
#include <cuda_runtime.h>
#include <curand.h>
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace {

class Generator {
 public:
  Generator(curandRngType_t type, bool on_host) {
    REQUIRE((on_host ? curandCreateGeneratorHost(&generator_, type)
                     : curandCreateGenerator(&generator_, type)) == CURAND_STATUS_SUCCESS);
    REQUIRE(curandSetPseudoRandomGeneratorSeed(generator_, 1234) == CURAND_STATUS_SUCCESS);
  }
  ~Generator() { curandDestroyGenerator(generator_); }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  operator curandGenerator_t() const { return generator_; }

 private:
  curandGenerator_t generator_ = nullptr;
};

/// n numbers of a generator that fills memory of the device.
template <class T, class Generate>
std::vector<T> on_device(std::size_t n, Generate generate) {
  T* device = nullptr;
  REQUIRE(cudaMalloc(&device, n * sizeof(T)) == cudaSuccess);
  CHECK(generate(device, n) == CURAND_STATUS_SUCCESS);
  std::vector<T> values(n);
  REQUIRE(cudaMemcpy(values.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
  cudaFree(device);
  return values;
}

struct Expected {
  curandRngType_t type;
  unsigned words[4];
  double uniform[2];
  float normal[2];
};

}  // namespace

TEST_CASE("curand: the sequences are cuRAND's, through calls of every kind") {
  constexpr std::size_t kCount = 300000;
  const Expected all[] = {
      {CURAND_RNG_PSEUDO_XORWOW,
       {0x253D5E15u, 0xD1F7605Au, 0x116543B6u, 0x1F47E364u},
       {0.61588367652317633, 0.27702473366624231},
       {8.453747F, 7.865897F}},
      {CURAND_RNG_PSEUDO_PHILOX4_32_10,
       {0x2090B348u, 0xDA7CF0ABu, 0x0B425C4Cu, 0x6F565F99u},
       {0.81914688464977692, 0.17262390642169195},
       {12.53308F, 8.312914F}},
      {CURAND_RNG_PSEUDO_MRG32K3A,
       {0xC96891F0u, 0x26F0D612u, 0xDF25D23Du, 0x4DEB0D24u},
       {0.22785991398215344, 0.26477162501245499},
       {12.42067F, 14.58017F}},
  };
  for (const Expected& want : all) {
    const Generator generator(want.type, false);
    const auto words = on_device<unsigned>(
        kCount, [&](unsigned* out, std::size_t n) { return curandGenerate(generator, out, n); });
    CHECK(words[0] == want.words[0]);
    CHECK(words[1] == want.words[1]);
    CHECK(words[100001] == want.words[2]);
    CHECK(words.back() == want.words[3]);
    const auto uniform = on_device<double>(kCount, [&](double* out, std::size_t n) {
      return curandGenerateUniformDouble(generator, out, n);
    });
    CHECK(uniform.front() == want.uniform[0]);
    CHECK(uniform.back() == want.uniform[1]);
    const auto normal = on_device<float>(kCount, [&](float* out, std::size_t n) {
      return curandGenerateNormal(generator, out, n, 10, 2);
    });
    CHECK(normal.front() == doctest::Approx(want.normal[0]).epsilon(1e-5));
    CHECK(normal.back() == doctest::Approx(want.normal[1]).epsilon(1e-5));
  }
}

TEST_CASE("curand: offsets, and generators for memory of the host") {
  for (const curandRngType_t type :
       {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_PSEUDO_MRG32K3A}) {
    std::vector<unsigned> whole(100000), part(10);
    const Generator generator(type, true);
    CHECK(curandGenerate(generator, whole.data(), whole.size()) == CURAND_STATUS_SUCCESS);
    for (const unsigned long long offset : {1ULL, 6ULL, 4099ULL, 81925ULL}) {
      CHECK(curandSetGeneratorOffset(generator, offset) == CURAND_STATUS_SUCCESS);
      CHECK(curandGenerate(generator, part.data(), part.size()) == CURAND_STATUS_SUCCESS);
      for (std::size_t i = 0; i < part.size(); ++i) CHECK(part[i] == whole[offset + i]);
    }
  }
}

TEST_CASE("curand: what it refuses") {
  curandGenerator_t generator = nullptr;
  CHECK(curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32) == CURAND_STATUS_TYPE_ERROR);
  CHECK(curandGenerate(nullptr, nullptr, 1) == CURAND_STATUS_NOT_INITIALIZED);
  const Generator xorwow(CURAND_RNG_PSEUDO_DEFAULT, true);
  const Generator philox(CURAND_RNG_PSEUDO_PHILOX4_32_10, true);
  float odd[3];
  CHECK(curandGenerateNormal(xorwow, odd, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  CHECK(curandGenerateNormal(philox, odd, 3, 0, 1) == CURAND_STATUS_SUCCESS);
  CHECK(curandSetGeneratorOrdering(xorwow, CURAND_ORDERING_PSEUDO_DYNAMIC) ==
        CURAND_STATUS_OUT_OF_RANGE);
}
