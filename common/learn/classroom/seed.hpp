#pragma once

#include <string>
#include <string_view>

namespace tut::learn {

/// The number that an exercise's tests draw their data from, which nobody knows who has not the
/// secret: the first 63 bits of HMAC-SHA256(secret, exercise), in decimal. Empty without a secret.
std::string seed_of(const std::string& secret, const std::string& exercise);

/// HMAC (RFC 2104) with SHA-256, as 64 lower-case hexadecimal digits.
std::string hmac_sha256(std::string_view key, std::string_view message);

}  // namespace tut::learn
