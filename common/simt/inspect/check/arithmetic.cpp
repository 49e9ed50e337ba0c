// Operations on integers whose result C++ leaves undefined, and which a GPU may do otherwise than
// this machine.
#include "checker.hpp"
#include "sites.hpp"

namespace simt::inspect {

void Checker::undefined_result(std::uintptr_t site, const std::string& what,
                               const std::string& cure) {
  if (is_backend_code(site) || !Findings::instance().is_new(Kind::overflow, site, 0)) return;
  Finding finding = finding_at(Kind::overflow, reinterpret_cast<const void*>(site),
                               who(detail::current_block) + " " + what, cure);
  Findings::instance().doubt(finding.at);
  report(std::move(finding));
}

void Checker::overflow(const Overflow& overflow, std::uintptr_t site) {
  undefined_result(
      site, "computes " + overflow.expression + ", which does not fit in " + overflow.type,
      overflow.bits < 64 ? "widen an operand before the operation: static_cast<std::int64_t>(...)"
                         : "");
}

void Checker::shift(const std::string& count, int bits, std::uintptr_t site) {
  undefined_result(
      site,
      "shifts an integer of " + std::to_string(bits) + " bits by " + count +
          ", which is undefined: a GPU gives 0 or the sign, and a CPU may leave the integer as it "
          "is",
      "shift by 0 to " + std::to_string(bits - 1) + " bits, and take the other case apart");
}

}  // namespace simt::inspect
