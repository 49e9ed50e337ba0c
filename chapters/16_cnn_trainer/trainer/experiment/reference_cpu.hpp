#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "16_cnn_trainer/trainer/experiment/model.hpp"

namespace tut::ch16 {

/// The network in plain C++ loops on the CPU: what the kernels are compared with.
///
/// The loops are what a C++ programmer would write for this network: image after image, sizes known
/// to the compiler, columns innermost so that it can vectorise them, compiled with -O3
/// -march=native, and the images of a batch shared out over all cores. No blocking, no intrinsics.
/// Results do not depend on the number of threads.
class CpuReferenceModel : public Model {
 public:
  /// Keeps a reference to the sets. Throws std::invalid_argument as require_digits does.
  /// @param threads how many threads share a batch; 0 for all cores
  CpuReferenceModel(const data::Split& sets, std::uint64_t seed, int threads = 0);
  ~CpuReferenceModel() override;

  std::string name() const override;
  void train_batch(std::span<const int> indices, const Step& step) override;
  LossSum take_loss() override;
  std::vector<std::uint8_t> predict() override;
  std::vector<float> parameters() const override { return parameters_; }

 private:
  struct Workspace;

  const data::Split& sets_;
  std::vector<float> parameters_;
  std::vector<float> velocity_;
  std::vector<std::unique_ptr<Workspace>> workspaces_;  // one for each part of a batch
  int threads_;
  LossSum loss_;
};

}  // namespace tut::ch16
