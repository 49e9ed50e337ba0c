#include <algorithm>
#include <map>
#include <utility>

#include "16_cnn_trainer/trainer/formats/number_format.hpp"
#include "16_cnn_trainer/trainer/own_kernels/own_kernels.hpp"

namespace tut::ch16 {

namespace {

// In the course's order, which is that of the exercises' chapters.
constexpr const char* kExercises[] = {
    "matmul_transposed_a",   "matmul_padded", "matmul_rectangular",
    "linear_relu",           "im2col_nhwc",   "conv2d_dilated",
    "conv2d_transposed",     "relu_bits",     "lion",
    "smoothed_cross_entropy"};

// Exercises that do for the same thing; the first that can be used is.
using Alternatives = std::vector<std::string>;

// An operation that a network needs: all of `needs` together compute it.
struct Need {
  Operation operation;
  const char* name;
  std::vector<Alternatives> needs;
  int layers = 1;   // that have it
  int misfits = 0;  // of these, for which the exercise does not do
};

// Whether conv2d_transposed makes images of the layer's input: some pixels at the far edges lie
// under no filter where the stride does not come out even.
bool comes_out_even(const Layer& conv) {
  const auto even = [&](int side) {
    return (side + 2 * conv.padding - conv.side) % conv.stride == 0;
  };
  return even(conv.in.rows) && even(conv.in.cols);
}

// What the stages of a network ask of Kernels.
class Needs {
 public:
  Needs(const NetworkSpec& spec, Optimiser optimiser) {
    std::size_t stage = 0;
    for (std::size_t i = 0; i < spec.layers.size(); ++stage) {
      const std::span rest = std::span(spec.layers).subspan(i);
      const std::span layers = rest.first(layers_of_fp32_stage(rest));
      add(layers, stage == 0);
      i += layers.size();
    }
    need(Operation::loss, "loss and its gradient", {{"smoothed_cross_entropy"}});
    if (optimiser == Optimiser::lion) {
      need(Operation::lion, "optimiser", {{"lion"}});
    } else {
      other("optimiser (" + std::string(to_string(optimiser)) + ")");
    }
    std::sort(all.begin(), all.end(),
              [](const Need& a, const Need& b) { return a.operation < b.operation; });
  }

  std::vector<Need> all;
  std::vector<std::string> without_exercise;

 private:
  void add(std::span<const Layer> layers, bool first) {
    switch (layers[0].kind) {
      case LayerKind::conv:
        add_convolution(layers[0], first);
        if (layers.size() == 3) other("bias, ReLU and pooling in one");
        break;
      case LayerKind::dense:
        layers.size() == 2
            ? need(Operation::dense_relu, "dense layer with ReLU", {{"linear_relu"}})
            : need(Operation::dense, "dense layer", {{"matmul_padded", "matmul_rectangular"}});
        need(Operation::dense_backward, "dense layer, gradients",
             {{"matmul_padded", "matmul_rectangular"}, {"matmul_transposed_a"}});
        break;
      case LayerKind::relu:
        need(Operation::relu, "ReLU and its gradient", {{"relu_bits"}});
        break;
      case LayerKind::sigmoid:
        other("sigmoid");
        break;
      case LayerKind::maxpool:
        other("pooling");
        break;
      case LayerKind::dropout:
        other("dropout");
        break;
      case LayerKind::batchnorm:
        other("batch norm");
        break;
    }
  }

  void add_convolution(const Layer& conv, bool first) {
    need(Operation::conv2d, "convolution", {{"conv2d_dilated"}});
    if (!first) {  // the gradient of the images is not needed
      Need& input = need(Operation::conv2d_backward_input, "convolution, gradient of its input",
                         {{"conv2d_transposed"}});
      if (!comes_out_even(conv)) ++input.misfits;
    }
    need(Operation::conv2d_backward_weights, "convolution, gradient of its weights",
         {{"im2col_nhwc"}, {"matmul_transposed_a"}});
  }

  Need& need(Operation operation, const char* name, std::vector<Alternatives> needs) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Need& one) { return one.operation == operation; });
    if (found == all.end()) return all.emplace_back(Need{operation, name, std::move(needs)});
    ++found->layers;
    return *found;
  }

  void other(const std::string& name) {
    if (std::find(without_exercise.begin(), without_exercise.end(), name) ==
        without_exercise.end()) {
      without_exercise.push_back(name);
    }
  }
};

std::string in_words(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "is right";
    case Verdict::unfinished:
      return "is not finished";
    case Verdict::wrong_values:
      return "gives wrong values";
    case Verdict::error:
      return "ends with an error";
    case Verdict::crashes:
      return "crashes";
    case Verdict::never_ends:
      return "never ends";
  }
  return "";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// Judges each exercise once.
class Judge {
 public:
  explicit Judge(const std::function<Verdict(std::string_view)>& ask) : ask_(ask) {}

  Verdict operator()(const std::string& exercise) {
    const auto known = verdicts_.find(exercise);
    if (known != verdicts_.end()) return known->second;
    return verdicts_[exercise] = ask_(exercise);
  }

 private:
  const std::function<Verdict(std::string_view)>& ask_;
  std::map<std::string, Verdict> verdicts_;
};

KernelChoice choose(const Need& need, Judge& judge) {
  KernelChoice choice{need.operation, need.name, {}, true, "", ""};
  for (const Alternatives& alternatives : need.needs) {
    const auto agrees = [&](const std::string& one) { return judge(one) == Verdict::agrees; };
    const auto right = std::find_if(alternatives.begin(), alternatives.end(), agrees);
    if (right != alternatives.end()) {
      choice.exercises.push_back(*right);
      continue;
    }
    choice.exercises.push_back(alternatives[0]);
    for (std::size_t i = 1; i < alternatives.size(); ++i) {
      choice.exercises.back() += " (or " + alternatives[i] + ")";
    }
    if (choice.own) {
      choice.next = alternatives[0];
      choice.remark =
          "yours " + in_words(judge(choice.next)) + " (./learn check " + choice.next + ")";
    }
    choice.own = false;
  }
  if (choice.own && need.misfits == need.layers) {
    choice.own = false;
    choice.remark = "the stride leaves pixels at the far edge";
  } else if (choice.own && need.misfits > 0) {
    choice.remark = "not where the stride leaves pixels at the far edge";
  }
  return choice;
}

}  // namespace

bool KernelChoices::any_own() const { return !own().empty(); }

std::vector<OwnOperation> KernelChoices::own() const {
  std::vector<OwnOperation> operations;
  for (const KernelChoice& choice : all) {
    if (choice.own) operations.push_back({choice.operation, choice.exercises});
  }
  return operations;
}

std::vector<std::string> KernelChoices::used() const {
  std::vector<std::string> names;
  for (const char* exercise : kExercises) {
    const bool is_used = std::any_of(all.begin(), all.end(), [&](const KernelChoice& choice) {
      return choice.own && std::find(choice.exercises.begin(), choice.exercises.end(), exercise) !=
                               choice.exercises.end();
    });
    if (is_used) names.emplace_back(exercise);
  }
  return names;
}

const KernelChoice* KernelChoices::find(Operation operation) const {
  const auto found = std::find_if(all.begin(), all.end(), [&](const KernelChoice& choice) {
    return choice.operation == operation;
  });
  return found == all.end() ? nullptr : &*found;
}

KernelChoices choose_kernels(const NetworkSpec& spec, Optimiser optimiser,
                             const std::function<Verdict(std::string_view exercise)>& ask) {
  const Needs needs(spec, optimiser);
  Judge judge(ask);
  KernelChoices choices;
  for (const Need& need : needs.all) choices.all.push_back(choose(need, judge));
  choices.without_exercise = needs.without_exercise;
  return choices;
}

std::string to_text(const KernelChoices& choices) {
  constexpr const char* kHeads[] = {"what is computed", "by the exercise", "whose is used"};
  std::size_t name = std::string_view(kHeads[0]).size();
  std::size_t exercise = std::string_view(kHeads[1]).size();
  for (const KernelChoice& choice : choices.all) {
    name = std::max(name, choice.name.size());
    exercise = std::max(exercise, joined(choice.exercises).size());
  }
  std::string text;
  const auto line = [&](std::string first, std::string second, const std::string& third) {
    first.resize(name, ' ');
    second.resize(exercise, ' ');
    text += first + "   " + second + "   " + third + "\n";
  };
  line(kHeads[0], kHeads[1], kHeads[2]);
  for (const KernelChoice& choice : choices.all) {
    std::string whose = choice.own ? "yours" : "the reference's";
    if (!choice.remark.empty()) whose += (choice.own ? ", " : ": ") + choice.remark;
    line(choice.name, joined(choice.exercises), whose);
  }
  if (!choices.without_exercise.empty()) {
    text += "without an exercise: " + joined(choices.without_exercise) + "\n";
  }
  return text;
}

}  // namespace tut::ch16
