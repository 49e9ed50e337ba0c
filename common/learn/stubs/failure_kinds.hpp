#pragma once

#include <string_view>

namespace tut::learn {

/// What check mode finds: the word after `error:` in FILE:LINE: error: KIND: message.
/// tests/versions/edits.py reads both lists here.
constexpr std::string_view kCheckKinds[] = {"race",         "out-of-bounds",  "misaligned",
                                            "overflow",     "uninitialised",  "divergent-barrier",
                                            "invalid-sync", "host-access",    "use-after-free",
                                            "leak",         "unchecked-error"};

/// What an exercise's test says besides: the word after `kind:`.
constexpr std::string_view kTestKinds[] = {"values", "budget", "stream",
                                           "launch", "state",  "unset"};

}  // namespace tut::learn
