#include "split/storage.hpp"

#include <algorithm>
#include <utility>

#include "split/phase_text.hpp"

namespace simt::rewrite::split {

void declare_type(const TokenList& list, const Variable& variable, Pieces& out) {
  const Declarator& d = variable.declarator;
  const std::string name(variable.name);
  if (variable.is_reference) {
    const bool deduced = variable.has_type(list, "auto");
    const bool constant = variable.has_type(list, "const");
    add(out, " using simt_type_" + name + " = ::std::add_pointer_t<" +
                 (deduced && constant ? "const " : "") +
                 (deduced ? "::std::remove_reference_t<decltype((" : ""));
    if (deduced) {
      add(out, d.init_first + 1, d.init_last);
      add(out, "))>");
    } else {
      add(out, d.type_first, d.type_last);
      add(out, d.dims_first, d.dims_last);
    }
  } else if (variable.has_type(list, "auto")) {
    add(out, " using simt_type_" + name + " = ::std::decay_t<decltype(");
    add(out, d.init_first + 1, d.init_last);
    add(out, ")");
  } else {
    // A parameter declared as an array is a pointer.
    add(out, " using simt_type_" + name +
                 (variable.is_parameter ? " = ::simt::unrestricted_t<::std::decay_t<"
                                        : " = ::simt::unrestricted_t<::std::remove_cv_t<"));
    add(out, d.type_first, d.type_last);
    add(out, d.pointer_first, d.name);
    add(out, d.dims_first, d.dims_last);
    add(out, ">");
  }
  add(out,
      ">; static_assert(::std::is_trivially_destructible_v<simt_type_" + name + ">" + kConfirmed);
}

void declare_storage(const TokenList& list, const Variables& variables, const Variable& variable,
                     Pieces& out) {
  declare_type(list, variable, out);
  const std::string name(variable.name);
  add(out, " simt_type_" + name + "* const simt_all_" + name +
               " = simt_block.per_thread<simt_type_" + name + ">(" +
               std::to_string(&variable - variables.all().data()) + ");");
}

void declare_lent(const TokenList& list, const Variables& variables, const Variable& variable,
                  Pieces& out) {
  declare_type(list, variable, out);
  const std::string name(variable.name), type = "simt_type_" + name, given = "simt_given_" + name;
  const std::string slot = std::to_string(&variable - variables.all().data());
  add(out, " [[maybe_unused]] const auto simt_all_" + name +
               " = [&]() __attribute__((always_inline)) {"
               " if constexpr (::simt::ElementsOf<decltype(" +
               given + "), " + type +
               ">) {"
               " return " +
               given + "; } else if constexpr (requires { " + given +
               ".value; }) {"
               " return ::simt::SameForAll<" +
               type + ">{static_cast<" + type + ">(" + given + ".value)}; } else { " + type +
               "* const simt_all = simt_block.per_thread<" + type + ">(" + slot +
               ");"
               " for (::std::ptrdiff_t simt_i = 0; simt_i < simt_nx * simt_ny * simt_nz; ++simt_i)"
               " if (simt_inside[simt_i]) simt_all[simt_i] = static_cast<" +
               type + ">(" + given + "[simt_i]); return static_cast<const " + type +
               "*>(simt_all); } }();");
}

void confirm_given(const Variable& variable, Pieces& out) {
  const std::string name(variable.name), type = "simt_type_" + name, given = "simt_given_" + name;
  add(out, " static_assert(::simt::ElementsOf<decltype(" + given + "), " + type +
               "> || (::simt::kIsSplitValue<" + type +
               "> && ::simt::kIsSplitValue<::std::decay_t<decltype(" + given + "[0])>>)" +
               kConfirmed);
}

Pieces with_names(const Variables& variables, Pieces pieces) {
  const auto& all = variables.all();
  if (std::none_of(all.begin(), all.end(), [](const Variable& v) { return v.is_renamed(); })) {
    return pieces;
  }
  Pieces result;
  for (Piece& piece : pieces) {
    if (piece.first == kNone) {
      result.push_back(std::move(piece));
      continue;
    }
    Index first = piece.first;
    for (Index i = first; i < piece.last; ++i) {
      const Variable* variable = variables.find(i);
      if (variable == nullptr || !variable->is_renamed()) continue;
      add(result, first, i + 1);
      add(result, std::string(variable->name.substr(variable->spelled.size())));
      first = i + 1;
    }
    add(result, first, piece.last);
  }
  return result;
}

}  // namespace simt::rewrite::split
