/// \file
/// Five answers to the exercise min_max that were written apart from each other: what each has in
/// the place of the stub's four TODOs.
#pragma once

#include <array>
#include <string_view>

struct MinMaxAnswer {
  std::string_view student;
  std::array<std::string_view, 4> holes;
};

inline constexpr MinMaxAnswer kMinMaxAnswers[] = {
    {"ann",
     {R"(
other.smallest = shuffle_xor(value.smallest, step);
other.largest = shuffle_xor(value.largest, step);
)",
      R"(
if (!(a.smallest <= b.smallest) && a.smallest == a.smallest) both.smallest = b.smallest;
if (!(a.largest >= b.largest) && a.largest == a.largest) both.largest = b.largest;
)",
      R"(
while (i + FOURS <= end) {
  const float4 v = load_four<ALIGNED>(&in[i + 4 * t]);
  const float four[4] = {v.x, v.y, v.z, v.w};
  for (int k = 0; k < 4; ++k) mine = join(mine, MinMax{four[k], four[k]});
  i += FOURS;
}
for (std::size_t j = i + t; j < end; j += THREADS) {
  mine = join(mine, MinMax{in[j], in[j]});
}
)",
      R"(
const JoinMinMax join;
for (int b = threadIdx.x; b < count; b += blockDim.x) {
  mine = join(mine, MinMax{smallest[b], largest[b]});
}
mine = block_reduce<THREADS>(mine, join);
if (threadIdx.x == 0) *out = mine;
)"}},
    {"ben",
     {R"(
const float low = shuffle_xor(value.smallest, step), high = shuffle_xor(value.largest, step);
other = MinMax{low, high};
)",
      R"(
// a number plus NaN is NaN
if (a.smallest != a.smallest || b.smallest != b.smallest) {
  both.smallest = a.smallest + b.smallest;
  both.largest = both.smallest;
} else {
  both.smallest = fminf(a.smallest, b.smallest);
  both.largest = fmaxf(a.largest, b.largest);
}
)",
      R"(
const std::size_t whole = (end - i) / FOURS;
for (std::size_t step = 0; step < whole; ++step, i += FOURS) {
  const float4 q = load_four<ALIGNED>(in + i + t * 4);
  mine = join(mine, {q.x, q.x});
  mine = join(mine, {q.y, q.y});
  mine = join(mine, {q.z, q.z});
  mine = join(mine, {q.w, q.w});
}
i += t;
while (i < end) {
  const float value = in[i];
  mine = join(mine, {value, value});
  i += THREADS;
}
)",
      R"(
int block = threadIdx.x;
while (block < count) {
  const MinMax theirs{smallest[block], largest[block]};
  mine = JoinMinMax{}(mine, theirs);
  block += THREADS;
}
const MinMax result = block_reduce<THREADS>(mine, JoinMinMax{});
if (threadIdx.x != 0) return;
out->smallest = result.smallest;
out->largest = result.largest;
)"}},
    {"cay",
     {R"(
other.largest = __shfl_xor_sync(0xffffffff, value.largest, step);
other.smallest = __shfl_xor_sync(0xffffffff, value.smallest, step);
)",
      R"(
const bool nan = isnan(a.smallest) || isnan(b.smallest);
both.smallest = nan ? NAN : min(a.smallest, b.smallest);
both.largest = nan ? NAN : max(a.largest, b.largest);
)",
      R"(
const std::size_t vectors_end = i + (end - i) / FOURS * FOURS;
for (std::size_t at = i + 4 * t; at < vectors_end; at += FOURS) {
  float4 f = load_four<ALIGNED>(in + at);
  MinMax pair = join(MinMax{f.x, f.x}, MinMax{f.y, f.y});
  MinMax pair2 = join(MinMax{f.z, f.z}, MinMax{f.w, f.w});
  pair = join(pair, pair2);
  mine = join(mine, pair);
}
for (std::size_t at = vectors_end + t; at < end; at += THREADS) {
  MinMax one{in[at], in[at]};
  mine = join(mine, one);
}
)",
      R"(
JoinMinMax join;
for (int k = threadIdx.x; k < count; k += THREADS) {
  MinMax block;
  block.smallest = smallest[k];
  block.largest = largest[k];
  mine = join(block, mine);
}
MinMax all = block_reduce<THREADS>(mine, join);
if (threadIdx.x == 0) out[0] = all;
)"}},
    {"dan",
     {R"(
return {shuffle_xor(value.smallest, step), shuffle_xor(value.largest, step)};
)",
      R"(
both.smallest = (b.smallest < a.smallest || b.smallest != b.smallest) ? b.smallest : a.smallest;
both.largest = (b.largest > a.largest || b.largest != b.largest) ? b.largest : a.largest;
)",
      R"(
for (; i + FOURS <= end; i += FOURS) {
  const float4 v = load_four<ALIGNED>(in + i + 4 * t);
  MinMax here{v.x, v.x};
  here = join(here, {v.y, v.y});
  here = join(here, {v.z, v.z});
  here = join(here, {v.w, v.w});
  mine = join(mine, here);
}
for (std::size_t rest = i + t; rest < end; rest += THREADS) {
  mine = join(mine, {in[rest], in[rest]});
}
)",
      R"(
const JoinMinMax join;
for (int i = threadIdx.x; i < count; i += THREADS) mine = join(mine, {smallest[i], largest[i]});
mine = block_reduce<THREADS>(mine, join);
if (threadIdx.x == 0) {
  *out = mine;
}
)"}},
    {"eve",
     {R"(
other = {shuffle_xor(value.smallest, step), shuffle_xor(value.largest, step)};
)",
      R"(
auto pick = [](float x, float y, bool take_x) { return x != x ? x : y != y ? y : take_x ? x : y; };
both = {pick(a.smallest, b.smallest, a.smallest < b.smallest),
        pick(a.largest, b.largest, a.largest > b.largest)};
)",
      R"(
auto add = [&](float value) { mine = join(mine, {value, value}); };
for (; end - i >= FOURS; i += FOURS) {
  const float4 v = load_four<ALIGNED>(in + (i + 4 * t));
  add(v.x);
  add(v.y);
  add(v.z);
  add(v.w);
}
for (std::size_t j = t; i + j < end; j += THREADS) add(in[i + j]);
)",
      R"(
for (int first = 0; first < count; first += THREADS) {
  const int k = first + threadIdx.x;
  if (k < count) mine = JoinMinMax()(mine, MinMax{smallest[k], largest[k]});
}
mine = block_reduce<THREADS>(mine, JoinMinMax());
if (threadIdx.x == 0) *out = {mine.smallest, mine.largest};
)"}},
};
