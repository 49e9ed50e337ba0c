#include <algorithm>
#include <array>
#include <map>

#include "passes/passes.hpp"

namespace simt::rewrite {
namespace {

constexpr auto kTextureWords = std::to_array<std::string_view>(
    {"tex1D", "tex2D", "tex3D", "tex1Dfetch", "tex1DLod", "tex2DLod", "tex3DLod", "tex1DGrad",
     "tex2DGrad", "tex3DGrad", "tex1DLayered", "tex2DLayered", "texCubemap", "tex2Dgather",
     "texCubemapLayered", "tex1DLayeredLod", "tex2DLayeredLod", "texCubemapLod"});

constexpr auto kSurfaceWords = std::to_array<std::string_view>(
    {"surf1Dread", "surf1Dwrite", "surf2Dread", "surf2Dwrite", "surf3Dread", "surf3Dwrite",
     "surf2DLayeredread", "surf2DLayeredwrite", "surfCubemapread", "surfCubemapwrite"});

class Unsupported {
 public:
  explicit Unsupported(const Context& context) : context_(context), list_(context.list) {}

  void run() {
    mark_device_code();
    std::vector<bool> of_kernel(list_.size(), false);
    for (const Function& function : context_.source.functions) {
      own_.insert(function.name);
      if (!function.specifiers.global) continue;
      std::fill(of_kernel.begin() + function.first, of_kernel.begin() + function.params_open, true);
    }
    for (Index i = 0; i < list_.size(); ++i) {
      if (list_.is_system(i)) continue;
      if (list_.is(i, "__global__") && !of_kernel[i]) {
        context_.error(
            i, "`__global__` belongs to no function: write `__global__ void NAME(PARAMETERS)`");
      } else if (list_.is_identifier(i)) {
        word(i);
      } else if (list_[i].kind == TokenKind::launch && in_device_code_[i]) {
        context_.error(i,
                       "launching a kernel from device code (dynamic parallelism) is not "
                       "supported on the CPU backend");
      } else if (list_[i].kind == TokenKind::punctuation) {
        digraph(i);
      }
    }
  }

 private:
  /// Bodies that only the device runs.
  void mark_device_code() {
    in_device_code_.assign(list_.size(), false);
    for (const Function& function : context_.source.functions) {
      if (!function.is_device_code()) continue;
      std::fill(in_device_code_.begin() + function.body_open,
                in_device_code_.begin() + function.body_close, true);
    }
  }

  /// Brackets in other letters, which no pass knows.
  void digraph(Index i) {
    static constexpr std::array<std::array<std::string_view, 2>, 4> table{
        {{"<%", "{"}, {"%>", "}"}, {"<:", "["}, {":>", "]"}}};
    for (const auto& [text, bracket] : table) {
      if (!list_.is(i, text)) continue;
      context_.error(
          i, "`" + std::string(text) + "` is not supported; write `" + std::string(bracket) + "`");
    }
  }

  void word(Index i) {
    const std::string_view text = list_.view(i);
    const bool called = list_.is(i + 1, "(") || list_.is(i + 1, "<");
    const bool own = own_.count(text) != 0;
    if (called && !own && contains(kTextureWords, text)) {
      context_.error(
          i, "texture objects are not supported on the CPU backend (" + std::string(text) + ")");
    } else if (called && !own && contains(kSurfaceWords, text)) {
      context_.error(
          i, "surface objects are not supported on the CPU backend (" + std::string(text) + ")");
    } else if (text == "texture" && list_.is(i + 1, "<") && begins_reference(i)) {
      context_.error(i, "texture references are not supported on the CPU backend");
    } else if (text == "surface" && list_.is(i + 1, "<") && begins_reference(i)) {
      context_.error(i, "surface references are not supported on the CPU backend");
    }
  }

  /// `texture<float, 2> name;`, not a member or a learner's own type of that name.
  bool begins_reference(Index i) const {
    const Index end = skip_template_arguments(list_, i + 1);
    const bool member =
        i > 0 && (list_.is(i - 1, ".") || list_.is(i - 1, "->") || list_.is(i - 1, "::") ||
                  list_.is(i - 1, "struct") || list_.is(i - 1, "class"));
    return !member && end != kNone && list_.is_identifier(end);
  }

  const Context& context_;
  const TokenList& list_;
  std::vector<bool> in_device_code_;
  NameSet own_;
};

class RefusedCalls {
 public:
  explicit RefusedCalls(const Context& context) : context_(context), list_(context.list) {}

  std::vector<std::string> run() {
    for (Index i = 2; i < list_.size(); ++i) {
      if (list_.is_system(i) && list_.is(i, "error") && list_.is(i - 2, "gnu")) declaration(i);
    }
    std::vector<bool> looks(list_.size(), true);
    for (const Function& function : context_.source.functions) {
      reasons_.erase(function.name);  // the program has one of its own
      const bool is_template = function.is_template || function.scope.in_template;
      if (!function.has_body() || !(is_template || is_compiled_if_used(list_, function))) continue;
      std::fill(looks.begin() + function.body_open, looks.begin() + function.body_close, false);
    }
    std::vector<std::string> calls;
    for (Index i = 1; i < list_.size(); ++i) {
      if (!looks[i] || list_.is_system(i) || !list_.is_identifier(i)) continue;
      const auto found = reasons_.find(list_.view(i));
      if (found == reasons_.end() || !list_.is(i + 1, "(") || is_member(i)) continue;
      calls.push_back(list_.place(i) + ": error: " + found->second + " (" + found->first + ')');
    }
    return calls;
  }

 private:
  /// `[[gnu::error("WHY")]] TYPE NAME(...)`, of which the word `error` is at i.
  void declaration(Index i) {
    std::string why;
    Index k = i + 2;
    for (; k < list_.size() && list_[k].kind == TokenKind::string; ++k) {
      const std::string_view text = list_.view(k);
      why += text.substr(1, text.size() - 2);
    }
    while (k < list_.size() && !list_.is(k, "(") && !list_.is(k, ";")) ++k;
    if (list_.is(k, "(") && list_.is_identifier(k - 1)) {
      reasons_.emplace(std::string(list_.view(k - 1)), why);
    }
  }

  /// Of a class or of a namespace.
  bool is_member(Index i) const {
    return list_.is(i - 1, ".") || list_.is(i - 1, "->") ||
           (list_.is(i - 1, "::") && i > 1 && list_.is_identifier(i - 2));
  }

  const Context& context_;
  const TokenList& list_;
  std::map<std::string, std::string, std::less<>> reasons_;  ///< by name
};

}  // namespace

void find_unsupported(const Context& context) { Unsupported(context).run(); }

std::vector<std::string> find_refused_calls(const Context& context) {
  return RefusedCalls(context).run();
}

bool is_compiled_if_used(const TokenList& list, const Function& function) {
  // The file that the preprocessor was given is the first one that it names.
  const auto main = std::find_if(list.origins.begin(), list.origins.end(),
                                 [](const Origin& origin) { return !origin.name.empty(); });
  const bool in_header = main != list.origins.end() &&
                         list.origins[list[function.body_open].origin].name != main->name;
  const bool is_inline = (function.specifiers.is_inline || function.scope.in_class) &&
                         !function.specifiers.is_constexpr;
  return in_header && (function.is_template || function.scope.in_template || is_inline);
}

}  // namespace simt::rewrite
