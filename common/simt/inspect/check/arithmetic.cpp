// Operations on integers whose result C++ leaves undefined, and which a GPU may do otherwise than
// this machine.
#include <mutex>

#include "checker.hpp"
#include "sites.hpp"

namespace simt::inspect {

template <class What>
void Checker::undefined_result(std::uintptr_t site, const What& what, const std::string& cure) {
  // Of host code, which may have several threads; a kernel's launch holds it already.
  std::unique_lock lock(host_mutex(), std::defer_lock);
  if (detail::current_block == nullptr) lock.lock();
  if (is_backend_code(site) || !Findings::instance().is_new(Kind::overflow, site, 0)) return;
  Finding finding = finding_at(Kind::overflow, reinterpret_cast<const void*>(site),
                               who(detail::current_block) + " " + what(), cure);
  Findings::instance().doubt(finding.at);
  report(std::move(finding));
}

void Checker::overflow(const Overflow& overflow, std::uintptr_t site) {
  const auto what = [&] {
    return "computes " + overflow.expression() + ", which does not fit in " +
           std::string(overflow.type);
  };
  undefined_result(
      site, what,
      overflow.bits < 64
          ? "widen an operand before the operation, with static_cast<std::int64_t>(...), if the "
            "result is meant to be this large; if not, check the values of the operands"
          : "");
}

void Checker::shift(const std::string& count, int bits, std::uintptr_t site) {
  const auto what = [&] {
    return "shifts an integer of " + std::to_string(bits) + " bits by " + count +
           ", which is undefined: a GPU gives 0 or the sign, and a CPU may leave the integer as it "
           "is";
  };
  undefined_result(site, what,
                   "shift by 0 to " + std::to_string(bits - 1) +
                       " bits only, and handle other counts separately");
}

}  // namespace simt::inspect
