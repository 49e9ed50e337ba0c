#include "simt/library.hpp"

#include "observer.hpp"

namespace simt {

bool is_watched() { return detail::observer() != nullptr; }

void tell_uses(const MemoryUses& uses) { detail::observer()->library_used(uses.all()); }

}  // namespace simt
