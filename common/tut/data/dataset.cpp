#include "tut/data/dataset.hpp"

#include <zlib.h>

#include <cstdio>

namespace tut::data {

std::string identity(const Split& sets) {
  uLong checksum = crc32_z(0, nullptr, 0);
  for (const Dataset* set : {&sets.train, &sets.test}) {
    for (const auto* bytes : {&set->images, &set->labels}) {
      checksum = crc32_z(checksum, bytes->data(), bytes->size());
    }
  }
  char text[96];
  std::snprintf(text, sizeof(text), "%zu + %zu images, checksum %08lx", sets.train.size(),
                sets.test.size(), checksum);
  return text;
}

}  // namespace tut::data
