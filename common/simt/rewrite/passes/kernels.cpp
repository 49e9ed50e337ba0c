#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/passes.hpp"
#include "split/function_form.hpp"
#include "split/split.hpp"

namespace simt::rewrite {
namespace {

std::string string_literal(std::string_view text) {
  std::string result = "\"";
  bool space = false;
  for (const char c : text) {
    if (c == '\n' || c == ' ' || c == '\t') {
      space = true;
      continue;
    }
    if (space) result += ' ';
    space = false;
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

class Kernels {
 public:
  explicit Kernels(const Context& context) : context_(context), list_(context.list) {}

  std::vector<KernelReport> run() {
    if (context_.options.split_barriers) {
      declarations_.emplace(context_.source);
      if (context_.options.collectives) find_collectives();
    }
    for (const Function& function : context_.source.functions) {
      if (!function.specifiers.global || !function.has_body()) continue;
      const Token& name = list_[function.name_token];
      KernelReport report;
      report.name = function.name;
      report.file = list_.origins[name.origin].name;
      report.first_line = list_[function.first].line;
      report.last_line = list_[function.body_close].line;
      report.waits = is_blocking(function);
      kernel(function, report);
      reports_.push_back(std::move(report));
    }
    const bool meets = std::any_of(reports_.begin(), reports_.end(),
                                   [](const KernelReport& kernel) { return kernel.meets; });
    for (auto& [close, pieces] : forms_) {
      if (meets) context_.edits.insert_after(close, std::move(pieces));
    }
    return std::move(reports_);
  }

 private:
  /// The functions that can be run once for a block, by name: all of a name, or none of it.
  void find_collectives() {
    std::map<std::string, std::vector<const Function*>, std::less<>> candidates;
    const NameSet blocking = context_.analysis.blocking_names();
    for (const Function& function : context_.source.functions) {
      if (!blocking.contains(function.name) || list_.is_system(function.name_token)) continue;
      candidates[function.name].push_back(&function);
    }
    std::erase_if(candidates, [&](const auto& candidate) {
      return !std::all_of(candidate.second.begin(), candidate.second.end(), [&](auto* function) {
        const bool special = list_.is(function->first, "template") &&
                             list_.is(function->first + 1, "<") &&
                             list_.is(function->first + 2, ">");
        return function->has_body() && function->device_only() && !function->specifiers.global &&
               !function->scope.in_class && !function->is_qualified &&
               !function->is_instantiation && !special && !function->name.starts_with("operator");
      });
    });
    collectives_.warp = split::collective_intrinsics();
    collectives_.references = split::fragment_intrinsics();
    for (const auto& [name, parameters] : split::fragment_intrinsics()) {
      // A function of the source's own may have the name.
      if (candidates.contains(name)) {
        collectives_.warp.erase(name);
        candidates.erase(name);
      } else {
        collectives_.whole_warp.insert(name);
      }
    }
    collectives_.analysis = &context_.analysis;
    // Overloads are called alike.
    std::erase_if(candidates, [&](const auto& candidate) {
      const auto references = split::reference_parameters(list_, *candidate.second.front());
      collectives_.references[candidate.first] = references;
      return std::any_of(candidate.second.begin(), candidate.second.end(), [&](auto* function) {
        return split::reference_parameters(list_, *function) != references;
      });
    });
    for (const auto& [name, functions] : candidates) {
      collectives_.warp.insert(name);
      std::vector<bool> shared = split::shared_argument_parameters(list_, *functions.front());
      for (const Function* function : functions) {
        const std::vector<bool> own = split::shared_argument_parameters(list_, *function);
        shared.resize(std::min(shared.size(), own.size()));
        for (std::size_t i = 0; i < shared.size(); ++i) shared[i] = shared[i] && own[i];
      }
      collectives_.shared_arguments[name] = std::move(shared);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [name, functions] : candidates) {
        for (const Function* function : functions) {
          const bool whole =
              collectives_.names_whole_warp(list_, function->body_open, function->body_close);
          changed = (whole && collectives_.whole_warp.insert(name).second) || changed;
        }
        if (collectives_.block.contains(name) || !any_has_barrier(functions)) continue;
        collectives_.warp.erase(name);
        collectives_.block.insert(name);
        changed = true;
      }
    }
    // A function that calls one without the other form has no other form itself.
    for (bool changed = true; changed;) {
      changed = false;
      forms_.clear();
      const auto uniform = collectives_.uniform;
      for (auto candidate = candidates.begin(); candidate != candidates.end() && !changed;) {
        if (add_forms(candidate->second)) {
          ++candidate;
          continue;
        }
        collectives_.warp.erase(candidate->first);
        collectives_.block.erase(candidate->first);
        candidates.erase(candidate);
        changed = true;
      }
      // What a function's parameters have to be, its callers have to see to.
      changed = changed || collectives_.uniform != uniform;
    }
  }

  /// Which function that it calls has no other form, and why.
  std::string obstacle_of_callee(const Function& function) const {
    for (Index i = function.body_open; i < function.body_close; ++i) {
      const auto found = obstacles_.find(list_.view(i));
      if (!list_.is_identifier(i) || found == obstacles_.end()) continue;
      return "; its threads meet in " + found->first + ", which has " + found->second;
    }
    return "";
  }

  bool any_has_barrier(const std::vector<const Function*>& functions) const {
    return std::any_of(functions.begin(), functions.end(), [&](const Function* function) {
      for (Index i = function->body_open; i < function->body_close; ++i) {
        if (list_.is(i, "__syncthreads")) return true;
        if (list_.is_identifier(i) && collectives_.block.contains(list_.view(i))) return true;
      }
      return false;
    });
  }

  bool add_forms(const std::vector<const Function*>& functions) {
    for (const Function* function : functions) {
      split::KernelContext form = kernel_context(*function);
      form.is_function = true;
      form.references = split::reference_parameters(list_, *function);
      std::set<std::size_t> uniform;
      form.uniform_parameters = &uniform;
      auto result = split::split_function(list_, form, *function, functions.size() > 1);
      auto* pieces = std::get_if<Pieces>(&result);
      if (pieces == nullptr) {
        const auto& [at, what] = std::get<split::Obstacle>(result);
        obstacles_[function->name] =
            what + " (" + list_.place(at) + ")" + obstacle_of_callee(*function);
        return false;
      }
      forms_.emplace_back(function->body_close, std::move(*pieces));
      if (!uniform.empty()) collectives_.uniform[function->name].merge(uniform);
    }
    return true;
  }

  void kernel(const Function& function, KernelReport& report) {
    const Index open = function.body_open;
    const Index close = function.body_close;
    if (std::optional<Pieces> phases = split(function, report)) {
      Pieces pieces = head(function);
      pieces.push_back(new_text("simt_launch.run_blocks("));
      for (Piece& piece : *phases) pieces.push_back(std::move(piece));
      pieces.push_back(new_text("); }"));
      context_.edits.replace(open, close + 1, std::move(pieces));
      name_function(function);
      report.split = true;
      report.meets = collectives_.analysis != nullptr && collectives_.names_any(list_, open, close);
      return;
    }
    const std::string run = "simt_launch." + runner(function) + "([=](";
    const bool debug = body_takes_parameters(function);
    Pieces pieces = head(function);
    if (debug) {
      for (Piece& piece : head_of_body(function)) pieces.push_back(std::move(piece));
    } else {
      pieces.push_back(new_text(run + parameters(function) + ") mutable "));
    }
    context_.edits.insert_before(open, std::move(pieces));
    context_.edits.insert_before(open + 1, prologue(function));
    if (context_.options.debug) context_.edits.insert_after(open, " ::simt_thread_begins();");
    context_.edits.insert_after(close,
                                debug ? "; " + run + call_of_body(function) + "); }" : "); }");
    name_function(function);
  }

  /// The kernel's phases, unless something stands in the way.
  std::optional<Pieces> split(const Function& function, KernelReport& report) const {
    if (!declarations_) return std::nullopt;
    if (context_.options.whole.contains(reports_.size())) {
      report.obstacle = "a type or a constant that the compiler does not confirm, or an error";
      return std::nullopt;
    }
    if (uses_global_builtins(function)) {
      report.obstacle = "a class or lambda of its own that asks which thread runs it";
      return std::nullopt;
    }
    auto result = split::split_kernel(list_, kernel_context(function));
    if (auto* phases = std::get_if<Pieces>(&result)) return std::move(*phases);
    const auto& [at, what] = std::get<split::Obstacle>(result);
    report.obstacle = what + " (" + list_.place(at) + ")";
    report.obstacle += obstacle_of_callee(function);
    return std::nullopt;
  }

  Pieces prologue(const Function& function) const {
    const auto found = context_.prologues.find(function.body_open);
    return found == context_.prologues.end() ? Pieces() : found->second;
  }

  /// What the split at barriers needs to know.
  split::KernelContext kernel_context(const Function& function) const {
    const Analysis& analysis = context_.analysis;
    const NameSet meets = collectives_.all();
    const Facts own = analysis.direct(function.body_open, function.body_close, meets);
    const Facts others = analysis.reached(function.body_open, function.body_close, meets);
    split::KernelContext result;
    result.first = function.first;
    result.declaration = function.declaration;
    result.params_open = function.params_open;
    result.params_close = function.params_close;
    result.body_open = function.body_open;
    result.prologue = prologue(function);
    result.needs_thread_state = own.state || others.state || others.builtins;
    result.clang = context_.options.clang;
    result.asks_thread = [&analysis, meets](Index first, Index last) {
      const Facts facts = analysis.reached(first, last, meets);
      return facts.builtins || facts.state;
    };
    // What a class or lambda of the kernel's own does, another phase may ask for by another name;
    // for what runs unnamed, as constructors do, there need be no token at all.
    const Index none = function.body_open;
    const bool everywhere =
        analysis.own_code_asks(none, function.body_close, meets) || result.asks_thread(none, none);
    result.needs_state_in = [&analysis, meets, everywhere, asks = result.asks_thread](Index first,
                                                                                      Index last) {
      return everywhere || asks(first, last) || analysis.direct(first, last, meets).state;
    };
    result.may_block = [&analysis, meets](Index first, Index last) {
      return analysis.direct(first, last, meets).blocks ||
             analysis.reached(first, last, meets).blocks;
    };
    if (!meets.empty()) result.collectives = &collectives_;
    result.declarations = &*declarations_;
    return result;
  }

  struct Parameter {
    Index begin, end;
  };

  /// Parts between commas, but for those of template arguments.
  std::vector<Parameter> parameters_of(const Function& function) const {
    std::vector<Parameter> parameters;
    Index begin = function.params_open + 1;
    for (Index i = begin; i < function.params_close;) {
      if (list_.is(i, ",")) {
        parameters.push_back({begin, i});
        begin = ++i;
      } else {
        i = next_in_parameter(i);
      }
    }
    if (begin < function.params_close) parameters.push_back({begin, function.params_close});
    return parameters;
  }

  /// The token behind this one, or behind the brackets that it opens.
  Index next_in_parameter(Index i) const {
    if (list_.match[i] != kNone && list_.match[i] > i) return list_.match[i] + 1;
    if (list_.is(i, "<") && list_.is_identifier(i - 1)) {
      const Index behind = skip_template_arguments(list_, i);
      if (behind != kNone) return behind;
    }
    return i + 1;
  }

  /// What the stub does before it runs the body.
  Pieces head(const Function& function) const {
    const Token& name = list_[function.name_token];
    Pieces pieces = {new_text("{ static ::simt::KernelInfo simt_kernel{\"" + function.name +
                              "\", " + list_.origins[name.origin].quoted_name + ", " +
                              std::to_string(name.line) + ", ")};
    const Index bounds = attribute_of(function, "__launch_bounds__");
    if (bounds == kNone) {
      pieces.push_back(new_text("0"));
    } else {
      const Index close = list_.match[bounds];
      pieces.push_back(new_text("static_cast<int>("));
      pieces.push_back(source(bounds + 1, find_top_level(list_, bounds + 1, close, {","})));
      pieces.push_back(new_text(")"));
    }
    if (const Index cluster = attribute_of(function, "__cluster_dims__"); cluster != kNone) {
      pieces.push_back(new_text(", ::simt::cluster_dims("));
      pieces.push_back(source(cluster + 1, list_.match[cluster]));
      pieces.push_back(new_text(")"));
    }
    pieces.push_back(
        new_text("}; struct simt_owner { static ::simt::KernelInfo& kernel() { return simt_kernel; "
                 "} }; ::simt::Launch simt_launch(simt_kernel); "
                 "if (!simt_launch.ready()) return; "));
    if (context_.options.watched) {
      for (const std::string& parameter : parameter_names(function)) {
        pieces.push_back(
            new_text("::simt::name_argument(\"" + parameter + "\", " + parameter + "); "));
      }
    }
    return pieces;
  }

  /// The names of the parameters that have one.
  std::vector<std::string> parameter_names(const Function& function) const {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters_of(function)) {
      const Index name = name_in(parameter);
      if (name != kNone) names.emplace_back(list_.view(name));
    }
    return names;
  }

  /// The last word in front of a comma, a bracket, an initialiser or the end, if it is no part of
  /// the type; else kNone.
  Index name_in(const Parameter& parameter) const {
    Index begin = parameter.begin;
    while (list_.is(begin, "[") && list_.is(begin + 1, "[")) begin = list_.match[begin] + 1;
    Index behind = find_top_level(list_, begin, parameter.end, {"=", "[", "__attribute__"});
    if (behind == begin) behind = parameter.end;  // the attribute of GNU's that comes first
    while (behind > parameter.begin && list_.is(behind - 1, ")")) --behind;  // (*name)[4]
    if (behind == parameter.begin || !list_.is_identifier(behind - 1)) return kNone;
    const Index name = behind - 1;
    if (is_word_of_type(name) || is_in_template(parameter, name)) return kNone;
    // A type stands before it; a parameter pack has no one value.
    bool has_type = false;
    for (Index i = parameter.begin; i < name; ++i) {
      has_type = has_type || !is_any_of(i, {"const", "volatile", "struct", "class", "typename"});
    }
    return has_type && !is_any_of(name - 1, {"::", "..."}) ? name : kNone;
  }

  bool is_any_of(Index i, std::initializer_list<std::string_view> words) const {
    return std::find(words.begin(), words.end(), list_.view(i)) != words.end();
  }

  /// `unsigned int`: the last word of a parameter without a name.
  bool is_word_of_type(Index i) const {
    return is_any_of(i, {"const", "volatile", "bool", "char", "short", "int", "long", "signed",
                         "unsigned", "float", "double", "auto", "__restrict__", "__restrict"});
  }

  /// Is the token part of a type's template arguments? Then the parameter has no name.
  bool is_in_template(const Parameter& parameter, Index token) const {
    Index i = parameter.begin;
    while (i < token) i = next_in_parameter(i);
    return i != token;
  }

  /// How a call names a parameter: its name, with dots behind a pack's; empty where it has none.
  std::string argument_for(const Parameter& parameter) const {
    const Index name = name_in(parameter);
    if (name != kNone) return std::string(list_.view(name));
    const Index last = parameter.end - 1;
    const bool pack =
        last > parameter.begin && list_.is_identifier(last) && list_.is(last - 1, "...");
    return pack ? std::string(list_.view(last)) + "..." : "";
  }

  /// For a debugger, the body takes the kernel's parameters as its own: what a lambda captures, g++
  /// takes for part of the line on which the lambda begins. Not so where a name is not found, as in
  /// `float (*f)(float)`.
  bool body_takes_parameters(const Function& function) const {
    const std::vector<Parameter> parameters = parameters_of(function);
    return context_.options.debug &&
           std::none_of(parameters.begin(), parameters.end(), [&](const Parameter& parameter) {
             return argument_for(parameter).empty() &&
                    find_top_level(list_, parameter.begin, parameter.end, {"("}) != parameter.end;
           });
  }

  /// The body as a lambda of its own.
  Pieces head_of_body(const Function& function) const {
    Pieces pieces = {new_text("auto simt_body = [](" + parameters(function))};
    for (const Parameter& parameter : parameters_of(function)) {
      if (argument_for(parameter).empty()) continue;
      pieces.push_back(new_text(", "));
      pieces.push_back(source(parameter.begin, parameter.end));
    }
    pieces.push_back(new_text(") "));
    return pieces;
  }

  /// What is run for each thread: a call of it.
  std::string call_of_body(const Function& function) const {
    std::string text =
        "const ::uint3 simt_thread, const ::uint3 simt_block, const ::dim3 simt_dim, "
        "const ::dim3 simt_grid) { simt_body(simt_thread, simt_block, simt_dim, simt_grid";
    for (const Parameter& parameter : parameters_of(function)) {
      const std::string argument = argument_for(parameter);
      if (!argument.empty()) text += ", " + argument;
    }
    return text + "); }";
  }

  /// The `(` behind an attribute's name, or kNone.
  Index attribute_of(const Function& function, std::string_view attribute) const {
    for (Index i = function.declaration; i < function.body_open; ++i) {
      if (list_.is(i, attribute) && list_.is(i + 1, "(")) return i + 1;
    }
    return kNone;
  }

  bool is_blocking(const Function& function) const {
    const Analysis& analysis = context_.analysis;
    return analysis.direct(function.body_open, function.body_close).blocks ||
           analysis.reached(function.body_open, function.body_close).blocks;
  }

  bool uses_global_builtins(const Function& function) const {
    return context_.analysis.needs_global_builtins(function.body_open, function.body_close);
  }

  std::string runner(const Function& function) const {
    const bool fibers = context_.options.debug || is_blocking(function);
    if (context_.options.watched) return fibers ? "run_watched<true>" : "run_watched<false>";
    if (fibers) return "run_fibers";
    const Facts own = context_.analysis.direct(function.body_open, function.body_close);
    const Facts others = context_.analysis.reached(function.body_open, function.body_close);
    const bool state =
        own.state || others.state || others.builtins || uses_global_builtins(function);
    return state ? "run_loop" : "run_loop<false>";
  }

  static std::string grid_parameters(bool named) {
    const std::string attribute = "[[maybe_unused]] const ";
    return attribute + (named ? "::uint3 blockIdx, " : "::uint3, ") + attribute +
           (named ? "::dim3 blockDim, " : "::dim3, ") + attribute +
           (named ? "::dim3 gridDim" : "::dim3");
  }

  std::string parameters(const Function& function) const {
    const bool named = !uses_global_builtins(function);
    return std::string("[[maybe_unused]] const ") + (named ? "::uint3 threadIdx, " : "::uint3, ") +
           grid_parameters(named);
  }

  /// Inside the lambda `__func__` would be "operator()".
  void name_function(const Function& function) const {
    for (Index i = function.body_open; i < function.body_close; ++i) {
      if (list_.is(i, "__func__") || list_.is(i, "__FUNCTION__")) {
        context_.edits.replace(i, string_literal(function.name));
      } else if (list_.is(i, "__PRETTY_FUNCTION__")) {
        context_.edits.replace(
            i, string_literal("void " + std::string(list_.view(function.name_token,
                                                               function.params_close + 1))));
      }
    }
  }

  const Context& context_;
  const TokenList& list_;
  std::optional<split::Declarations> declarations_;  ///< where kernels may be split
  split::CollectiveNames collectives_;
  std::map<std::string, std::string, std::less<>> obstacles_;  ///< why functions have no other form
  std::vector<std::pair<Index, Pieces>> forms_;  ///< of those that are functions, by where they end
  std::vector<KernelReport> reports_;
};

}  // namespace

std::vector<KernelReport> rewrite_kernels(const Context& context) { return Kernels(context).run(); }

}  // namespace simt::rewrite
