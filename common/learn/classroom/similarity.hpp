/// \file
/// How alike the files of a class are for one exercise. Compared is what stands in a file beyond
/// the code that everybody was given, normalised (normal_source.hpp), in pieces that may stand in
/// any order (tiles.hpp). This says where to look; what it means is for a person to judge.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace tut::learn {

/// A piece shorter than this is no likeness: about half a statement, which two people write alike
/// by themselves. In tokens.
inline constexpr std::size_t kLeastPiece = 16;
/// A file with fewer tokens of its own is not compared.
inline constexpr std::size_t kLeastOwn = 2 * kLeastPiece;
/// Of a file with more tokens of its own, the first are compared.
inline constexpr std::size_t kMostOwn = 20000;
/// What is less alike than this never stands out: copies with other names, order and layout have
/// 0.9 and more, most files that were written apart 0.6 at most.
inline constexpr double kLeastOutstanding = 0.7;
/// What is usual is asked of so many pairs or more.
inline constexpr std::size_t kLeastPairs = 10;

/// Lines from 1, both included.
struct LineRange {
  int first, last;

  bool operator==(const LineRange&) const = default;
};

/// Lines of two files that are alike.
struct AlikeLines {
  LineRange left, right;

  bool operator==(const AlikeLines&) const = default;
};

/// Two files of a class, or one and the solution.
struct Likeness {
  std::size_t left = 0, right = 0;  ///< places in the list of files; right is 0 for the solution
  std::size_t alike = 0;            ///< tokens of each that stand in pieces that both have
  double share = 0;               ///< 2 alike / (own tokens of left + own tokens of right), 0 to 1
  std::size_t same_spelling = 0;  ///< of the alike tokens, those that are spelled the same
  std::size_t rare = 0;  ///< of the alike tokens, those in pieces that few files have, and the
                         ///< solution has not
  std::vector<AlikeLines> lines;  ///< in the order of the left file
};

/// Likenesses of one kind, and what is usual for them.
struct LikenessList {
  std::vector<Likeness> most;   ///< the most alike, first of all those that stand out
  std::size_t outstanding = 0;  ///< how many of `most` stand out
  std::size_t all = 0;          ///< how many have been looked at
  std::optional<double> usual;  ///< the share that half of all have at most; none: too few to say
  double least = 0;             ///< the share from which one stands out
};

struct ClassLikeness {
  std::vector<std::size_t> own;   ///< tokens that are each file's own
  std::size_t solution_own = 0;   ///< tokens that are the solution's own; 0: there is none
  std::size_t compared = 0;       ///< files that have enough of them
  std::size_t few = 0;            ///< at most so many files have what is rare
  LikenessList pairs;             ///< without those that say nothing more than `solution`: pairs of
                                  ///< files that both stand out there, with nothing rare in common
  std::size_t like_solution = 0;  ///< how many of these would have stood out
  LikenessList solution;          ///< each file that is compared, and the solution
};

/// The share from which a pair stands out: halfway from what is usual to 1, and kLeastOutstanding
/// at least. So the less choice an exercise leaves, the more alike a pair has to be.
double least_outstanding(double usual);

/// Compares each file with each other and with the solution. The same files give the same result.
/// @param files the texts, any bytes
/// @param given what everybody was given: the stub
/// @param most how many likenesses a list has at most
ClassLikeness compare_class(const std::vector<std::string_view>& files, std::string_view given,
                            const std::optional<std::string_view>& solution,
                            std::size_t most = 1000);

}  // namespace tut::learn
