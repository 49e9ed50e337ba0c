#include "learn/classroom/similarity.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "learn/classroom/normal_source.hpp"
#include "learn/classroom/tiles.hpp"

namespace tut::learn {
namespace {

/// Pieces of the given code that are shorter are not told from a student's own.
constexpr std::size_t kLeastGiven = 6;

/// A file by what is its own: its tokens that are not of the given code.
struct OwnCode {
  std::vector<NormalToken> tokens;
  std::vector<bool> begins;  ///< whether given code, or nothing, stands before the token
  GramIndex index{{}, kLeastPiece};
  std::vector<std::uint64_t> runs;  ///< the hash of the run that begins at each token
};

std::vector<std::uint32_t> symbols_in(const std::vector<NormalToken>& tokens) {
  std::vector<std::uint32_t> symbols;
  symbols.reserve(tokens.size());
  for (const NormalToken& token : tokens) symbols.push_back(token.symbol);
  return symbols;
}

bool begins_line(const std::vector<NormalToken>& tokens, std::size_t i) {
  return i == 0 || tokens[i - 1].line < tokens[i].line;
}

/// Where the same tokens stand in front of own code as at its end, or behind it as at its
/// beginning, either may be the given ones, as the `;` of two statements. Then own code is what
/// begins with a line.
void move_to_line_begin(const std::vector<NormalToken>& tokens, std::vector<bool>& is_given) {
  const auto mark = [&](std::size_t begin, std::size_t length, bool given) {
    std::fill_n(is_given.begin() + static_cast<std::ptrdiff_t>(begin), length, given);
  };
  for (std::size_t begin = 0, end = 0; begin < tokens.size(); begin = end) {
    end = begin;
    while (end < tokens.size() && is_given[end] == is_given[begin]) ++end;
    if (is_given[begin]) continue;
    const std::size_t length = end - begin;
    std::size_t later = 0, earlier = 0;  // how far it can be moved, up to the begin of a line
    while (later < length && end + later < tokens.size() && is_given[end + later] &&
           tokens[begin + later].symbol == tokens[end + later].symbol &&
           !begins_line(tokens, begin + later)) {
      ++later;
    }
    while (earlier < std::min(begin, length) && is_given[begin - earlier - 1] &&
           tokens[begin - earlier - 1].symbol == tokens[end - earlier - 1].symbol &&
           !begins_line(tokens, begin - earlier)) {
      ++earlier;
    }
    if (begins_line(tokens, begin + later)) {
      mark(begin, later, true);
      mark(end, later, false);
      end += later;
    } else if (begins_line(tokens, begin - earlier)) {
      mark(end - earlier, earlier, true);
      mark(begin - earlier, earlier, false);
    }
  }
}

OwnCode own_code(std::string_view text, const GramIndex& given) {
  std::vector<NormalToken> all = normal_tokens(text);
  std::vector<bool> is_given(all.size());
  for (const Tile& tile : common_tiles(GramIndex(symbols_in(all), kLeastGiven), given)) {
    std::fill_n(is_given.begin() + static_cast<std::ptrdiff_t>(tile.left), tile.length, true);
  }
  move_to_line_begin(all, is_given);
  OwnCode own;
  for (std::size_t i = 0; i < all.size() && own.tokens.size() < kMostOwn; ++i) {
    if (is_given[i]) continue;
    own.tokens.push_back(all[i]);
    own.begins.push_back(i == 0 || is_given[i - 1]);
  }
  own.index = GramIndex(symbols_in(own.tokens), kLeastPiece);
  own.runs.resize(own.index.grams.size());
  for (const Gram& gram : own.index.grams) own.runs[gram.at] = gram.hash;
  return own;
}

/// How many files have a run.
using FileCounts = std::unordered_map<std::uint64_t, std::size_t>;

FileCounts count_files(const std::vector<OwnCode>& files) {
  FileCounts counts;
  for (const OwnCode& file : files) {
    const std::vector<Gram>& grams = file.index.grams;
    for (std::size_t i = 0; i < grams.size(); ++i) {
      if (i == 0 || grams[i].hash != grams[i - 1].hash) ++counts[grams[i].hash];
    }
  }
  return counts;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Takes the likenesses that were found, of which the most alike are kept, in an order that depends
/// on nothing else.
/// @param least_to_say how many it takes to say what is usual
LikenessList list_of(std::vector<Likeness> found, std::size_t least_to_say) {
  LikenessList list;
  list.all = found.size();
  std::vector<double> shares;
  for (const Likeness& one : found) shares.push_back(one.share);
  if (shares.size() >= least_to_say) list.usual = median(std::move(shares));
  list.least = least_outstanding(list.usual.value_or(0));
  std::ranges::sort(found, [](const Likeness& a, const Likeness& b) {
    return std::tuple(b.share, b.rare, a.left, a.right) <
           std::tuple(a.share, a.rare, b.left, b.right);
  });
  list.outstanding = static_cast<std::size_t>(
      std::ranges::count_if(found, [&](const Likeness& one) { return one.share >= list.least; }));
  list.most = std::move(found);
  return list;
}

class Comparison {
 public:
  Comparison(const std::vector<std::string_view>& files, std::string_view given,
             const std::optional<std::string_view>& solution) {
    const GramIndex stub(symbols_in(normal_tokens(given)), kLeastGiven);
    for (const std::string_view text : files) files_.push_back(own_code(text, stub));
    if (solution) solution_ = own_code(*solution, stub);
    for (const Gram& gram : solution_.index.grams) solution_runs_.insert(gram.hash);
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (files_[i].tokens.size() >= kLeastOwn) compared_.push_back(i);
    }
    few_ = std::max<std::size_t>(3, compared_.size() / 10);
    counts_ = count_files(files_);
  }

  ClassLikeness run(std::size_t most) const {
    ClassLikeness result;
    for (const OwnCode& file : files_) result.own.push_back(file.tokens.size());
    result.solution_own = solution_.tokens.size();
    result.compared = compared_.size();
    result.few = few_;
    std::vector<Likeness> beside_solution, pairs;
    if (solution_.tokens.size() >= kLeastOwn) {
      for (const std::size_t i : compared_) {
        beside_solution.push_back(likeness(i, 0, files_[i], solution_));
      }
    }
    for (auto i = compared_.begin(); i != compared_.end(); ++i) {
      for (auto j = i + 1; j != compared_.end(); ++j) {
        pairs.push_back(likeness(*i, *j, files_[*i], files_[*j]));
      }
    }
    result.solution = list_of(std::move(beside_solution), kLeastPairs / 2);
    result.pairs = list_of(std::move(pairs), kLeastPairs);
    leave_out_likes_of_solution(result);
    for (LikenessList* list : {&result.solution, &result.pairs}) {
      if (list->most.size() > most) list->most.resize(most);
    }
    for (Likeness& one : result.solution.most) add_lines(one, files_[one.left], solution_);
    for (Likeness& one : result.pairs.most) {
      add_lines(one, files_[one.left], files_[one.right]);
    }
    return result;
  }

 private:
  /// Two files that are like the solution are like each other, and are told of beside the solution.
  /// Not so if they have something in common that the solution has not.
  void leave_out_likes_of_solution(ClassLikeness& result) const {
    std::vector<bool> is_like(files_.size());
    for (std::size_t i = 0; i < result.solution.outstanding; ++i) {
      is_like[result.solution.most[i].left] = true;
    }
    LikenessList& pairs = result.pairs;
    const auto says_nothing_more = [&](const Likeness& one) {
      return is_like[one.left] && is_like[one.right] && one.rare == 0;
    };
    result.like_solution = static_cast<std::size_t>(std::count_if(
        pairs.most.begin(), pairs.most.begin() + static_cast<std::ptrdiff_t>(pairs.outstanding),
        says_nothing_more));
    pairs.outstanding -= result.like_solution;
    std::erase_if(pairs.most, says_nothing_more);
  }

  Likeness likeness(std::size_t left_place, std::size_t right_place, const OwnCode& left,
                    const OwnCode& right) const {
    Likeness result;
    result.left = left_place;
    result.right = right_place;
    for (const Tile& tile : common_tiles(left.index, right.index)) {
      result.alike += tile.length;
      for (std::size_t i = 0; i < tile.length; ++i) {
        result.same_spelling +=
            left.tokens[tile.left + i].spelling == right.tokens[tile.right + i].spelling ? 1 : 0;
      }
      result.rare += rare_tokens(left, tile);
    }
    result.share = 2.0 * static_cast<double>(result.alike) /
                   static_cast<double>(left.tokens.size() + right.tokens.size());
    return result;
  }

  /// Of a tile, the tokens in runs that few files have and the solution has not.
  std::size_t rare_tokens(const OwnCode& left, const Tile& tile) const {
    std::size_t rare = 0, counted = 0;  // counted: up to there, from the tile's beginning
    for (std::size_t i = 0; i + kLeastPiece <= tile.length; ++i) {
      const std::uint64_t run = left.runs[tile.left + i];
      if (solution_runs_.contains(run) || counts_.at(run) > few_) continue;
      rare += i + kLeastPiece - std::max(i, counted);
      counted = i + kLeastPiece;
    }
    return rare;
  }

  /// Whether lines of both files are those where the last ones end, or the next.
  static bool goes_on(const std::vector<AlikeLines>& lines, int left, int right) {
    const auto is_next = [](const LineRange& range, int line) {
      return line == range.last || line == range.last + 1;
    };
    return !lines.empty() && is_next(lines.back().left, left) && is_next(lines.back().right, right);
  }

  /// The lines of the tiles, cut where given code stands in between.
  static void add_lines(Likeness& one, const OwnCode& left, const OwnCode& right) {
    for (const Tile& tile : common_tiles(left.index, right.index)) {
      for (std::size_t i = 0; i < tile.length; ++i) {
        const std::size_t l = tile.left + i, r = tile.right + i;
        const int left_line = left.tokens[l].line, right_line = right.tokens[r].line;
        const bool begins = i == 0 || left.begins[l] || right.begins[r];
        if (begins && !goes_on(one.lines, left_line, right_line)) {
          one.lines.push_back({{left_line, left_line}, {right_line, right_line}});
        }
        one.lines.back().left.last = left_line;
        one.lines.back().right.last = right_line;
      }
    }
  }

  std::vector<OwnCode> files_;
  OwnCode solution_;
  std::vector<std::size_t> compared_;  ///< places of the files that have enough of their own
  std::size_t few_ = 0;
  FileCounts counts_;
  std::unordered_set<std::uint64_t> solution_runs_;
};

}  // namespace

double least_outstanding(double usual) { return std::max(kLeastOutstanding, (1 + usual) / 2); }

ClassLikeness compare_class(const std::vector<std::string_view>& files, std::string_view given,
                            const std::optional<std::string_view>& solution, std::size_t most) {
  return Comparison(files, given, solution).run(most);
}

}  // namespace tut::learn
