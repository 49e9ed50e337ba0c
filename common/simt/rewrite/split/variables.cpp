#include "split/variables.hpp"

#include <algorithm>
#include <utility>

#include "frontend/analysis.hpp"
#include "split/words.hpp"

namespace simt::rewrite::split {
namespace {

bool is_one_of(NodeKind kind, std::initializer_list<NodeKind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool is_member_name(const TokenList& list, Index i) {
  return i > 0 && any_of(list.view(i - 1), {".", "->", "::"});
}

}  // namespace

bool Variable::is_modified() const {
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.kind == UseKind::write || use.kind == UseKind::bind;
  });
}

bool Variable::is_kept() const {
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.kind == UseKind::keep || use.kind == UseKind::bind;
  });
}

bool Variable::has_type(const TokenList& list, std::string_view word) const {
  for (Index i = declarator.type_first; i < declarator.type_last; ++i) {
    if (list.is(i, word)) return true;
  }
  return false;
}

BlockLevelExpression initial_value(const TokenList& list, const Declarator& d) {
  if (!d.has_init()) return {d.init_first, d.init_first};
  if (list.is(d.init_first, "=")) return {d.init_first + 1, d.init_last};
  return {d.init_first + 1, d.init_last - 1};
}

Index lambda_of(const TokenList& list, const Variable& variable) {
  const Declarator& d = variable.declarator;
  if (!d.has_init() || !list.is(d.init_first, "=")) return kNone;
  const Index open = d.init_first + 1;
  if (!list.is(open, "[") || !list.is(open + 1, "&") || !list.is(open + 2, "]")) return kNone;
  if (!begins_lambda(list, open)) return kNone;
  const Index body = lambda_body(list, open);
  if (body == kNone || list.match[body] + 1 != d.init_last) return kNone;
  for (Index i = open; i < list.match[body]; ++i) {
    if (list.is(i, "mutable") || list.is(i, "static")) return kNone;
  }
  return open;
}

Variables::Variables(const TokenList& list, const KernelContext& context, const Statement& body)
    : list_(list), context_(context) {
  add_parameters(body);
  collect(body, true);
  tell_apart();
  collect_uses(list, context, *this, body);
  find_uniform();
  for (Variable& variable : variables_) {  // in order of declaration
    const Declarator& d = variable.declarator;
    variable.pure = !variable.is_parameter && d.has_init() && !d.is_array() &&
                    !variable.is_modified() && !variable.is_reference &&
                    variable.carrier != Carrier::strided && is_initialiser(variable, false);
  }
}

const Variable* Variables::find(Index i) const {
  if (!list_.is_identifier(i) || is_member_name(list_, i)) return nullptr;
  const std::string_view name = list_.view(i);
  const Variable* innermost = nullptr;
  for (const Variable& variable : variables_) {
    const bool in_scope =
        variable.is_parameter || (variable.scope_first <= i && i < variable.scope_last);
    if (!in_scope || variable.spelled != name) continue;
    const bool inside = innermost == nullptr || innermost->is_parameter ||
                        variable.scope_first > innermost->scope_first;
    if (inside) innermost = &variable;
  }
  return innermost;
}

/// Gives a variable that hides another a name of its own: phases have both.
void Variables::tell_apart() {
  for (Variable& inner : variables_) {
    const bool hides =
        !inner.is_parameter &&
        std::any_of(variables_.begin(), variables_.end(), [&](const Variable& outer) {
          return outer.spelled == inner.spelled &&
                 (outer.is_parameter ||
                  (outer.scope_first < inner.scope_first && inner.scope_first < outer.scope_last));
        });
    if (!hides) continue;
    names_.push_back(std::string(inner.spelled) + "_simt_" + std::to_string(names_.size()));
    inner.name = names_.back();
  }
}

NameKind Variables::kind_of_name(Index i) const {
  if (find(i) != nullptr) return NameKind::variable;
  for (Index t = context_.first; t < context_.declaration; ++t) {
    if (list_.is(t, list_.view(i)) && is_type_keyword(list_.view(t - 1))) return NameKind::constant;
  }
  return NameKind::unknown;
}

bool Variables::is_local_name(std::string_view name) const {
  return std::any_of(local_names_.begin(), local_names_.end(),
                     [&](const LocalName& local) { return local.name == name; });
}

const ClassFacts* Variables::class_of(const Variable& variable) const {
  const Declarator& d = variable.declarator;
  for (Index i = d.type_first; i < d.type_last; ++i) {
    if (list_.is(i, "<")) {
      const Index end = skip_template_arguments(list_, i);
      if (end != kNone) i = end - 1;
    } else if (const ClassFacts* facts = context_.declarations->find_class(list_.view(i))) {
      return facts;
    }
  }
  return nullptr;
}

/// Are tokens [first, last) a type that copies of numbers, vectors or pointers are made with? What
/// the words alone do not tell the compiler confirms.
bool Variables::is_value_type(Index first, Index last) {
  if (first >= last) return false;
  bool keyword = true, pointer = false;
  for (Index i = first; i < last; ++i) {
    const std::string_view word = list_.view(i);
    if (any_of(word, {"&", "&&", "auto", "decltype", "typename"}))
      return word == "auto" && last == first + 1;
    pointer = pointer || word == "*";
    if (!list_.is_identifier(i) || is_type_keyword(word) || word == "const") continue;
    keyword = false;
    if (is_local_name(word) || find(i) != nullptr) return false;
    if (context_.declarations->find_class(word) != nullptr && !pointer) {
      const bool pointed_at = list_.is(i + 1, "*") && i + 1 < last;
      if (!pointed_at) return false;
    }
  }
  if (keyword || list_.is(last - 1, "*")) return true;
  value_types_.push_back({first, last});
  return true;
}

// Which variables are uniform.

void Variables::find_uniform() {
  for (Variable& variable : variables_) {
    if (variable.carrier == Carrier::strided) continue;
    const Declarator& d = variable.declarator;
    const bool given = variable.is_parameter && context_.is_function;
    const bool possible =
        !given && (variable.is_parameter || (!d.is_array() && !variable.is_reference &&
                                             (d.has_init() || variable.is_modified())));
    variable.carrier = possible ? Carrier::uniform : Carrier::per_thread;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Variable& variable : variables_) {
      if (variable.carrier == Carrier::uniform && !stays_uniform(variable)) {
        variable.carrier = Carrier::per_thread;
        changed = true;
      }
    }
  }
}

bool Variables::stays_uniform(const Variable& variable) const {
  if (!variable.is_parameter && variable.declarator.has_init() && !is_initialiser(variable, true)) {
    return false;
  }
  return std::all_of(variable.uses.begin(), variable.uses.end(), [&](const Use& use) {
    if (use.kind == UseKind::bind) return false;
    if (use.kind != UseKind::write) return true;
    return in_step_with(variable, use.token) &&
           std::any_of(block_level_.begin(), block_level_.end(), [&](const auto& range) {
             return range.first <= use.token && use.token < range.last &&
                    is_uniform_step(range.first, range.last);
           });
  });
}

/// Do all threads that have the variable come to the modification equally often?
bool Variables::in_step_with(const Variable& variable, Index modification) const {
  const Index name = variable.declarator.name;
  return std::all_of(strided_loops_.begin(), strided_loops_.end(), [&](const auto& loop) {
    const bool modified_inside = loop.first <= modification && modification < loop.last;
    return !modified_inside || (loop.first <= name && name < loop.last);
  });
}

// Expressions.

std::optional<Node> Variables::parse(Index first, Index last) const {
  return parse_expression(list_, first, last, [&](Index i) { return kind_of_name(i); });
}

bool Variables::is_initialiser(const Variable& variable, bool uniform) const {
  const Declarator& d = variable.declarator;
  if (class_of(variable) != nullptr && d.pointer_first == d.name) return false;
  const auto [first, last] = initial_value(list_, d);
  if (first == last) return list_.is(d.init_first, "{");
  const std::optional<Node> node = parse(first, last);
  return node && node->kind != NodeKind::comma && known(*node, uniform);
}

bool Variables::is_uniform(Index first, Index last) const {
  const std::optional<Node> node = parse(first, last);
  return node && known(*node, true);
}

bool Variables::is_pure(Index first, Index last) const {
  const std::optional<Node> node = parse(first, last);
  return node && known(*node, false);
}

bool Variables::is_uniform_step(Index first, Index last) const {
  if (first == last) return true;
  if (declares(first, last)) return true;
  const std::optional<Node> node = parse(first, last);
  return node && steps(*node);
}

bool Variables::steps(const Node& node) const {
  const auto is_uniform_variable = [&](const Node& target) {
    if (target.kind != NodeKind::name) return false;
    const Variable* variable = find(target.token);
    return variable != nullptr && variable->carrier == Carrier::uniform;
  };
  switch (node.kind) {
    case NodeKind::comma:
      return steps(node.children[0]) && steps(node.children[1]);
    case NodeKind::assign:
      return is_uniform_variable(node.children[0]) && known(node.children[1], true);
    case NodeKind::prefix:
      return any_of(list_.view(node.token), {"++", "--"}) && is_uniform_variable(node.children[0]);
    case NodeKind::postfix:
      return is_uniform_variable(node.children[0]);
    default:
      return known(node, true);
  }
}

bool Variables::modifies_uniform(Index first, Index last) const {
  return std::any_of(variables_.begin(), variables_.end(), [&](const Variable& variable) {
    return variable.carrier == Carrier::uniform &&
           std::any_of(variable.uses.begin(), variable.uses.end(), [&](const Use& use) {
             return use.kind == UseKind::write && first <= use.token && use.token < last;
           });
  });
}

/// Reads no memory, modifies nothing; with `uniform`, names nothing that differs between threads.
bool Variables::known(const Node& node, bool uniform) const {
  const auto children = [&](std::size_t from) {
    return all_children(node, from, [&](const Node& child) { return known(child, uniform); });
  };
  if (is_constant(node)) return true;
  switch (node.kind) {
    case NodeKind::builtin:
      return !uniform || !list_.is(node.token, "threadIdx");
    case NodeKind::name: {
      const Variable* variable = find(node.token);
      if (variable == nullptr || class_of(*variable) != nullptr) return false;
      if (variable->carrier == Carrier::uniform) return true;
      return !uniform && variable->pure && variable->declarator.init_last <= node.first;
    }
    case NodeKind::prefix:
      return any_of(list_.view(node.token), {"+", "-", "!", "~"}) && children(0);
    case NodeKind::binary:
    case NodeKind::conditional:
    case NodeKind::paren:
      return children(0);
    case NodeKind::member: {
      const Node& object = node.children[0];
      const Variable* variable = object.kind == NodeKind::name ? find(object.token) : nullptr;
      return variable != nullptr && variable->carrier == Carrier::uniform &&
             variable->is_parameter && !variable->is_modified();
    }
    case NodeKind::cast:
    case NodeKind::construct:
      return node.children.size() <= 1 && children(0);
    case NodeKind::call: {
      const Node& callee = node.children[0];
      return callee.kind == NodeKind::name && callee.token + 1 == callee.last &&
             find(callee.token) == nullptr && !is_local_name(list_.view(callee.token)) &&
             context_.declarations->is_pure(list_.view(callee.token)) && children(1);
    }
    default:
      return false;
  }
}

/// Does it mention nothing of the kernel's, so that the compiler can tell whether it is a constant?
bool Variables::is_constant(const Node& node) const {
  if (node.kind == NodeKind::literal) return true;
  if (node.kind == NodeKind::call && node.children.size() > 1) {
    // CUDA's own functions are mostly no constant expressions.
    const Node& callee = node.children[0];
    if (callee.kind == NodeKind::name && callee.first == callee.token &&
        !context_.declarations->is_function(list_.view(callee.token))) {
      return false;
    }
  }
  if (!is_one_of(node.kind, {NodeKind::name, NodeKind::call, NodeKind::construct, NodeKind::cast,
                             NodeKind::member, NodeKind::unevaluated})) {
    return false;
  }
  for (Index i = node.first; i < node.last; ++i) {
    if (!list_.is_identifier(i)) continue;
    const std::string_view word = list_.view(i);
    if (is_builtin_variable(word) || find(i) != nullptr) return false;
    if (context_.declarations->is_device_variable(word)) return false;
    if (list_.is(i + 1, "(") && !context_.declarations->may_be_constant(word)) return false;
    if (std::find(shared_names_.begin(), shared_names_.end(), word) != shared_names_.end()) {
      return false;
    }
  }
  return true;
}

std::vector<Variables::Confirmation> Variables::confirmations(Index first, Index last) const {
  std::vector<Confirmation> result;
  if (const std::optional<Node> node = parse(first, last)) confirm(*node, result);
  return result;
}

void Variables::confirm(const Node& node, std::vector<Confirmation>& result) const {
  if (node.kind == NodeKind::literal) return;
  if (is_constant(node)) {
    result.push_back({node.first, node.last, Confirmation::constant});
    return;
  }
  if (node.kind == NodeKind::name) {
    const Variable* variable = find(node.token);
    if (variable == nullptr || !variable->is_parameter) return;
  }
  if (node.kind == NodeKind::name || node.kind == NodeKind::member) {
    result.push_back({node.first, node.last, Confirmation::number});
    return;
  }
  if (is_one_of(node.kind, {NodeKind::cast, NodeKind::construct}) &&
      !is_keyword_type(list_, node.type_first, node.type_last)) {
    result.push_back({node.type_first, node.type_last, Confirmation::number_type});
  }
  const bool call = node.kind == NodeKind::call;
  for (std::size_t i = call ? 1 : 0; i < node.children.size(); ++i) {
    confirm(node.children[i], result);
  }
}

}  // namespace simt::rewrite::split
