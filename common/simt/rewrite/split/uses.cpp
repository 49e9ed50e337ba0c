// What a kernel's statements do to its variables. A use of no known form binds the variable: it may
// be modified, and its address kept.
#include <algorithm>
#include <string_view>
#include <utility>

#include "frontend/analysis.hpp"
#include "split/parts.hpp"
#include "split/variables.hpp"
#include "split/words.hpp"

namespace simt::rewrite::split {
namespace {

/// What becomes of an expression's value.
enum class Role {
  value,  ///< it is read
  write,  ///< it is assigned to
  keep,   ///< bound to a reference to const
  bind,   ///< bound to a reference
};

class Collector : VariableParts {
 public:
  Collector(const TokenList& list, const KernelContext& context, Variables& variables)
      : VariableParts(list, variables), list_(list), context_(context), variables_(variables) {}

  void statement(const Statement& s) {
    switch (s.kind) {
      case StatementKind::declaration:
        declaration(s.first, s.last - 1);
        return;
      case StatementKind::expression:
        expression(s.first, s.last - 1, Role::value);
        return;
      case StatementKind::return_statement:
        expression(s.first + 1, s.last - 1, returned_);
        return;
      case StatementKind::shared:
      case StatementKind::barrier:
      case StatementKind::pragma:
      case StatementKind::jump:
        return;
      case StatementKind::fixed:
      case StatementKind::other:
        bind_all(s.first, s.last);
        return;
      default:
        break;
    }
    if (s.open != kNone) header(s);
    for (const Statement& child : s.children) statement(child);
  }

 private:
  void header(const Statement& s) {
    if (s.kind == StatementKind::for_statement) {
      const ForHeader parts = for_header(list_, s);
      if (parts.first_semicolon == kNone) {  // for (auto& x : range)
        bind_all(s.open + 1, s.close);
        return;
      }
      clause(s.open + 1, parts.first_semicolon);
      clause(parts.first_semicolon + 1, parts.second_semicolon);
      clause(parts.second_semicolon + 1, s.close);
      return;
    }
    const Index semicolon = find_top_level(list_, s.open + 1, s.close, {";"});
    clause(s.open + 1, semicolon);
    if (semicolon < s.close) clause(semicolon + 1, s.close);
  }

  /// A declaration or an expression.
  void clause(Index first, Index last) {
    if (variables_.declares(first, last)) {
      declaration(first, last);
    } else {
      expression(first, last, Role::value);
    }
  }

  void declaration(Index first, Index last) {
    for (const Declarator& d : parse_declarators(list_, first, last)) {
      bind_all(d.type_first, d.type_last);
      bind_all(d.dims_first, d.dims_last);
      if (d.has_init()) initialiser(d);
    }
  }

  void initialiser(const Declarator& d) {
    bool any = false, pointer = false;
    for (Index i = d.init_first; i < d.init_last; ++i) {
      any = any || variables_.find(i) != nullptr || list_.is(i, "threadIdx");
    }
    if (!any) return;
    for (Index i = d.pointer_first; i < d.name; ++i) {
      if (list_.is(i, "*")) pointer = true;
      if (any_of(list_.view(i), {"&", "&&"})) return expressions(d, Role::bind);
    }
    const bool value = pointer || variables_.is_value_type(d.type_first, d.type_last);
    const Role role = value ? Role::value : Role::bind;
    const Variable* variable = variables_.find(d.name);
    made_again_ = variable != nullptr && variable->declarator.name == d.name &&
                  lambda_of(list_, *variable) != kNone;
    const bool outer = std::exchange(kept_, kept_ || (!made_again_ && role == Role::bind));
    const bool nothing =
        std::exchange(holds_nothing_, holds_no_address(d.type_first, d.type_last) && !pointer);
    expressions(d, made_again_ ? Role::value : role);
    holds_nothing_ = nothing;
    kept_ = outer;
    made_again_ = false;
  }

  void expressions(const Declarator& d, Role role) {
    const auto [first, last] = initial_value(list_, d);
    if (list_.is(d.init_first, "=")) {
      expression(first, last, role);
      return;
    }
    for (Index i = first; i < last;) {
      Index end = i;
      while (end < last && !list_.is(end, ",")) {
        end = list_.match[end] != kNone && list_.match[end] > end ? list_.match[end] + 1 : end + 1;
      }
      expression(i, end, role);
      i = end + 1;
    }
  }

  void expression(Index first, Index last, Role role) {
    if (first >= last) return;
    const auto kind_of_name = [&](Index i) { return variables_.kind_of_name(i); };
    if (const auto node = parse_expression(list_, first, last, kind_of_name)) {
      visit(*node, role);
    } else {
      bind_all(first, last);
    }
  }

  void bind_all(Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      record(i, UseKind::bind);
      builtin(i, Role::bind);
    }
  }

  /// A phase has a threadIdx of its own, which ends with it; the others are the block's.
  void builtin(Index i, Role role) {
    const bool bound = role == Role::keep || role == Role::bind || kept_;
    if (list_.is(i, "threadIdx") && bound && !holds_nothing_) variables_.note_kept_builtin(i);
  }

  void record(Index i, UseKind kind) {
    Variable* variable = variables_.find(i);
    if (variable == nullptr || variable->declarator.name == i) return;
    const bool changes = kind == UseKind::write || kind == UseKind::bind;
    // Of a const variable nothing but its address can be had: a write is to another of its name.
    if (variable->is_const && changes) kind = UseKind::keep;
    if (kept_ && kind == UseKind::read) kind = UseKind::keep;
    if (kept_ && kind == UseKind::write) kind = UseKind::bind;
    if (placed_ && (kind == UseKind::keep || kind == UseKind::bind)) variable->is_placed = true;
    variable->uses.push_back({i, kind});
  }

  // Expressions.

  void visit(const Node& n, Role role) {
    switch (n.kind) {
      case NodeKind::literal:
      case NodeKind::unevaluated:
        return;
      case NodeKind::builtin:
        builtin(n.first, role);
        return;
      case NodeKind::name:
        name(n, role);
        return;
      case NodeKind::paren:
        visit(n.children[0], role);
        return;
      case NodeKind::prefix:
        prefix(n, role);
        return;
      case NodeKind::postfix:
        visit(n.children[0], Role::write);
        return;
      case NodeKind::binary:
        operands(n, 0, operator_at(list_, n.token));
        return;
      case NodeKind::assign:
        assignment(n, role);
        return;
      case NodeKind::conditional:
        visit(n.children[0], Role::value);
        visit(n.children[1], role);
        visit(n.children[2], role);
        return;
      case NodeKind::comma:
        visit(n.children[0], binds(",") ? Role::bind : Role::value);
        visit(n.children[1], binds(",") ? Role::bind : role);
        return;
      case NodeKind::subscript:
        subscript(n, role);
        return;
      case NodeKind::member:
      case NodeKind::arrow:
        member(n, role);
        return;
      case NodeKind::call:
        call(n, role);
        return;
      case NodeKind::cast:
      case NodeKind::construct:
        construct(n);
        return;
      case NodeKind::braces:
        for (const Node& child : n.children) visit(child, role);
        return;
      case NodeKind::lambda:
        lambda(n);
        return;
    }
  }

  void name(const Node& n, Role role) {
    const Variable* variable = variables_.find(n.token);
    if (variable == nullptr) return;
    if (n.first != n.token || n.last != n.token + 1) return;  // a qualified name is another
    UseKind kind = UseKind::read;
    if (role == Role::write) kind = UseKind::write;
    if (role == Role::keep) kind = UseKind::keep;
    if (role == Role::bind) kind = UseKind::bind;
    // An array becomes an address where it is read, and what a class does is not known.
    const ClassFacts* facts = variables_.class_of(*variable);
    const bool opaque = facts != nullptr && !(facts->plain && facts->unchanging);
    if (kind == UseKind::read && (is_array(*variable) || opaque)) kind = UseKind::bind;
    record(n.token, kind);
  }

  bool binds(std::string_view op) const { return context_.declarations->operator_binds(op); }

  /// Operands of an operator of the language's own are read; one of the source's may bind them.
  void operands(const Node& n, std::size_t from, std::string_view op) {
    const bool plain = !binds(op) || std::all_of(n.children.begin(), n.children.end(),
                                                 [&](const Node& c) { return is_number(c); });
    for (std::size_t i = from; i < n.children.size(); ++i) {
      visit(n.children[i], plain ? Role::value : Role::bind);
    }
  }

  void prefix(const Node& n, Role role) {
    const std::string_view op = list_.view(n.token);
    const Node& child = n.children[0];
    if (op == "&") {
      visit(child, Role::bind);
    } else if (any_of(op, {"++", "--"})) {
      visit(child, Role::write);
      if (role == Role::bind || role == Role::keep) visit(child, Role::bind);
    } else if (op == "*") {
      // What a pointer points at is not the pointer's; an array's or a class's may be.
      const Variable* variable = path(child);
      const bool pointer = variable == nullptr || (stars(*variable) > 0 && !is_array(*variable));
      visit(child, pointer && !binds("*") ? Role::value : Role::bind);
    } else {
      operands(n, 0, op);
    }
  }

  void assignment(const Node& n, Role role) {
    const Node& target = n.children[0];
    const std::string_view op = operator_at(list_, n.token);
    visit(target, Role::write);
    if (role == Role::bind || role == Role::keep) visit(target, Role::bind);
    const bool by_value = !binds(op) || is_number(target);
    const Variable* variable = path(target);
    const bool braces = n.children[1].kind == NodeKind::braces;
    const bool object =
        braces && (variable == nullptr || variables_.class_of(*variable) != nullptr);
    visit(n.children[1], by_value && !object ? Role::value : Role::bind);
  }

  void subscript(const Node& n, Role role) {
    const Variable* variable = path(n.children[0]);
    const bool elsewhere = variable != nullptr && is_pointer(n.children[0], *variable);
    if (variable == nullptr) {
      visit(n.children[0], Role::value);
    } else if (elsewhere) {
      visit_path(n.children[0], Role::value);
    } else {
      // All of an array's subscripts make an element; fewer an array, which becomes an address.
      const bool element = subscripts(n) >= dimensions(*variable);
      visit_path(n.children[0], element || role != Role::value ? role : Role::bind);
    }
    const bool own = variable != nullptr || !binds("[]");
    for (std::size_t i = 1; i < n.children.size(); ++i) {
      visit(n.children[i], own ? Role::value : Role::bind);
    }
  }

  /// What happens to a part of a variable happens to the variable.
  void visit_path(const Node& n, Role role) {
    switch (n.kind) {
      case NodeKind::name: {
        UseKind kind = role == Role::value ? UseKind::read : UseKind::write;
        if (role == Role::keep) kind = UseKind::keep;
        if (role == Role::bind) kind = UseKind::bind;
        record(n.token, kind);
        return;
      }
      case NodeKind::subscript:
        visit_path(n.children[0], role);
        for (std::size_t i = 1; i < n.children.size(); ++i) visit(n.children[i], Role::value);
        return;
      case NodeKind::paren:
      case NodeKind::member:
        visit_path(n.children[0], role);
        return;
      default:
        visit(n, role);
    }
  }

  void member(const Node& n, Role role) {
    const Node& object = n.children[0];
    const Variable* variable = path(object);
    if (variable == nullptr) {
      visit(object, Role::value);
    } else if (n.kind == NodeKind::arrow) {
      visit(object, stars(*variable) > 0 && !is_array(*variable) ? Role::value : Role::bind);
    } else {
      visit_path(object, role);
    }
  }

  void call(const Node& n, Role role) {
    const Node& callee = n.children[0];
    Passing passing = Passing::unknown;
    std::string_view function;  // of which each parameter is known
    bool meets = false;
    if (callee.kind == NodeKind::name) {
      const Variable* variable = variables_.find(callee.token);
      if (variable == nullptr) {
        const std::string_view word = list_.view(callee.token);
        meets = context_.collectives != nullptr && context_.collectives->contains(word);
        if (meets) {
          passing = Passing::by_value;  // arguments are copied for the call
        } else if (!variables_.is_local_name(word)) {
          passing = context_.declarations->passing(word);
          function = word;
        }
        // `T(x)`: a value where T is a number's type.
        if (passing == Passing::unknown && n.children.size() == 2 && converts(n.children[1]) &&
            is_cast(callee)) {
          passing = Passing::by_value;
          function = {};
        }
      } else if (const Index open = lambda_of(list_, *variable); open != kNone) {
        record(callee.token, UseKind::read);
        passing = lambda_passing(open);
      } else {
        object(callee, "operator()");
        function = "operator()";
      }
    } else if (callee.kind == NodeKind::member || callee.kind == NodeKind::arrow) {
      const Node& of = callee.children[0];
      if (callee.kind == NodeKind::member && path(of) != nullptr) {
        object(of, list_.view(callee.token));
      } else {
        member(callee, Role::value);
      }
      function = list_.view(callee.token);
    } else {
      visit(callee, Role::value);
    }
    for (std::size_t i = 1; i < n.children.size(); ++i) {
      if (meets && context_.collectives->is_reference(list_.view(callee.token), i - 1)) {
        placed_ = true;
        visit(n.children[i], Role::bind);
        placed_ = false;
        continue;
      }
      // Who only calls a lambda does not keep its address, and it does not know its own.
      const bool by_name = !function.empty() && callee.kind == NodeKind::name &&
                           n.children[i].kind == NodeKind::name;
      const Variable* whole = by_name ? path(n.children[i]) : nullptr;
      if (whole != nullptr && lambda_of(list_, *whole) != kNone &&
          context_.declarations->only_calls(function, i - 1)) {
        record(n.children[i].token, UseKind::read);
        continue;
      }
      if (whole != nullptr && is_array(*whole) &&
          context_.declarations->only_assigns(function, i - 1)) {
        record(n.children[i].token, UseKind::write);
        continue;
      }
      Passing own = function.empty() ? passing : context_.declarations->passing(function, i - 1);
      // A library's min returns a reference to one of its arguments.
      const bool referred = role == Role::bind || role == Role::keep;
      if (referred && !meets && is_library_function(function, false)) own = Passing::unknown;
      if (names_binding_class(callee)) own = Passing::unknown;
      visit(n.children[i], argument_role(own, n.children[i]));
    }
  }

  /// `f<T>(x)`: the parameter may be an object of T, made of the argument.
  bool names_binding_class(const Node& callee) const {
    if (callee.kind != NodeKind::name) return false;
    for (Index i = callee.token + 1; i < callee.last; ++i) {
      if (context_.declarations->class_binds(list_.view(i))) return true;
    }
    return false;
  }

  Role argument_role(Passing passing, const Node& argument) const {
    if (passing == Passing::unknown) return Role::bind;
    if (passing == Passing::by_value) return Role::value;
    if (passing == Passing::to_class) {  // of `{x}` a member may be a reference
      return argument.kind == NodeKind::braces ? Role::bind : Role::value;
    }
    // What a class's conversions do is known only of some.
    const Variable* variable = path(argument);
    const ClassFacts* facts = variable != nullptr ? variables_.class_of(*variable) : nullptr;
    return facts != nullptr && !(facts->plain && facts->unchanging) ? Role::bind : Role::keep;
  }

  /// A call of a member function.
  void object(const Node& n, std::string_view function) {
    const Variable* variable = path(n);
    const ClassFacts* facts = variable != nullptr ? variables_.class_of(*variable) : nullptr;
    const bool of_class = facts != nullptr && facts->plain && facts->unchanging &&
                          context_.declarations->leaves_const();
    const bool unchanging = of_class || context_.declarations->is_unchanging(function);
    visit_path(n, unchanging ? Role::keep : Role::bind);
  }

  /// May the callee be a type of the kernel's template header, or one that only it knows?
  bool is_cast(const Node& callee) {
    return variables_.is_template_type(list_.view(callee.token)) &&
           variables_.is_value_type(callee.first, callee.last);
  }

  /// What a conversion does to its operand depends on the type only if that is a variable.
  bool converts(const Node& n) const { return may_be_part(n) || n.kind == NodeKind::builtin; }

  void construct(const Node& n) {
    const bool of_variable = std::any_of(
        n.children.begin(), n.children.end(),
        [&](const Node& child) { return may_be_part(child) || child.kind == NodeKind::builtin; });
    const bool by_value = of_variable && variables_.is_value_type(n.type_first, n.type_last);
    const bool outer = std::exchange(holds_nothing_,
                                     holds_nothing_ || holds_no_address(n.type_first, n.type_last));
    for (const Node& child : n.children) visit(child, by_value ? Role::value : Role::bind);
    holds_nothing_ = outer;
  }

  /// Is it a type of numbers, or a class of the source that is made of such alone?
  bool holds_no_address(Index first, Index last) const {
    if (is_keyword_type(list_, first, last)) return true;
    if (last > first + 1 && list_.is(first, "const")) ++first;
    const ClassFacts* facts = context_.declarations->find_class(list_.view(first));
    return last == first + 1 && facts != nullptr && !facts->holds_address;
  }

  // Lambdas.

  Passing lambda_passing(Index open) const {
    const Index first = list_.match[open] + 1;
    for (Index i = first; i < lambda_body(list_, open); ++i) {
      if (any_of(list_.view(i), {"&", "&&", "..."})) return Passing::unknown;
    }
    return Passing::by_value;
  }

  void lambda(const Node& n) {
    for (Index i = n.first + 1; i < list_.match[n.first]; ++i) {
      const bool copied = list_.is(i + 1, ",") || list_.is(i + 1, "]");
      const bool alone = any_of(list_.view(i - 1), {"[", ","});
      record(i, copied && alone ? UseKind::read : UseKind::bind);
    }
    const Index open = n.token;
    Role returned = Role::value;
    bool trailing = false;
    for (Index i = list_.match[n.first] + 1; i < open; ++i) {
      trailing = trailing || list_.is(i, "->");
      if (trailing && any_of(list_.view(i), {"&", "&&", "decltype"})) returned = Role::bind;
      record(i, UseKind::bind);  // a default argument, or another variable of the name
    }
    // What refers to variables may be kept, but for a lambda that is made again in every phase.
    const bool kept = std::exchange(kept_, kept_ || !std::exchange(made_again_, false));
    const Role outer = std::exchange(returned_, returned);
    statement(parse_statements(list_, open));
    returned_ = outer;
    kept_ = kept;
  }

  const TokenList& list_;
  const KernelContext& context_;
  Variables& variables_;
  Role returned_ = Role::value;
  bool placed_ = false;         ///< what comes is a reference's initial value in such a call
  bool kept_ = false;           ///< what is read may be kept by what is made of it
  bool holds_nothing_ = false;  ///< what is made of what comes holds no address
  bool made_again_ = false;     ///< the lambda that comes is the value of a variable of the kernel
};

}  // namespace

void collect_uses(const TokenList& list, const KernelContext& context, Variables& variables,
                  const Statement& body) {
  Collector(list, context, variables).statement(body);
}

}  // namespace simt::rewrite::split
