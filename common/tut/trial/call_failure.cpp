#include "tut/trial/call_failure.hpp"

#include <optional>
#include <utility>

namespace tut {
namespace {

struct KeptFailure {
  CallFailure failure;
  std::string where;
};

std::optional<KeptFailure>& kept() {
  static std::optional<KeptFailure> failure;
  return failure;
}

}  // namespace

void keep_failure(const CallFailure& failure) {
  if (!kept()) kept() = KeptFailure{failure, ""};
}

void note_case_of_kept_failure(const std::string& where) {
  if (kept() && kept()->where.empty()) kept()->where = where;
}

Outcome take_kept_failure() {
  const auto taken = std::exchange(kept(), std::nullopt);
  if (!taken) return {};
  return failure(taken->failure.kind(), taken->failure.what() + taken->where);
}

}  // namespace tut
