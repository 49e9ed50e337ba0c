// Registers of a warpgroup's products: what a thread may do to them, and when.
#include <cstring>

#include "checker.hpp"
#include "pending_read.hpp"
#include "sites.hpp"
#include "waiting.hpp"

namespace simt::inspect {

using detail::Block;
using detail::ProductRegisters;

namespace {

/// visit(word) for those that ranges of memory touch.
template <class Visit>
void visit_words(const std::vector<ProductRegisters::Range>& ranges, Visit visit) {
  for (const ProductRegisters::Range& range : ranges) {
    for (std::uintptr_t word = address_of(range.begin) & ~(kWord - 1); word < address_of(range.end);
         word += kWord) {
      visit(word);
    }
  }
}

}  // namespace

RegisterFence& Checker::own_fence() {
  const Block& block = *detail::current_block;
  std::vector<RegisterFence>& fences = watch_of(block).register_fences;
  if (fences.empty()) fences.resize(block.thread_count);
  return fences[block.running_thread()];
}

void Checker::registers_fenced() { own_fence() = {true, {}}; }

void Checker::parts_of_warpgroups(const Block& block) {
  for (const auto* queue = block.named; queue != nullptr; queue = queue->next) {
    if (queue->warpgroup == nullptr) continue;
    const void* const site = queue->waiters.front()->site;
    if (!Findings::instance().is_new(Kind::invalid_sync, address_of(site), 0)) continue;
    report(finding_at(Kind::invalid_sync, site,
                      std::string("the warpgroup waits at this ") + queue->warpgroup + " for " +
                          detail::absent_warps(block, *queue) + " of block " + block_text(block) +
                          ", in vain",
                      "let all four warps of a warpgroup execute wgmma instructions together: none "
                      "of their threads may leave before, or branch around them"));
  }
}

// Of a thread's own variables those are looked at that are registers of its products.
void Checker::local_access(const Place& place) {
  std::vector<RegisterFence>& fences = watch_of(*detail::current_block).register_fences;
  if (fences.empty()) return;
  const bool writes = is_write(place.kind);
  RegisterFence& fence = fences[detail::current_block->running_thread()];
  if (writes && fence.called) {
    for (std::uintptr_t word = place.address & ~(kWord - 1); word < place.address + place.size;
         word += kWord) {
      fence.changes[word] = {place.site, nullptr};
    }
  }
  const detail::ProductUnderWay product =
      detail::product_under_way(reinterpret_cast<const void*>(place.address), place.size, writes);
  if (product.site != nullptr) touched_too_early(place, product);
}

void Checker::touched_too_early(const Place& place, const detail::ProductUnderWay& product) {
  const std::uintptr_t site = address_of(product.site);
  if (!product.reads) early_products_.insert(site);
  const SourceLine started = source_line(site);
  const Kind kind = is_write(place.kind) ? Kind::race : Kind::uninitialised;
  if (!Findings::instance().is_new(kind, place.site, site)) return;
  Finding finding = finding_at(
      kind, reinterpret_cast<const void*>(place.site),
      who(detail::current_block) + " " + verb(place.kind) + " a register of " +
          (product.reads ? "A of " : "") + "the product that it started at " + started.text() +
          ", which has not been waited for: " +
          (product.reads ? "it may still read it" : "its sums are undefined"),
      product.reads
          ? "commit the product's group, and wait for it (wgmma.wait_group) before its registers "
            "of A change, or load what comes next to other registers"
          : "commit the product's group, and wait for it (wgmma.wait_group) before its sums are "
            "used: the number there is of later groups that may still be under way");
  finding.other = started;
  finding.other_is = "the product";
  report(std::move(finding));
}

void Checker::product_begins(const void* site) {
  RegisterFence& fence = own_fence();
  if (fence.called) return;
  fence.called = true;  // or told of
  if (!Findings::instance().is_new(Kind::invalid_sync, address_of(site), 0)) return;
  report(finding_at(
      Kind::invalid_sync, site,
      thread_text(stamp(*detail::current_block, address_of(site))) +
          " multiplies here, and no wgmma.fence came before its warpgroup's first product",
      "call wgmma.fence in all threads of the warpgroup before the first product, and after "
      "each change to registers that a product uses"));
}

void Checker::product_uses(const ProductRegisters& product) {
  RegisterFence& fence = own_fence();
  const RegisterFence::Change* changed = nullptr;
  const char* of = "";
  visit_words(product.factors, [&](std::uintptr_t word) {
    const auto found = fence.changes.find(word);
    if (found == fence.changes.end() || changed != nullptr) return;
    changed = &found->second;
    of = "its registers of A";
  });
  visit_words(product.sums, [&](std::uintptr_t word) {
    const auto [found, is_new] = fence.changes.try_emplace(word);
    const char* const shape = found->second.shape;
    const bool ordered = is_new || (shape != nullptr && std::strcmp(shape, product.shape) == 0);
    if (!ordered && changed == nullptr) {
      changed = &found->second;
      of = "its sums";
    }
  });
  if (changed != nullptr) changed_unfenced(product, *changed, of);
  visit_words(product.sums, [&](std::uintptr_t word) {
    fence.changes[word] = {address_of(product.begun), product.shape};
  });
}

void Checker::changed_unfenced(const ProductRegisters& product, const RegisterFence::Change& change,
                               const char* of) {
  const std::uintptr_t site = address_of(product.begun);
  if (!Findings::instance().is_new(Kind::invalid_sync, site, change.site)) return;
  const SourceLine line = source_line(change.site);
  const std::string changed = change.shape == nullptr
                                  ? std::string("the thread changed ") + of + " at " + line.text()
                                  : std::string("a product of shape ") + change.shape + " wrote " +
                                        of + " at " + line.text() +
                                        ", and only sums of products of one shape go without";
  Finding finding = finding_at(Kind::invalid_sync, product.begun,
                               thread_text(stamp(*detail::current_block, site)) +
                                   " multiplies here, and no wgmma.fence has come since " + changed,
                               "call wgmma.fence in all threads of the warpgroup between the two");
  finding.other = line;
  finding.other_is = change.shape == nullptr ? "the change" : "the other product";
  report(std::move(finding));
}

// What was in the frame of a function that returns are variables no more.
void Checker::frame_ends(std::uintptr_t begin, std::uintptr_t end) {
  if (detail::current_block == nullptr) return;
  std::vector<RegisterFence>& fences = watch_of(*detail::current_block).register_fences;
  if (fences.empty() || end <= begin) return;
  auto& changes = fences[detail::current_block->running_thread()].changes;
  changes.erase(changes.lower_bound(begin), changes.lower_bound(end));
  detail::registers_end(reinterpret_cast<const void*>(begin), reinterpret_cast<const void*>(end));
}

void watch_return(std::uintptr_t frame, std::uintptr_t end) {
  Checker::instance().frame_ends(frame, end);
}

}  // namespace simt::inspect
