#include "16_cnn_trainer/trainer/experiment/reference_cpu.hpp"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "16_cnn_trainer/architecture.hpp"

namespace tut::ch16 {

namespace {

using A = Architecture;
using L = ParameterLayout;

constexpr int kImagesPerPart = 8;  // a part of a batch has its own gradient: fixed, so that the
                                   // order of summation does not depend on the number of threads

// in (C, H, H), weights (K, C, 5, 5), out (K, H - 4, H - 4)
template <int C, int K, int H>
void conv_forward(const float* in, const float* weights, const float* bias, float* out) {
  constexpr int kOut = H - A::filter + 1;
  for (int k = 0; k < K; ++k) {
    for (int y = 0; y < kOut; ++y) {
      float row[kOut];
      for (int x = 0; x < kOut; ++x) row[x] = bias[k];
      for (int c = 0; c < C; ++c) {
        for (int ky = 0; ky < A::filter; ++ky) {
          for (int kx = 0; kx < A::filter; ++kx) {
            const float w = weights[(k * C + c) * A::taps + ky * A::filter + kx];
            const float* from = in + (c * H + y + ky) * H + kx;
            for (int x = 0; x < kOut; ++x) row[x] += w * from[x];
          }
        }
      }
      for (int x = 0; x < kOut; ++x) out[(k * kOut + y) * kOut + x] = row[x];
    }
  }
}

// d_weights and d_bias add up over the images.
template <int C, int K, int H>
void conv_backward_weights(const float* in, const float* d_out, float* d_weights, float* d_bias) {
  constexpr int kOut = H - A::filter + 1;
  for (int k = 0; k < K; ++k) {
    const float* plane = d_out + k * kOut * kOut;
    for (int i = 0; i < kOut * kOut; ++i) d_bias[k] += plane[i];
    for (int c = 0; c < C; ++c) {
      for (int ky = 0; ky < A::filter; ++ky) {
        for (int kx = 0; kx < A::filter; ++kx) {
          // A sum for each column: the compiler may not reorder a single sum, and so not vectorise
          // it.
          float columns[kOut] = {};
          for (int y = 0; y < kOut; ++y) {
            const float* from = in + (c * H + y + ky) * H + kx;
            for (int x = 0; x < kOut; ++x) columns[x] += plane[y * kOut + x] * from[x];
          }
          float sum = 0;
          for (int x = 0; x < kOut; ++x) sum += columns[x];
          d_weights[(k * C + c) * A::taps + ky * A::filter + kx] += sum;
        }
      }
    }
  }
}

template <int C, int K, int H>
void conv_backward_input(const float* weights, const float* d_out, float* d_in) {
  constexpr int kOut = H - A::filter + 1;
  std::fill_n(d_in, C * H * H, 0.0f);
  for (int k = 0; k < K; ++k) {
    for (int c = 0; c < C; ++c) {
      for (int ky = 0; ky < A::filter; ++ky) {
        for (int kx = 0; kx < A::filter; ++kx) {
          const float w = weights[(k * C + c) * A::taps + ky * A::filter + kx];
          for (int y = 0; y < kOut; ++y) {
            float* to = d_in + (c * H + y + ky) * H + kx;
            const float* from = d_out + (k * kOut + y) * kOut;
            for (int x = 0; x < kOut; ++x) to[x] += w * from[x];
          }
        }
      }
    }
  }
}

// ReLU and 2 x 2 max-pool: in (C, H, H), out (C, H / 2, H / 2).
template <int C, int H>
void relu_pool_forward(const float* in, float* out) {
  for (int row = 0; row < C * H / 2; ++row) {
    const float* upper = in + 2 * row * H;
    const float* lower = upper + H;
    for (int x = 0; x < H / 2; ++x) {
      const float top = std::max(upper[2 * x], upper[2 * x + 1]);
      const float low = std::max(lower[2 * x], lower[2 * x + 1]);
      out[row * (H / 2) + x] = std::max(0.0f, std::max(top, low));
    }
  }
}

// The gradient goes to the first largest of the four, if it is above zero.
template <int C, int H>
void relu_pool_backward(const float* in, const float* d_out, float* d_in) {
  std::fill_n(d_in, C * H * H, 0.0f);
  for (int row = 0; row < C * H / 2; ++row) {
    for (int x = 0; x < H / 2; ++x) {
      const int first = 2 * row * H + 2 * x;
      int best = first;
      for (const int i : {first + 1, first + H, first + H + 1}) best = in[i] > in[best] ? i : best;
      if (in[best] > 0) d_in[best] = d_out[row * (H / 2) + x];
    }
  }
}

void dense_forward(const float* in, const float* weights, const float* bias, float* out) {
  for (int j = 0; j < A::classes; ++j) {
    float partial[16] = {};
    for (int i = 0; i < A::features; i += 16) {
      for (int u = 0; u < 16; ++u) partial[u] += weights[j * A::features + i + u] * in[i + u];
    }
    float sum = bias[j];
    for (int u = 0; u < 16; ++u) sum += partial[u];
    out[j] = sum;
  }
}

void dense_backward(const float* in, const float* weights, const float* d_out, float* d_weights,
                    float* d_bias, float* d_in) {
  std::fill_n(d_in, A::features, 0.0f);
  for (int j = 0; j < A::classes; ++j) {
    d_bias[j] += d_out[j];
    for (int i = 0; i < A::features; ++i) {
      d_weights[j * A::features + i] += d_out[j] * in[i];
      d_in[i] += d_out[j] * weights[j * A::features + i];
    }
  }
}

// Returns the loss; d_scores is its gradient.
float softmax_cross_entropy(const float* scores, int label, float* d_scores) {
  const float largest = *std::max_element(scores, scores + A::classes);
  float sum = 0;
  for (int j = 0; j < A::classes; ++j) sum += d_scores[j] = std::exp(scores[j] - largest);
  for (int j = 0; j < A::classes; ++j) d_scores[j] = d_scores[j] / sum - (j == label ? 1.0f : 0.0f);
  return std::log(sum) + largest - scores[label];
}

// Calls work(0) .. work(parts - 1), shared out over threads.
template <class Work>
void share_out(int parts, int threads, const Work& work) {
  const int workers = std::clamp(parts, 1, threads);
  const auto run = [&](int worker) {
    for (int part = worker; part < parts; part += workers) work(part);
  };
  std::vector<std::jthread> pool;
  for (int worker = 1; worker < workers; ++worker) pool.emplace_back(run, worker);
  run(0);
}

}  // namespace

// Activations and gradients of one image, and the gradient summed over the images of one part.
struct CpuReferenceModel::Workspace {
  float image[A::side * A::side];
  float conv1[A::channels1 * A::conv1_side * A::conv1_side];
  float pool1[A::channels1 * A::pool1_side * A::pool1_side];
  float conv2[A::channels2 * A::conv2_side * A::conv2_side];
  float pool2[A::features];
  float scores[A::classes];
  float d_conv1[A::channels1 * A::conv1_side * A::conv1_side];
  float d_pool1[A::channels1 * A::pool1_side * A::pool1_side];
  float d_conv2[A::channels2 * A::conv2_side * A::conv2_side];
  float d_pool2[A::features];
  float d_scores[A::classes];
  std::vector<float> gradient = std::vector<float>(L::size);
  double loss;

  void forward(std::span<const std::uint8_t> pixels, const float* p) {
    for (int i = 0; i < A::side * A::side; ++i) image[i] = static_cast<float>(pixels[i]) / 255.0f;
    //! [fixed]
    conv_forward<1, A::channels1, A::side>(image, p + L::conv1_weights, p + L::conv1_bias, conv1);
    relu_pool_forward<A::channels1, A::conv1_side>(conv1, pool1);
    conv_forward<A::channels1, A::channels2, A::pool1_side>(pool1, p + L::conv2_weights,
                                                            p + L::conv2_bias, conv2);
    relu_pool_forward<A::channels2, A::conv2_side>(conv2, pool2);
    dense_forward(pool2, p + L::dense_weights, p + L::dense_bias, scores);
    //! [fixed]
  }

  void backward(int label, const float* p) {
    float* g = gradient.data();
    loss += softmax_cross_entropy(scores, label, d_scores);
    dense_backward(pool2, p + L::dense_weights, d_scores, g + L::dense_weights, g + L::dense_bias,
                   d_pool2);
    relu_pool_backward<A::channels2, A::conv2_side>(conv2, d_pool2, d_conv2);
    conv_backward_weights<A::channels1, A::channels2, A::pool1_side>(
        pool1, d_conv2, g + L::conv2_weights, g + L::conv2_bias);
    conv_backward_input<A::channels1, A::channels2, A::pool1_side>(p + L::conv2_weights, d_conv2,
                                                                   d_pool1);
    relu_pool_backward<A::channels1, A::conv1_side>(conv1, d_pool1, d_conv1);
    conv_backward_weights<1, A::channels1, A::side>(image, d_conv1, g + L::conv1_weights,
                                                    g + L::conv1_bias);
  }
};

CpuReferenceModel::CpuReferenceModel(const data::Split& sets, std::uint64_t seed, int threads)
    : sets_(sets),
      parameters_(initial_parameters(seed)),
      velocity_(L::size),
      threads_(threads > 0 ? threads
                           : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))) {
  require_digits(sets);
}

CpuReferenceModel::~CpuReferenceModel() = default;

std::string CpuReferenceModel::name() const {
  return "plain C++ loops, " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads");
}

void CpuReferenceModel::train_batch(std::span<const int> indices, const Step& step) {
  const int count = static_cast<int>(indices.size());
  const int parts = (count + kImagesPerPart - 1) / kImagesPerPart;
  while (static_cast<int>(workspaces_.size()) < parts) {
    workspaces_.push_back(std::make_unique<Workspace>());
  }
  share_out(parts, threads_, [&](int part) {
    Workspace& work = *workspaces_[part];
    std::fill(work.gradient.begin(), work.gradient.end(), 0.0f);
    work.loss = 0;
    for (int i = part * kImagesPerPart; i < std::min(count, (part + 1) * kImagesPerPart); ++i) {
      work.forward(sets_.train.image(indices[i]), parameters_.data());
      work.backward(sets_.train.labels[indices[i]], parameters_.data());
    }
  });
  for (int part = 0; part < parts; ++part) loss_.sum += workspaces_[part]->loss;
  loss_.images += indices.size();
  for (std::size_t i = 0; i < L::size; ++i) {
    float gradient = 0;
    for (int part = 0; part < parts; ++part) gradient += workspaces_[part]->gradient[i];
    gradient = gradient / static_cast<float>(count) + step.weight_decay * parameters_[i];
    velocity_[i] = step.momentum * velocity_[i] + gradient;
    parameters_[i] -= step.learning_rate * velocity_[i];
  }
}

LossSum CpuReferenceModel::take_loss() { return std::exchange(loss_, {}); }

std::vector<std::uint8_t> CpuReferenceModel::predict() {
  const std::size_t count = sets_.test.size();
  std::vector<std::uint8_t> predictions(count);
  share_out(threads_, threads_, [&](int part) {
    const auto work = std::make_unique<Workspace>();
    for (std::size_t i = count * part / threads_; i < count * (part + 1) / threads_; ++i) {
      work->forward(sets_.test.image(i), parameters_.data());
      const float* best = std::max_element(work->scores, work->scores + A::classes);
      predictions[i] = static_cast<std::uint8_t>(best - work->scores);
    }
  });
  return predictions;
}

}  // namespace tut::ch16
