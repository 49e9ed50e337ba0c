#include "learn/classroom/seed.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "learn/core/sha256.hpp"

namespace tut::learn {

std::string hmac_sha256(std::string_view key, std::string_view message) {
  const auto bytes = [](const std::string& digits) {
    std::string result;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      result += static_cast<char>(std::strtoul(digits.substr(i, 2).c_str(), nullptr, 16));
    }
    return result;
  };
  constexpr std::size_t kBlock = 64;
  std::string padded = key.size() > kBlock ? bytes(sha256(key)) : std::string(key);
  padded.resize(kBlock, '\0');
  std::string inner = padded, outer = padded;
  for (char& c : inner) c = static_cast<char>(c ^ 0x36);
  for (char& c : outer) c = static_cast<char>(c ^ 0x5C);
  return sha256(outer + bytes(sha256(inner + std::string(message))));
}

std::string seed_of(const std::string& secret, const std::string& exercise) {
  if (secret.empty()) return "";
  const std::string digits = hmac_sha256(secret, exercise).substr(0, 16);
  return fmt::format("{}", std::strtoull(digits.c_str(), nullptr, 16) >> 1U);
}

}  // namespace tut::learn
