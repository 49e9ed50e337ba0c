/// @file
/// The sequences of numbers that a generator of cuRAND's host interface gives.
#pragma once

#include <cstddef>
#include <memory>

#include "curand.h"

namespace simt::curand {

/// Everything is made anew when seed or offset change, and goes on from call to call.
class Sequence {
 public:
  virtual ~Sequence() = default;

  void set_seed(unsigned long long seed) {
    seed_ = seed;
    ready_ = false;
  }
  void set_offset(unsigned long long offset) {
    offset_ = offset;
    ready_ = false;
  }
  void prepare() {
    if (!ready_) start(seed_, offset_);
    ready_ = true;
  }

  virtual bool needs_pairs() const = 0;
  /// Was the default order ever another one?
  virtual bool has_legacy_order() const { return true; }
  virtual void bits(unsigned* out, std::size_t n) = 0;
  virtual void uniform(float* out, std::size_t n) = 0;
  virtual void uniform(double* out, std::size_t n) = 0;
  /// Mean 0, standard deviation 1.
  virtual void normal(float* out, std::size_t n) = 0;
  virtual void normal(double* out, std::size_t n) = 0;

 protected:
  virtual void start(unsigned long long seed, unsigned long long offset) = 0;

 private:
  unsigned long long seed_ = 0;
  unsigned long long offset_ = 0;
  bool ready_ = false;
};

/// Null if this type is not supported.
std::unique_ptr<Sequence> make_sequence(curandRngType_t type);

}  // namespace simt::curand
