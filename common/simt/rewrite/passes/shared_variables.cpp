#include <algorithm>
#include <string>

#include "frontend/declarators.hpp"
#include "passes/passes.hpp"
#include "passes/shared_names.hpp"

namespace simt::rewrite {
namespace {

bool has_word(const TokenList& list, const Declaration& declaration, std::string_view word) {
  for (Index i = declaration.first; i < declaration.last; ++i) {
    if (list.is(i, word)) return true;
  }
  return false;
}

void append(Pieces& to, Pieces from) {
  for (Piece& piece : from) to.push_back(std::move(piece));
}

/// In a kernel, the type that its head declares for `simt::shared`.
constexpr const char* kOwner = ", simt_owner";

class SharedVariables {
 public:
  explicit SharedVariables(const Context& context)
      : context_(context), list_(context.list), names_(context.list, context.edits) {}

  void run() {
    for (const Variable& variable : context_.source.variables) {
      if (variable.specifiers.shared && !variable.scope.in_class) at_namespace_scope(variable);
    }
    for (Index i = 0; i < list_.size(); ++i) {
      if (!list_.is(i, "__shared__")) continue;
      if (enclosing_function(context_.source, i) == nullptr && !in_lambda_of_variable(i)) continue;
      i = in_function(i);
    }
    names_.apply();
  }

 private:
  /// A lambda that initialises a variable has no function around it.
  bool in_lambda_of_variable(Index i) const {
    return std::none_of(
        context_.source.variables.begin(), context_.source.variables.end(),
        [&](const Variable& variable) { return variable.first <= i && i < variable.semicolon; });
  }

  /// Replaces the declaration around the `__shared__` at i; returns its semicolon.
  Index in_function(Index i) {
    const Index first = statement_begin(list_, i);
    const Index semicolon = find_top_level(list_, i, list_.size(), {";"});
    if (semicolon == list_.size()) return i;
    const Declaration declaration = split_declaration(list_, first, semicolon);
    check(declaration);
    if (declaration.declarators.empty()) return semicolon;
    const bool is_extern = has_word(list_, declaration, "extern");
    for (const Declarator& declarator : declaration.declarators) {
      names_.add(list_.view(declarator.name), stand_in(is_extern, declarator), semicolon);
    }
    Pieces pieces;
    if (is_extern) {
      for (const Declarator& declarator : declaration.declarators) {
        append(pieces, dynamic_pointer(declaration, declarator));
      }
    } else {
      pieces = static_references(declaration, owner(i, semicolon, declaration));
    }
    context_.edits.replace(first, semicolon + 1, std::move(pieces));
    return semicolon;
  }

  SharedAs stand_in(bool is_extern, const Declarator& declarator) const {
    return is_extern && list_.is(declarator.name + 1, "[") ? SharedAs::pointer
                                                           : SharedAs::reference;
  }

  void check(const Declaration& declaration) const {
    for (const Declarator& declarator : declaration.declarators) {
      if (declarator.initializer != kNone && !list_.is(declarator.initializer, "(")) {
        context_.error(declarator.name,
                       "an initializer is not allowed for the __shared__ variable '" +
                           std::string(list_.view(declarator.name)) + "'");
      }
    }
  }

  /// What a kernel declares in its own body, and uses there, it needs whenever it runs.
  std::string owner(Index shared, Index semicolon, const Declaration& declaration) const {
    const Function* function = enclosing_function(context_.source, shared);
    if (function == nullptr || !function->specifiers.global) return {};
    for (const Declarator& declarator : declaration.declarators) {
      const std::string_view name = list_.view(declarator.name);
      for (Index i = semicolon; i < function->body_close; ++i) {
        if (list_.is(i, name)) return kOwner;
      }
    }
    return {};
  }

  std::string next_name() { return std::to_string(count_++); }

  /// The type of the variables. One that is defined in place is defined ahead of them, in `pieces`,
  /// where its name and its enumerators are seen as far as the variables.
  Pieces type_of(const Declaration& declaration, Pieces& pieces) {
    const Index key = find_top_level(list_, declaration.first, declaration.last,
                                     {"struct", "class", "union", "enum"});
    const Index body = find_top_level(list_, key, declaration.last, {"{"});
    if (body >= declaration.last) return type_pieces(list_, declaration, true);
    const Index close = list_.match[body] + 1;
    const Index head = find_top_level(list_, key, body, {":"});  // of its bases
    const bool scoped = list_.is(key + 1, "class") || list_.is(key + 1, "struct");
    const Index word = key + (scoped ? 2 : 1);
    const bool named = list_.is_identifier(head - 1) && head - 1 >= word;
    const std::string name = named ? std::string(list_.view(head - 1)) : "simt_type_" + next_name();
    pieces.push_back(source(key, head));
    if (!named) pieces.push_back(new_text(" " + name + " "));
    pieces.push_back(source(head, close));
    pieces.push_back(new_text("; "));
    Pieces type = type_pieces(list_, {declaration.first, key, {}}, true);
    type.push_back(new_text(" " + name + " "));
    append(type, type_pieces(list_, {close, declaration.last, {}}, true));
    return type;
  }

  /// One struct for each declarator, so that each array has its own bounds.
  Pieces static_references(const Declaration& declaration, const std::string& owner) {
    Pieces pieces;
    const Pieces type = type_of(declaration, pieces);
    for (const Declarator& declarator : declaration.declarators) {
      const std::string number = next_name();
      append(pieces, struct_of(type, declarator, number));
      const std::string name(list_.view(declarator.name));
      pieces.push_back(new_text("[[maybe_unused]] auto& " + name +
                                " = ::simt::shared<simt_shared_" + number + owner + ">()." + name +
                                "; "));
    }
    return pieces;
  }

  Pieces struct_of(const Pieces& type, const Declarator& member, const std::string& number) {
    Pieces pieces = {new_text("struct simt_shared_" + number + " { ")};
    append(pieces, type);
    pieces.push_back(source(member.first, member.last));
    std::string end = "; ";
    if (context_.options.watched) {
      const std::string name(list_.view(member.name));
      end += "static void simt_name(const simt_shared_" + number +
             "& simt_s) { ::simt::name_shared(\"" + name + "\", simt_s." + name + "); } ";
    }
    pieces.push_back(new_text(end + "}; static_assert(sizeof(simt_shared_" + number +
                              ") <= 49152, \"a block has 48 KiB of static shared memory; more is "
                              "dynamic: extern __shared__\"); "));
    return pieces;
  }

  /// `extern __shared__ T s[];` names the start of the dynamic shared memory.
  Pieces dynamic_pointer(const Declaration& declaration, const Declarator& declarator) {
    const std::string name(list_.view(declarator.name));
    const Index bounds = declarator.name + 1;
    const bool array = list_.is(bounds, "[");
    Pieces pieces = {new_text(array ? "[[maybe_unused]] auto* " + name + " = reinterpret_cast<"
                                    : "[[maybe_unused]] auto& " + name + " = *reinterpret_cast<")};
    append(pieces, type_pieces(list_, declaration, false));
    if (declarator.first < declarator.name) {
      pieces.push_back(source(declarator.first, declarator.name));
    }
    const Index rest = array ? list_.match[bounds] + 1 : bounds;
    if (rest < declarator.last) {
      pieces.push_back(new_text("(*)"));
      pieces.push_back(source(rest, declarator.last));
    } else {
      pieces.push_back(new_text("*"));
    }
    pieces.push_back(new_text(">(::simt::dynamic_shared()); "));
    return pieces;
  }

  /// The declaration goes; every function that mentions a name declares it at its head.
  void at_namespace_scope(const Variable& variable) {
    const Declaration declaration =
        split_declaration(list_, variable.declaration, variable.semicolon);
    check(declaration);
    Pieces in_place;
    Pieces type;
    if (!variable.specifiers.is_extern) type = type_of(declaration, in_place);
    for (const Declarator& declarator : declaration.declarators) {
      Pieces local, owned;  // in device functions, and in kernels
      if (variable.specifiers.is_extern) {
        local = owned = dynamic_pointer(declaration, declarator);
      } else {
        const std::string number = next_name();
        const std::string name(list_.view(declarator.name));
        append(in_place, struct_of(type, declarator, number));
        const std::string first =
            "[[maybe_unused]] auto& " + name + " = ::simt::shared<simt_shared_" + number;
        local = {new_text(first + ">()." + name + "; ")};
        owned = {new_text(first + kOwner + ">()." + name + "; ")};
      }
      for (const Function& function : context_.source.functions) {
        if (!uses(function, list_.view(declarator.name))) continue;
        names_.add(list_.view(declarator.name), stand_in(variable.specifiers.is_extern, declarator),
                   function.body_open + 1);
        if (function.specifiers.global) {
          append(context_.prologues[function.body_open], owned);
        } else {
          context_.edits.insert_before(function.body_open + 1, local);
        }
      }
    }
    context_.edits.replace(variable.first, variable.semicolon + 1, std::move(in_place));
  }

  /// Does the body mention the name, as nothing else than the variable?
  bool uses(const Function& function, std::string_view name) const {
    if (!function.has_body()) return false;
    for (Index i = function.params_open; i < function.params_close; ++i) {
      if (list_.is(i, name)) return false;
    }
    bool mentions = false;
    for (Index i = function.body_open; i < function.body_close; ++i) {
      if (list_.is(i, "__shared__")) {
        const Index end = find_top_level(list_, i, function.body_close, {";"});
        for (Index k = i; k < end; ++k) {
          if (list_.is(k, name)) return false;  // declared here again
        }
      }
      const bool member = list_.is(i - 1, ".") || list_.is(i - 1, "->") || list_.is(i - 1, "::");
      mentions = mentions || (list_.is(i, name) && !member);
    }
    return mentions;
  }

  const Context& context_;
  const TokenList& list_;
  SharedNames names_;
  int count_ = 0;
};

}  // namespace

void rewrite_shared_variables(const Context& context) { SharedVariables(context).run(); }

}  // namespace simt::rewrite
