/// \file
/// What a translation unit declares, as far as a proof about one of its kernels needs it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/source.hpp"
#include "split/class_facts.hpp"
#include "split/expression.hpp"

namespace simt::rewrite::split {

/// What every function of a name does with its arguments, or with one.
enum class Passing {
  by_value,  ///< it gets a copy
  to_class,  ///< it gets an object of a class, whose members may keep the address
  to_const,  ///< it may keep the address, and leaves the argument as it is
  unknown,
};

/// Is this a function of CUDA's or C's that takes numbers by value? With `pure`, one whose result
/// depends on them alone.
bool is_library_function(std::string_view name, bool pure);

class Declarations {
 public:
  explicit Declarations(const Source& source);

  Passing passing(std::string_view function) const;
  /// The same of one argument, counted from 0.
  Passing passing(std::string_view function, std::size_t argument) const;

  /// Do all functions of the name do nothing with the argument, counted from 0, but call it?
  bool only_calls(std::string_view function, std::size_t argument) const;

  /// Do all functions of the name do nothing with the argument, an array, but assign to its
  /// elements?
  bool only_assigns(std::string_view function, std::size_t argument) const;

  /// Is it surely a function's name, and no type's?
  bool is_function(std::string_view name) const {
    const bool known = passing_.contains(name) || is_library_function(name, false) ||
                       name == "memcpy_async" || name == "pipeline_consumer_wait_prior";
    return known && find_class(name) == nullptr && !is_alias(name);
  }

  /// May a call of it be a constant?
  bool may_be_constant(std::string_view name) const {
    return !is_library_function(name, true) &&
           (!passing_.contains(name) || constants_.contains(name));
  }

  /// Does the result of every function of the name depend on its arguments alone, which are
  /// numbers? It changes nothing and reads no memory.
  bool is_pure(std::string_view function) const;

  /// Does the result of every function of the name depend on the values of its arguments alone?
  /// They may be of classes.
  bool reads_no_memory(std::string_view function) const;

  /// Do all member functions of the name leave their object as it is?
  bool is_unchanging(std::string_view function) const {
    return !changes_const_ && !changing_.contains(function);
  }

  /// May a constructor of the class bind a number to a reference?
  bool class_binds(std::string_view name) const { return binding_classes_.contains(name); }

  /// May an address be looked at as a number, or memory hold one where its type does not say so?
  bool shows_addresses() const { return shows_addresses_; }

  /// Does nothing in the source change what is const?
  bool leaves_const() const { return !changes_const_; }

  /// May an operator bind a number to a reference that it keeps or changes? `text` is `+`, `[]`.
  bool operator_binds(std::string_view text) const;

  /// The class of a name, or nullptr. Classes that share a name are taken together.
  const ClassFacts* find_class(std::string_view name) const { return classes_.find(name); }

  /// Is it a `__device__`, `__managed__` or `__constant__` variable's name?
  bool is_device_variable(std::string_view name) const { return device_variables_.contains(name); }

  /// Is it another name for a type?
  bool is_alias(std::string_view name) const { return classes_.is_alias(name); }

  /// Can no variable of the device hold an address?
  bool plain_variables() const { return plain_variables_; }

 private:
  using Names = std::set<std::string, std::less<>>;
  struct Parameter {
    Index first;
    Index last;
  };

  bool only_calls(const Function& function, const Parameter& parameter) const;
  bool only_assigns(const Function& function, const Parameter& parameter) const;
  bool is_told(const std::map<std::string, std::vector<bool>, std::less<>>& facts,
               std::string_view function, std::size_t argument) const;
  void add_function(const Function& function);
  std::vector<Parameter> parameters(const Function& function) const;
  bool is_reference(const Parameter& parameter) const;
  bool is_reference_to_const(const Parameter& parameter) const;
  Passing passing_by_copy(const Parameter& parameter) const;
  bool casts_to_address(Index i) const;
  bool keeps_const() const;
  bool binds_number(const Parameter& parameter) const;
  bool has_pure_body(const Function& function) const;
  bool calls_pure(const Node& call) const;
  bool pure_node(const Node& node, const Names& known) const;
  bool depends_on_values(const Function& function) const;
  bool value_node(const Node& node, const Names& known) const;
  std::optional<Node> returned_at(const Function& function, Index first, const Names& known) const;
  bool number_type(Index first, Index last, const Names& types) const;

  const TokenList& list_;
  const Source& source_;
  const Classes classes_;
  std::map<std::string, Passing, std::less<>> passing_;
  std::map<std::string, std::vector<Passing>, std::less<>> passing_of_each_;
  std::map<std::string, std::vector<bool>, std::less<>> only_called_;
  std::map<std::string, std::vector<bool>, std::less<>> only_assigned_;
  std::map<std::string, bool, std::less<>> pure_;
  std::map<std::string, bool, std::less<>> of_values_;  ///< for reads_no_memory()
  Names constants_;                                     ///< constexpr functions
  Names changing_;                                      ///< member functions that are not const
  bool changes_const_ = false;                          ///< there is a way to change what is const
  bool casts_ = false;                 ///< there is `(T*)x` or `(T&)x` in code of the device
  bool changing_constructor_ = false;  ///< one that takes a reference to what is not const
  Names binding_operators_;
  bool binding_constructor_ = false;
  Names binding_classes_;
  Names device_variables_;
  Names variables_;  ///< names that stand in declarations of variables outside functions
  bool plain_variables_ = true;
  bool shows_addresses_ = false;
};

/// Does code of the device, as far as its tokens tell, make numbers of addresses? `holds_address`
/// tells of a class's name whether its objects may hold one. (shown_addresses.cpp)
bool shows_addresses(const Source& source,
                     const std::function<bool(std::string_view)>& holds_address);

}  // namespace simt::rewrite::split
