// Part of every chapter's chNN_bench and chNN_counts, compiled with the chapter's folder as
// TUT_CHAPTER: their results say whose they are.

#include "tut/bench/bench_step.hpp"

namespace {

[[maybe_unused]] const bool named = (tut::bench_chapter() = TUT_CHAPTER, true);

}  // namespace
