#include "tut/outcome.hpp"

#include <utility>

namespace tut {

Outcome failure(std::string kind, std::string text) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += "kind: " + kind;
  return {false, std::move(kind), std::move(text)};
}

}  // namespace tut
