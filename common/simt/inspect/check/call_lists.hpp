/// \file
/// Ways to a call: the calls that it stands in.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace simt::inspect {

/// Where calls return to, the innermost first (calls_from), once each and by number; 0 is a way of
/// which nothing is known.
class CallLists {
 public:
  using Calls = std::vector<std::uintptr_t>;

  unsigned number_of(Calls calls) {
    const auto [known, is_new] =
        numbers_.try_emplace(std::move(calls), static_cast<unsigned>(lists_.size()));
    if (is_new) lists_.push_back(&known->first);
    return known->second;
  }
  const Calls& operator[](unsigned number) const { return *lists_[number]; }

 private:
  std::map<Calls, unsigned> numbers_{{{}, 0}};
  std::vector<const Calls*> lists_{&numbers_.begin()->first};
};

}  // namespace simt::inspect
