#include "split/collectives.hpp"

#include <algorithm>

#include "split/checks.hpp"
#include "split/words.hpp"

namespace simt::rewrite::split {
namespace {

constexpr const char* kNotAlways = "a call in which threads meet that may not be made by all";
constexpr const char* kEffects = "something with effects beside a call in which threads meet";

class Calls {
 public:
  Calls(const TokenList& list, const CollectiveNames& names,
        const std::function<bool(std::string_view)>& is_pure)
      : list_(list), names_(names), is_pure_(is_pure) {}

  /// Adds the calls of an expression. `root`: it may be an assignment.
  void add(const Node& n, bool root) {
    if (!names_.names_any(list_, n.first, n.last)) return check_effects(n);
    switch (n.kind) {
      case NodeKind::call:
        call(n);
        return;
      case NodeKind::assign:
        require(root, n.first, kEffects);
        check_effects(n.children[0]);
        require(!names_.names_any(list_, n.children[0].first, n.children[0].last), n.first,
                kEffects);
        add(n.children[1], false);
        return;
      case NodeKind::conditional:
        add(n.children[0], false);
        for (std::size_t i = 1; i < n.children.size(); ++i) {
          require(!names_.names_any(list_, n.children[i].first, n.children[i].last), n.first,
                  kNotAlways);
        }
        return;
      case NodeKind::binary: {
        const std::string_view op = operator_at(list_, n.token);
        if (op == "&&" || op == "||") {
          add(n.children[0], false);
          require(!names_.names_any(list_, n.children[1].first, n.children[1].last), n.first,
                  kNotAlways);
          return;
        }
        break;
      }
      case NodeKind::prefix:
        require(!any_of(list_.view(n.token), {"++", "--"}), n.first, kEffects);
        break;
      case NodeKind::lambda:
      case NodeKind::unevaluated:
      case NodeKind::postfix:
      case NodeKind::comma:
        require(false, n.first, kNotAlways);
        return;
      default:
        break;
    }
    for (const Node& child : n.children) add(child, false);
  }

  std::vector<CollectiveCall> take() { return std::move(calls_); }

 private:
  void call(const Node& n) {
    const Node& callee = n.children[0];
    const bool collective = callee.kind == NodeKind::name && names_.names(list_, callee.token);
    if (!collective) {
      // What is done with the results comes after the calls in any case.
      for (const Node& child : n.children) add(child, false);
      return;
    }
    CollectiveCall result{n.first, n.last, callee.last, callee.token, {}};
    for (std::size_t i = 1; i < n.children.size(); ++i) {
      // Effects of an argument come in their place; calls in it are made before.
      if (names_.names_any(list_, n.children[i].first, n.children[i].last)) {
        add(n.children[i], false);
      }
      require(!names_.is_reference(list_.view(callee.token), i - 1) || is_place(n.children[i]),
              n.children[i].first, "an argument whose place is not known");
      result.arguments.emplace_back(n.children[i].first, n.children[i].last);
    }
    calls_.push_back(std::move(result));
  }

  /// Is it surely something that stays where it is: a variable, a part of one, or what is behind a
  /// pointer? A function's result may refer to the copy of a variable that a phase has.
  bool is_place(const Node& n) const {
    switch (n.kind) {
      case NodeKind::name:
        return true;
      case NodeKind::paren:
      case NodeKind::subscript:
      case NodeKind::member:
      case NodeKind::arrow:
        return is_place(n.children[0]);
      case NodeKind::prefix:
        return list_.is(n.token, "*") && is_pointer(n.children[0]);
      default:
        return false;
    }
  }
  bool is_pointer(const Node& n) const {
    return is_place(n) || (n.kind == NodeKind::cast && is_pointer(n.children[0]));
  }

  /// What stands beside a call is evaluated after it, wherever it stood before it.
  void check_effects(const Node& n) const {
    switch (n.kind) {
      case NodeKind::assign:
      case NodeKind::postfix:
      case NodeKind::lambda:
        require(false, n.first, kEffects);
        return;
      case NodeKind::prefix:
        require(!any_of(list_.view(n.token), {"++", "--"}), n.first, kEffects);
        break;
      case NodeKind::call: {
        const Node& callee = n.children[0];
        require(callee.kind == NodeKind::name && is_pure_(list_.view(callee.token)), n.first,
                kEffects);
        break;
      }
      default:
        break;
    }
    for (const Node& child : n.children) check_effects(child);
  }

  const TokenList& list_;
  const CollectiveNames& names_;
  const std::function<bool(std::string_view)>& is_pure_;
  std::vector<CollectiveCall> calls_;
};

void mark(const TokenList& list, const CollectiveNames& names, Statement& s) {
  if (!names.names_any(list, s.first, s.last) && !s.returns) return;
  switch (s.kind) {
    case StatementKind::expression:
    case StatementKind::declaration:
    case StatementKind::return_statement:
      s.collective = s.has_barrier = true;
      s.block_barrier = names.names_any_with_barrier(list, s.first, s.last);
      return;
    case StatementKind::if_statement:
      if (names.names_any(list, s.open, s.close)) {
        require(!s.returns, s.first, "a return behind a call in which threads meet");
        for (const Statement& child : s.children) {
          require(!child.has_barrier && !names.names_any(list, child.first, child.last), s.first,
                  "a call in which threads meet in a condition around another one");
        }
        s.collective = s.has_barrier = true;
        s.block_barrier = names.names_any_with_barrier(list, s.open, s.close);
        return;
      }
      break;
    case StatementKind::block:
      break;
    case StatementKind::for_statement:
    case StatementKind::while_statement:
    case StatementKind::do_statement:
      require(!names.names_any(list, s.open, s.close), s.first,
              "a call in which threads meet in the header of a loop");
      break;
    default:
      require(false, s.first, "a call in which threads meet in a statement of this kind");
  }
  for (Statement& child : s.children) {
    mark(list, names, child);
    s.has_barrier |= child.has_barrier;
    s.block_barrier |= child.block_barrier;
  }
  s.has_barrier |= s.returns;
  const bool constant = list.is(s.open - 1, "constexpr");
  s.masked =
      s.kind == StatementKind::if_statement && s.has_barrier && !s.block_barrier && !constant;
}

}  // namespace

NameSet CollectiveNames::all() const {
  NameSet names = warp;
  names.insert(block.begin(), block.end());
  return names;
}

bool CollectiveNames::names_any(const TokenList& list, Index first, Index last) const {
  for (Index i = first; i < last; ++i) {
    if (names(list, i)) return true;
  }
  return false;
}

bool CollectiveNames::names_any_with_barrier(const TokenList& list, Index first, Index last) const {
  for (Index i = first; i < last; ++i) {
    if (names(list, i) && block.contains(list.view(i))) return true;
  }
  return false;
}

bool CollectiveNames::names_whole_warp(const TokenList& list, Index first, Index last) const {
  for (Index i = first; i < last; ++i) {
    if (names(list, i) && whole_warp.contains(list.view(i))) return true;
  }
  return false;
}

const NameSet& collective_intrinsics() {
  static const NameSet names{"__syncwarp",        "__shfl_sync",       "__shfl_up_sync",
                             "__shfl_down_sync",  "__shfl_xor_sync",   "__ballot_sync",
                             "__any_sync",        "__all_sync",        "__reduce_add_sync",
                             "__reduce_min_sync", "__reduce_max_sync", "load_matrix_sync",
                             "store_matrix_sync", "mma_sync"};
  return names;
}

const std::map<std::string, std::vector<bool>, std::less<>>& fragment_intrinsics() {
  static const std::map<std::string, std::vector<bool>, std::less<>> names{
      {"load_matrix_sync", {true}},
      {"store_matrix_sync", {false, true}},
      {"mma_sync", {true, true, true, true}}};
  return names;
}

void mark_collectives(const TokenList& list, const CollectiveNames& names, Statement& body) {
  for (Statement& child : body.children) {
    mark(list, names, child);
    body.has_barrier |= child.has_barrier;
    body.block_barrier |= child.block_barrier;
  }
}

std::vector<CollectiveCall> collective_calls(const TokenList& list, const CollectiveNames& names,
                                             const Statement& s, const KindOfName& kind_of_name,
                                             const std::function<bool(std::string_view)>& is_pure) {
  Calls calls(list, names, is_pure);
  const auto add = [&](Index first, Index last) {
    if (!names.names_any(list, first, last)) return;
    const auto node = parse_expression(list, first, last, kind_of_name);
    require(node.has_value(), first, "an expression of a form that is not known");
    calls.add(*node, true);
  };
  if (s.kind == StatementKind::declaration) {
    const std::vector<Declarator> declared = parse_declarators(list, s.first, s.last - 1);
    require(declared.size() == 1, s.first, "several variables with calls in which threads meet");
    const Declarator& d = declared[0];
    require(list.is(d.init_first, "="), d.name, "an initialiser of a form that is not known");
    add(d.init_first + 1, d.init_last);
  } else if (s.kind == StatementKind::if_statement) {
    require(!declares(list, s.open + 1, s.close,
                      [&](Index i) { return kind_of_name(i) == NameKind::variable; }) &&
                find_top_level(list, s.open + 1, s.close, {";"}) == s.close,
            s.open, "a declaration in a condition");
    add(s.open + 1, s.close);
  } else {
    const bool returns = s.kind == StatementKind::return_statement;
    add(s.first + (returns ? 1 : 0), s.last - 1);
  }
  std::vector<CollectiveCall> result = calls.take();
  require(!result.empty(), s.first, "a name of a function in which threads meet");
  return result;
}

}  // namespace simt::rewrite::split
