#include "sequences.hpp"

#include <vector>

#include "simt/curand/distributions.hpp"
#include "simt/curand/states.hpp"

namespace simt::curand {
namespace {

void next_subsequence(curandStateXORWOW* state) { skipahead_sequence(1, state); }
void next_subsequence(curandStateMRG32k3a* state) { skipahead_subsequence(1, state); }

/// Subsequences that take turns: each gives a number, or a pair of normal ones.
template <class State, std::size_t kCount>
class TakingTurns final : public Sequence {
 public:
  bool needs_pairs() const override { return true; }
  bool has_legacy_order() const override { return kCount == 4096; }
  void bits(unsigned* out, std::size_t n) override {
    each(out, n, [](State* state) { return ::curand(state); });
  }
  void uniform(float* out, std::size_t n) override {
    each(out, n, [](State* state) { return curand_uniform(state); });
  }
  void uniform(double* out, std::size_t n) override {
    each(out, n, [](State* state) { return curand_uniform_double(state); });
  }
  void normal(float* out, std::size_t n) override {
    pairs(out, n, [](State* state) { return curand_normal2(state); });
  }
  void normal(double* out, std::size_t n) override {
    pairs(out, n, [](State* state) { return curand_normal2_double(state); });
  }

 private:
  void start(unsigned long long seed, unsigned long long offset) override {
    states_.resize(kCount);
    curand_init(seed, 0, 0, states_.data());
    for (std::size_t i = 1; i < kCount; ++i) {
      states_[i] = states_[i - 1];
      next_subsequence(&states_[i]);
    }
    turn_ = offset % kCount;
    for (std::size_t i = 0; i < kCount && offset != 0; ++i) {
      skipahead(offset / kCount + (i < turn_ ? 1 : 0), &states_[i]);
    }
  }

  State* next() {
    State* const state = &states_[turn_];
    turn_ = (turn_ + 1) % kCount;
    return state;
  }
  template <class T, class Make>
  void each(T* out, std::size_t n, const Make& make) {
    prepare();
    for (std::size_t i = 0; i < n; ++i) out[i] = make(next());
  }
  template <class T, class Make>
  void pairs(T* out, std::size_t n, const Make& make) {
    prepare();
    for (std::size_t i = 0; i + 1 < n; i += 2) {
      const auto pair = make(next());
      out[i] = pair.x;
      out[i + 1] = pair.y;
    }
  }

  std::vector<State> states_;
  std::size_t turn_ = 0;
};

/// Philox's subsequences, which need no state but a count.
class Counted final : public Sequence {
 public:
  bool needs_pairs() const override { return false; }
  void bits(unsigned* out, std::size_t n) override {
    each(out, n, 1, [](const uint4& x, unsigned i) { return word(x, i); });
  }
  void uniform(float* out, std::size_t n) override {
    each(out, n, 1, [](const uint4& x, unsigned i) { return curand::uniform(word(x, i)); });
  }
  void uniform(double* out, std::size_t n) override {
    each(out, n, 2, [](const uint4& x, unsigned i) {
      return i % 2 == 0 ? uniform_double(x.x, x.y) : uniform_double(x.z, x.w);
    });
  }
  void normal(float* out, std::size_t n) override {
    each(out, n, 1, [](const uint4& x, unsigned i) {
      const float2 pair = i < 2 ? normal_pair(x.x, x.y) : normal_pair(x.z, x.w);
      return i % 2 == 0 ? pair.x : pair.y;
    });
  }
  void normal(double* out, std::size_t n) override {
    each(out, n, 2, [](const uint4& x, unsigned i) {
      const double2 pair = normal_pair_double(x.x, x.y, x.z, x.w);
      return i % 2 == 0 ? pair.x : pair.y;
    });
  }

 private:
  static unsigned word(const uint4& x, unsigned i) {
    return i == 0 ? x.x : i == 1 ? x.y : i == 2 ? x.z : x.w;
  }

  void start(unsigned long long seed, unsigned long long offset) override {
    key_ = make_uint2(static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32));
    const auto turns = static_cast<std::size_t>(offset / 4 % kCount);
    used_.assign(kCount, offset / 4 / kCount);
    for (std::size_t i = 0; i < turns; ++i) ++used_[i];
    turn_ = static_cast<unsigned>(turns);
    which_ = static_cast<unsigned>(offset % 4);
  }

  /// The subsequences take turns: each gives four numbers, of one block of four words or of two.
  template <class T, class Make>
  void each(T* out, std::size_t n, unsigned blocks, const Make& make) {
    prepare();
    uint4 words{};
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || which_ * blocks % 4 == 0) {
        const unsigned long long block = used_[turn_] + which_ * blocks / 4;
        words = philox(
            make_uint4(static_cast<unsigned>(block), static_cast<unsigned>(block >> 32), turn_, 0),
            key_);
      }
      out[i] = make(words, which_);
      if (++which_ < 4) continue;
      used_[turn_] += blocks;
      which_ = 0;
      turn_ = (turn_ + 1) % kCount;
    }
  }

  static constexpr unsigned kCount = 65536;

  uint2 key_{};
  std::vector<unsigned long long> used_;  ///< blocks, by each subsequence
  unsigned turn_ = 0;                     ///< whose turn it is
  unsigned which_ = 0;                    ///< of the four numbers, the next
};

}  // namespace

std::unique_ptr<Sequence> make_sequence(curandRngType_t type) {
  switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
      return std::make_unique<TakingTurns<curandStateXORWOW, 4096>>();
    case CURAND_RNG_PSEUDO_MRG32K3A:
      return std::make_unique<TakingTurns<curandStateMRG32k3a, 81920>>();
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
      return std::make_unique<Counted>();
    default:
      return nullptr;
  }
}

}  // namespace simt::curand
