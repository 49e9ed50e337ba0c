#include "split/function_form.hpp"

#include <string>
#include <utility>
#include <vector>

#include "split/checks.hpp"
#include "split/phase_text.hpp"
#include "split/words.hpp"

namespace simt::rewrite::split {
namespace {

/// The part of a function's declaration that is its result's type.
std::pair<Index, Index> result_type(const TokenList& list, const Function& function) {
  Index first = function.declaration, last = function.name_token;
  const auto is_specifier = [&](Index i) {
    return any_of(list.view(i), {"static", "inline", "__inline__", "__inline", "constexpr",
                                 "__device__", "__host__", "__forceinline__", "__noinline__"});
  };
  for (bool more = true; more;) {
    more = false;
    if (list.is(first, "[") && list.is(first + 1, "[")) {
      first = list.match[first] + 1;
      more = true;
    }
    if (is_specifier(first)) ++first, more = true;
    if (last > first && is_specifier(last - 1)) --last, more = true;
  }
  for (Index i = first; i < last; ++i) {
    require(!is_specifier(i) && !any_of(list.view(i), {"auto", "decltype", "(", "["}), i,
            "a result of a form that is not known");
  }
  require(first < last, function.name_token, "a result of a form that is not known");
  return {first, last};
}

/// Does the type name a parameter of the template? Its name ends the parameter, or stands before
/// what it is by default.
bool is_dependent(const TokenList& list, const Function& function, Index first, Index last) {
  for (Index k = function.first; k < function.declaration; ++k) {
    if (!list.is_identifier(k) || !any_of(list.view(k + 1), {",", ">", "="})) continue;
    for (Index i = first; i < last; ++i) {
      if (list.is(i, list.view(k))) return true;
    }
  }
  return false;
}

/// The words of a parameter's type that are not const, but for those of template arguments.
void type_of_copy(const TokenList& list, const Declarator& d, Pieces& out) {
  for (Index i = d.type_first; i < d.type_last; ++i) {
    if (list.is(i, "const")) continue;
    const Index end = list.is(i, "<") ? skip_template_arguments(list, i) : kNone;
    add(out, i, end == kNone ? i + 1 : end);
    if (end != kNone) i = end - 1;
  }
}

/// For each parameter NAME an array `simt_given_NAME` of the threads' arguments, or of their
/// addresses where it is a reference. Its type decides between overloads, and a template's
/// parameter is deduced from it.
void function_parameters(const TokenList& list, const KernelContext& context,
                         const Function& function, bool overloaded, Pieces& out) {
  std::size_t number = 0;
  for (const auto& [first, last] : parameter_ranges(list, function.params_open)) {
    const bool reference = context.references[number++];
    const std::vector<Declarator> declared = parse_parameter(list, first, last);
    require(
        declared.size() == 1 && !declared[0].has_init() && (!declared[0].is_array() || reference),
        first, "a parameter of a form that is not known");
    const Declarator& d = declared[0];
    bool pointer = false, moved = false;
    for (Index i = d.type_first; i < d.name; ++i) {
      pointer = pointer || list.is(i, "*");
      moved = moved || list.is(i, "&&");
    }
    require(!moved && !(reference && pointer), first, "a parameter that is a reference");
    const std::string name = "simt_given_" + std::string(list.view(d.name));
    const bool dependent = is_dependent(list, function, d.type_first, d.dims_last);
    if (!dependent && !overloaded) {
      add(out, ", [[maybe_unused]] const auto& " + name);
      continue;
    }
    if (!dependent && !reference) {
      add(out, ", [[maybe_unused]] const ::simt::ElementsOf<");
      Index end = d.name;
      while (any_of(list.view(end - 1), {"const", "__restrict__", "__restrict"})) --end;
      if (pointer) {
        add(out, d.type_first, end);
      } else {
        type_of_copy(list, d, out);
      }
      add(out, "> auto& " + name);
      continue;
    }
    add(out, ", ");
    if (reference) {
      add(out, d.type_first, d.type_last);
      add(out, d.is_array() ? " (* const* const " + name + ")" : "* const* const " + name);
      add(out, d.dims_first, d.dims_last);
      continue;
    }
    if (pointer) {
      add(out, d.type_first, d.name);
    } else {
      type_of_copy(list, d, out);
    }
    add(out, "* const " + name);
  }
}

}  // namespace

std::vector<bool> reference_parameters(const TokenList& list, const Function& function) {
  std::vector<bool> result;
  for (const auto& [first, last] : parameter_ranges(list, function.params_open)) {
    bool constant = false, pointer = false, reference = false;
    for (Index i = first; i < last; ++i) {
      if (list.is(i, "<")) {
        const Index end = skip_template_arguments(list, i);
        if (end != kNone) i = end - 1;
      }
      constant = constant || list.is(i, "const");
      pointer = pointer || list.is(i, "*");
      reference = reference || any_of(list.view(i), {"&", "&&"});
    }
    // What is behind a reference to const could change while the function runs, unless all that it
    // does is to return something: then a copy does.
    const bool copied = constant && !pointer && list.is(function.body_open + 1, "return");
    result.push_back(reference && !copied);
  }
  return result;
}

std::vector<bool> shared_argument_parameters(const TokenList& list, const Function& function) {
  std::vector<bool> result = reference_parameters(list, function);
  std::size_t number = 0;
  for (const auto& [first, last] : parameter_ranges(list, function.params_open)) {
    result[number] = !result[number] && !is_dependent(list, function, first, last);
    ++number;
  }
  return result;
}

Pieces form_head(const TokenList& list, const KernelContext& context, const Function& function,
                 bool overloaded) {
  Pieces out;
  add(out, " ");
  for (Index i = function.first; i < function.body_open; ++i) {
    require(!list.is(i, "requires"), i, "a constraint");
  }
  require(!context.may_block(function.first, function.declaration) &&
              !context.collectives->names_any(list, function.first, function.declaration),
          function.first, "something that may wait for other threads");
  add(out, function.first, function.declaration);
  const auto [first, last] = result_type(list, function);
  add(out, " [[maybe_unused]] static void simt_all_" + function.name +
               "(const ::simt::BlockRun& simt_caller, [[maybe_unused]] const bool* const"
               " simt_inside, [[maybe_unused]] ::simt::Result<");
  const bool dependent = is_dependent(list, function, first, last);
  if (dependent) {
    // Deduced as the parameters are, or not at all.
    add(out, "::std::type_identity_t<");
  }
  add(out, first, last);
  add(out, dependent ? ">>* const simt_results" : ">* const simt_results");
  function_parameters(list, context, function, overloaded, out);
  add(out, ") { using simt_returned [[maybe_unused]] = ");
  add(out, first, last);
  add(out, ";");
  return out;
}

}  // namespace simt::rewrite::split
