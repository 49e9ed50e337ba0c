#include "learn/classroom/similarity.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "learn/classroom/normal_source.hpp"
#include "learn/classroom/source_tokens.hpp"
#include "learn/classroom/tiles.hpp"
#include "learn/core/files.hpp"
#include "learn/core/stub_source.hpp"
#include "learn/core/text.hpp"
#include "min_max_answers.hpp"

using namespace tut::learn;

namespace {

std::vector<std::uint32_t> symbols(std::string_view source) {
  std::vector<std::uint32_t> all;
  for (const NormalToken& token : normal_tokens(source)) all.push_back(token.symbol);
  return all;
}

Exercise min_max() {
  Exercise exercise;
  exercise.name = "min_max";
  exercise.file = "exercises/08_reductions/min_max.cu";
  return exercise;
}

std::string stub() { return stub_text(TUT_SOURCE_DIR, min_max()); }

std::string solution() {
  return read_file(std::filesystem::path(TUT_SOURCE_DIR) / min_max().solution()).value();
}

/// The stub with an answer's code in the place of its TODOs.
std::string filled(const MinMaxAnswer& answer) {
  std::string text;
  std::size_t hole = 0;
  bool in_todo = false;
  for (const std::string& line : split_lines(stub())) {
    const bool begins = trim(line).starts_with("// TODO:");
    in_todo = begins || (in_todo && trim(line).starts_with("//"));
    if (begins) {
      REQUIRE(hole < answer.holes.size());
      text += answer.holes[hole++];
    }
    if (!in_todo) text += line + "\n";
  }
  REQUIRE(hole == answer.holes.size());
  return text;
}

std::vector<std::string> five_answers() {
  std::vector<std::string> texts;
  for (const MinMaxAnswer& answer : kMinMaxAnswers) texts.push_back(filled(answer));
  return texts;
}

ClassLikeness compare(const std::vector<std::string>& texts, const std::string& given,
                      const std::optional<std::string>& right = std::nullopt) {
  return compare_class({texts.begin(), texts.end()}, given, right);
}

std::string replaced(const std::string& text, const std::string& pattern, const std::string& with) {
  std::string result = std::regex_replace(text, std::regex(pattern), with);
  REQUIRE(result != text);
  return result;
}

/// Other names in the place of those that are there.
std::string renamed(const std::string& text) {
  return replaced(text, "\\b(join|mine|both|other|four|smallest|largest|low|high|i|k|v|t)\\b",
                  "my_$1");
}

/// Other comments, one statement's parts on lines of their own, and braces that nobody needs.
std::string laid_out_anew(const std::string& text) {
  std::string result = replaced(text, "//[^\n]*", "");
  result = replaced(result, "; *\n", ";\n  // and then\n\n");
  return replaced(result, "\\) (\\w*mine) = ([^;]*);", ")\n{\n$1 =\n$2;\n}");
}

/// The second kernel before the first one, and the members in another order.
std::string reordered(const std::string& text) {
  const std::size_t first = text.find("template <bool ALIGNED>"),
                    second = text.find("__global__ void min_max_of_blocks_kernel");
  const std::size_t end = text.find("}  // namespace", second);
  REQUIRE(end != std::string::npos);
  return text.substr(0, first) + text.substr(second, end - second) +
         text.substr(first, second - first) + text.substr(end);
}

std::string with_constants_split(const std::string& text) {
  return replaced(replaced(text, "\\b4\\b", "2 * 2"), "\\b0\\b", "(1 - 1)");
}

/// A statement more after every fourth one.
std::string with_more_statements(const std::string& text) {
  std::string result;
  int count = 0;
  for (const std::string& line : split_lines(text)) {
    result += line + "\n";
    if (line.starts_with("  ") && line.ends_with(";") && ++count % 4 == 0)
      result += "int idle = 3;\n";
  }
  return result;
}

}  // namespace

TEST_CASE("a source is taken apart into words, numbers, quotes and signs, each with its line") {
  const auto tokens = source_tokens("a1 /* x\ny */ 1'0.5e-3f // z\n\"q\\\"\n'c'+##");
  const std::vector<std::pair<std::string_view, int>> wanted = {
      {"a1", 1}, {"1'0.5e-3f", 2}, {"\"q\\\"", 3}, {"'c'", 4}, {"+", 4}, {"##", 4}};
  REQUIRE(tokens.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CHECK(tokens[i].text == wanted[i].first);
    CHECK(tokens[i].line == wanted[i].second);
  }
  CHECK(tokens[0].kind == SourceTokenKind::word);
  CHECK(tokens[1].kind == SourceTokenKind::number);
  CHECK(tokens[2].kind == SourceTokenKind::quoted);
  CHECK(tokens[5].kind == SourceTokenKind::sign);
  for (const char* cut : {"/*", "\"", "'\\", "\"\\", "1e", "#", "%:%:", ""}) {
    CHECK(source_tokens(cut).size() <= 1);
  }
}

TEST_CASE("what is changed easily makes no difference, what the code does makes one") {
  const auto alike = [](const char* a, const char* b) { return symbols(a) == symbols(b); };
  CHECK(alike("int sum = a[i];", "float  total=row [ col ] ; // the sum"));
  CHECK(alike("const std::size_t n = 1;", "unsigned long long n = 256;"));
  CHECK(alike("static constexpr int n = 2 * 128 - 1;", "int n = 255;"));
  CHECK(alike("#include <cmath>\n#pragma unroll 4\nx = 1;", "x = 1;"));
  CHECK(alike("#if A \\\n  && B\nx = 1;", "x = 1;"));
  CHECK(alike("if (a) { b(); }", "if (a)\n  b();"));
  CHECK(alike("f(\"a\")", "g(\"b c\")"));
  CHECK(alike("#define TWICE(x) x + x\n", "(a) b + b"));

  CHECK_FALSE(alike("a + b", "a - b"));
  CHECK_FALSE(alike("a + 1", "a + b"));
  CHECK_FALSE(alike("a + 1 + 2;", "a + b + 2;"));
  CHECK_FALSE(alike("if (a) b();", "while (a) b();"));
  CHECK_FALSE(alike("a.x", "a.y"));
  CHECK_FALSE(alike("a[threadIdx.x]", "a[blockIdx.x]"));
  CHECK_FALSE(alike("__syncthreads();", "__syncwarp();"));
  CHECK_FALSE(alike("f(a, b);", "f(a);"));
}

TEST_CASE("tiles are the longest common pieces, whatever their order, each symbol in one at most") {
  const auto tiles = [](std::vector<std::uint32_t> a, std::vector<std::uint32_t> b) {
    return common_tiles(GramIndex(std::move(a), 3), GramIndex(std::move(b), 3));
  };
  CHECK(tiles({1, 2, 3, 4, 5, 6, 7}, {5, 6, 7, 0, 1, 2, 3, 4}) ==
        std::vector<Tile>{{0, 4, 4}, {4, 0, 3}});
  CHECK(tiles({1, 2, 3, 9, 1, 2, 3}, {1, 2, 3}) == std::vector<Tile>{{0, 0, 3}});
  CHECK(tiles({1, 2, 9, 3, 4}, {1, 2, 8, 3, 4}).empty());
  CHECK(tiles({1, 2}, {1, 2}).empty());
  CHECK(tiles({}, {}).empty());
  // Many places: not all pairs of them are looked at.
  CHECK(tiles(std::vector<std::uint32_t>(100000, 7), std::vector<std::uint32_t>(90000, 7)) ==
        std::vector<Tile>{{0, 0, 90000}});
}

TEST_CASE("tiles are those that looking at every pair of places gives") {
  std::mt19937 random(7);
  const auto sequence = [&](std::size_t length) {
    std::vector<std::uint32_t> all(length);
    for (auto& symbol : all) symbol = random() % 3;
    return all;
  };
  int compared = 0;
  for (int round = 0; round < 300; ++round) {
    const auto a = sequence(random() % 30), b = sequence(random() % 30);
    std::vector<bool> a_taken(a.size()), b_taken(b.size());
    std::vector<Tile> wanted;
    for (;;) {
      Tile best{0, 0, 3};
      bool found = false;
      for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) {
          std::size_t n = 0;
          while (i + n < a.size() && j + n < b.size() && a[i + n] == b[j + n] && !a_taken[i + n] &&
                 !b_taken[j + n]) {
            ++n;
          }
          if (n > best.length || (n == best.length && !found)) {
            best = {i, j, n};
            found = true;
          }
        }
      }
      if (!found) break;
      for (std::size_t n = 0; n < best.length; ++n) {
        a_taken[best.left + n] = b_taken[best.right + n] = true;
      }
      wanted.push_back(best);
    }
    std::ranges::sort(wanted, {}, &Tile::left);
    REQUIRE(common_tiles(GramIndex(a, 3), GramIndex(b, 3)) == wanted);
    compared += wanted.size() > 1 ? 1 : 0;
  }
  CHECK(compared > 100);
}

TEST_CASE("answers that were written apart do not stand out, beside the solution neither") {
  const ClassLikeness all = compare(five_answers(), stub(), solution());
  CHECK(all.compared == 5);
  CHECK(all.pairs.all == 10);
  CHECK(all.pairs.outstanding == 0);
  CHECK(all.pairs.most[0].share < 0.4);
  CHECK(all.solution.outstanding == 0);
  CHECK(all.solution.most[0].share < kLeastOutstanding);
}

TEST_CASE("a copy stands out in its class, whatever was done to it, and nothing else does") {
  const std::vector<std::string> texts = five_answers();
  const auto copies = std::to_array<std::pair<const char*, std::string>>(
      {{"as it was", texts[0]},
       {"names", renamed(texts[0])},
       {"layout", laid_out_anew(texts[0])},
       {"order", reordered(texts[0])},
       {"constants", with_constants_split(texts[0])},
       {"more statements", with_more_statements(texts[0])},
       {"all of it", with_more_statements(laid_out_anew(reordered(renamed(texts[0]))))}});
  for (const auto& [what, copy] : copies) {
    CAPTURE(what);
    std::vector<std::string> with_copy = texts;
    with_copy.push_back(copy);
    const ClassLikeness all = compare(with_copy, stub(), solution());
    REQUIRE(all.pairs.outstanding == 1);
    CHECK(all.pairs.most[0].left == 0);
    CHECK(all.pairs.most[0].right == 5);
    CHECK(all.pairs.most[0].share > 0.88);
    CHECK(all.pairs.most[1].share < 0.4);
  }
}

TEST_CASE("spelling tells a copy from one with other names") {
  const std::vector<std::string> texts = five_answers();
  const Likeness same = compare({texts[0], texts[0]}, stub()).pairs.most.at(0);
  CHECK(same.share == 1);
  CHECK(same.same_spelling == same.alike);
  const Likeness other_names = compare({texts[0], renamed(texts[0])}, stub()).pairs.most.at(0);
  CHECK(other_names.share > 0.95);
  CHECK(other_names.same_spelling < other_names.alike * 9 / 10);
}

TEST_CASE("what everybody was given is no likeness") {
  const std::vector<std::string> texts = five_answers();
  const ClassLikeness nothing = compare({stub(), stub(), texts[0]}, stub(), solution());
  CHECK(nothing.own[0] == 0);
  CHECK(nothing.own[2] > 200);
  CHECK(nothing.compared == 1);
  CHECK(nothing.pairs.all == 0);
  // The solution's own is what stands in its holes: most of it stays when its file is the given
  // one's.
  CHECK(nothing.solution_own > 200);
  CHECK(nothing.solution_own < 300);
  // Given nothing, those that were written apart are alike by the stub's code.
  CHECK(compare({texts[0], texts[1]}, "").pairs.most.at(0).share > 0.5);
  CHECK(compare({texts[0], texts[1]}, stub()).pairs.most.at(0).share < 0.2);
}

TEST_CASE("alike lines are told of both files, cut where given code stands in between") {
  const std::string given =
      "void f(int n) {\n"
      "  prepare(n, threadIdx.x, blockIdx.x);\n"
      "}\n"
      "void g(float* x) {\n"
      "  finish(x[0], x[1], x[2], x[3]);\n"
      "}\n";
  const std::string first = "  for (int i = 0; i < n; ++i) { if (n % i == 0) y[i] = i * i; }\n",
                    second = "  while (x != y) { x = x->next; if (!x) return; swap(x, y); }\n";
  const auto with = [&](const std::string& one, const std::string& two) {
    std::string text = given;
    text.insert(text.find("}\nvoid g"), one);
    return text.insert(text.rfind('}'), two);
  };
  const std::string spread = std::regex_replace(second, std::regex("; "), ";\n  // more\n  ");
  const ClassLikeness all = compare({with(first, second), with("\n" + first, spread)}, given);
  REQUIRE(all.pairs.most.size() == 1);
  CHECK(all.pairs.most[0].share == 1);
  CHECK(all.pairs.most[0].lines == std::vector<AlikeLines>{{{3, 3}, {4, 4}}, {{7, 7}, {8, 12}}});
}

TEST_CASE("the less choice an exercise leaves, the more alike a pair has to be to stand out") {
  CHECK(least_outstanding(0) == kLeastOutstanding);
  CHECK(least_outstanding(0.3) == kLeastOutstanding);
  CHECK(least_outstanding(0.6) == doctest::Approx(0.8));
  CHECK(least_outstanding(1) == 1);
  // A class whose answers are one of two: half of all pairs are the same, which is usual then.
  const std::vector<std::string> texts = five_answers();
  std::vector<std::string> two_kinds;
  for (int i = 0; i < 5; ++i) two_kinds.push_back(with_more_statements(texts[0]));
  two_kinds.push_back(texts[0]);
  const ClassLikeness all = compare(two_kinds, stub());
  CHECK(all.pairs.usual == 1);
  CHECK(all.pairs.outstanding == 10);  // not the pairs of the sixth file
  // Of a few files nothing is usual.
  const ClassLikeness few = compare({texts[0], texts[0], texts[1]}, stub());
  CHECK_FALSE(few.pairs.usual);
  CHECK(few.pairs.outstanding == 1);
}

TEST_CASE("files like the solution are told of beside it, and not as pairs") {
  const std::vector<std::string> texts = five_answers();
  std::vector<std::string> files = {texts[0], texts[1], renamed(solution()),
                                    laid_out_anew(solution()), texts[1]};
  const ClassLikeness all = compare(files, stub(), solution());
  REQUIRE(all.solution.outstanding == 2);
  CHECK(all.solution.most[0].share > 0.95);
  CHECK(all.solution.most[0].left + all.solution.most[1].left == 2 + 3);
  CHECK(all.like_solution == 1);
  REQUIRE(all.pairs.outstanding == 1);
  CHECK(all.pairs.most[0].left == 1);
  CHECK(all.pairs.most[0].right == 4);

  // With a mistake in common that the solution has not, they are told of as a pair.
  for (std::size_t i : {2, 3}) {
    files[i] = replaced(files[i], "isnan\\((\\w+\\.\\w+)\\)", "(isnan($1) && $1 < b[7])");
  }
  const ClassLikeness mistaken = compare(files, stub(), solution());
  CHECK(mistaken.solution.outstanding == 2);
  CHECK(mistaken.like_solution == 0);
  CHECK(mistaken.pairs.outstanding == 2);
}

TEST_CASE("rare is what few files have and the solution has not") {
  const std::vector<std::string> texts = five_answers();
  std::vector<std::string> everybody(6, texts[0]);
  everybody.push_back(texts[1]);
  everybody.push_back(renamed(texts[1]));
  const ClassLikeness all = compare(everybody, stub());
  CHECK(all.few == 3);
  for (const Likeness& one : all.pairs.most) {
    if (one.share < 0.9) continue;
    CHECK(one.rare == (one.left == 6 ? one.alike : 0));
  }
  const Likeness& like_solution =
      compare({texts[0], solution(), solution()}, stub(), solution()).solution.most.at(0);
  CHECK(like_solution.rare == 0);
  CHECK(like_solution.alike > 200);
}

TEST_CASE("texts that are no sources, or far too long, cost nothing but their own comparison") {
  CHECK(compare({}, stub(), solution()).pairs.all == 0);
  const std::vector<std::string> texts = five_answers();
  std::string numbers = "int table[] = {";
  while (numbers.size() < (1 << 20)) numbers += std::to_string(numbers.size()) + ",";
  std::string bytes;
  std::mt19937 random(3);
  for (int i = 0; i < 100000; ++i) bytes += static_cast<char>(random());
  const ClassLikeness all =
      compare({"", bytes, numbers, std::string(1 << 20, '{'), std::string(1 << 20, '"'), numbers,
               texts[0], texts[0] + "/* never closed"},
              stub(), solution());
  CHECK(all.own[0] == 0);
  CHECK(all.own[2] == kMostOwn);
  CHECK(all.own[3] == 0);
  REQUIRE(all.pairs.outstanding == 2);
  CHECK(all.pairs.most[0].share == 1);
  CHECK(all.pairs.most[1].share == 1);
  CHECK(compare({"", "x"}, "", "").compared == 0);
}
