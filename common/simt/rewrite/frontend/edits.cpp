#include "frontend/edits.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace simt::rewrite {

void Edits::add(Index first, Index last, Kind kind, Pieces pieces) {
  edits_.push_back({first, last, kind, static_cast<int>(edits_.size()), std::move(pieces)});
}

void Edits::replace(Index first, Index last, Pieces pieces) {
  add(first, last, Kind::replacement, std::move(pieces));
}

void Edits::insert_before(Index token, Pieces pieces) {
  add(token, token, Kind::before, std::move(pieces));
}

void Edits::insert_after(Index token, Pieces pieces) {
  add(token + 1, token + 1, Kind::after_previous, std::move(pieces));
}

/// Copies pieces to the output and keeps count of whether the output is still where the source is.
class Edits::Writer {
 public:
  Writer(const TokenList& list, const std::vector<Edit>& edits) : list_(list), edits_(edits) {
    out_.reserve(list.text.size() + list.text.size() / 8);
  }

  std::string run() {
    tokens(0, list_.size(), 0, list_.text.size());
    return std::move(out_);
  }

 private:
  /// Tokens [first, last) with the edits inside; the text before the first token and after the last
  /// runs from byte `begin` and to byte `end`.
  void tokens(Index first, Index last, std::size_t begin, std::size_t end) {
    std::size_t at = begin;
    Index next = first;
    auto edit = std::lower_bound(
        edits_.begin(), edits_.end(), first,
        [](const Edit& candidate, Index index) { return candidate.first < index; });
    for (; edit != edits_.end() && edit->first <= last; ++edit) {
      if (!applies(*edit, first, last) || edit->first < next) continue;
      const bool insertion = edit->kind != Kind::replacement;
      const std::size_t place = edit->kind == Kind::after_previous
                                    ? list_.tokens[edit->first - 1].end
                                    : list_.tokens[edit->first].begin;
      copy(next, at, place);
      write_pieces(*edit);
      next = edit->last;
      at = insertion ? std::max(at, place) : list_.tokens[edit->last - 1].end;
    }
    copy(next, at, end);
  }

  /// Does an edit belong to the range, rather than to what surrounds it?
  bool applies(const Edit& edit, Index first, Index last) const {
    if (&edit == current_) return false;
    const bool outermost = current_ == nullptr;
    if (edit.kind == Kind::after_previous) return outermost || edit.first > first;
    if (edit.first >= last || edit.last > last) return false;
    const bool before_replaced = edit.kind == Kind::before && !outermost &&
                                 current_->kind == Kind::replacement &&
                                 edit.first == current_->first;
    return !before_replaced;
  }

  void write_pieces(const Edit& edit) {
    const Edit* const outer = std::exchange(current_, &edit);
    for (const Piece& piece : edit.pieces) {
      if (piece.first == kNone) {
        leave_directive();
        out_ += piece.text;
        moved_ = moved_ || !piece.text.empty();
        leaves_line_ = leaves_line_ || piece.text.find('\n') != std::string::npos;
      } else if (!piece.text.empty()) {
        synchronise(piece.first);
        out_ += piece.text;
        moved_ = true;
        leaves_line_ = true;
      } else if (piece.first < piece.last) {
        moved_ = true;
        leaves_line_ = true;
        tokens(piece.first, piece.last, list_.tokens[piece.first].begin,
               list_.tokens[piece.last - 1].end);
        moved_ = true;
        leaves_line_ = true;
      }
    }
    if (edit.first != edit.last) note_removal(edit);
    current_ = outer;
  }

  /// A directive has its line to itself, whatever comes after it here.
  void leave_directive() {
    const std::size_t line = out_.rfind('\n') + 1;
    if (line >= out_.size() || out_[line] != '#') return;
    out_ += '\n';
    moved_ = true;
    leaves_line_ = true;
  }

  /// What was replaced is no longer there: columns have moved, and lines too if it spanned several.
  void note_removal(const Edit& edit) {
    moved_ = true;
    const Token& first = list_.tokens[edit.first];
    const Token& last = list_.tokens[edit.last - 1];
    const std::string_view removed = list_.text.substr(first.begin, last.end - first.begin);
    if (removed.find('\n') != std::string_view::npos) leaves_line_ = true;
  }

  /// Copies bytes [begin, end), whose first token is `next`.
  void copy(Index next, std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    if (list_.text[begin] != '\n') leave_directive();
    if (moved_) {
      const std::size_t newline = list_.text.find('\n', begin);
      const std::size_t token_begin =
          next < list_.size() ? list_.tokens[next].begin : list_.text.size();
      if (token_begin >= end) {
        blank(begin, end, newline);
        return;
      }
      if (!leaves_line_ && newline < token_begin) {
        moved_ = false;  // the rest of the line is empty, the next line is in step by itself
      } else {
        synchronise(next);
        begin = token_begin;
      }
    }
    out_ += list_.text.substr(begin, end - begin);
  }

  /// White space between two edits.
  void blank(std::size_t begin, std::size_t end, std::size_t newline) {
    if (newline < end && !leaves_line_) {
      out_ += list_.text.substr(begin, end - begin);
      moved_ = false;
    } else {
      out_ += ' ';
      if (newline < end) leaves_line_ = true;
    }
  }

  /// Puts the next token where the learner's file has it.
  void synchronise(Index next) {
    const Token& token = list_.tokens[next];
    const Origin& origin = list_.origins[token.origin];
    moved_ = false;
    leaves_line_ = false;
    out_ += "\n# " + std::to_string(token.line) + ' ' + origin.quoted_name;
    if (!origin.flags.empty()) out_ += ' ' + origin.flags;
    out_ += '\n';
    // In preprocessed source a directive is one in the first column only.
    if (token.kind == TokenKind::directive) return;
    const std::size_t line_begin = list_.text.rfind('\n', token.begin) + 1;
    out_.append(token.begin - line_begin, ' ');
  }

  const TokenList& list_;
  const std::vector<Edit>& edits_;
  const Edit* current_ = nullptr;
  std::string out_;
  bool moved_ = false;        ///< columns are out of step
  bool leaves_line_ = false;  ///< lines are out of step too
};

std::string Edits::apply() {
  std::sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) {
    return std::tie(a.first, a.kind, a.order) < std::tie(b.first, b.kind, b.order);
  });
  return Writer(*list_, edits_).run();
}

}  // namespace simt::rewrite
