// Writes a stretch in another order.
#include <fmt/format.h>

#include <set>

#include "transform/gap.h"
#include "transform/stretch.h"

namespace pitot::transform {
namespace {

struct Piece {
  std::string lead;  // comments in front, the line end before them included
  std::string_view statement;
  std::string_view trail;               // comments behind, on its line
  uint32_t mark = analysis::kNone;      // the .loc that holds for it
  std::vector<uint32_t> labels, marks;  // in front of this place
};

class StretchText {
 public:
  StretchText(Subject& subject, const Stretch& s, const InlinedPlaces& places)
      : subject_(subject), s_(s), places_(places) {
    const ptx::Module& m = subject.module();
    const ptx::Function& f = subject.function();
    const auto body = subject.body();
    size_t next_mark = 0, next_label = 0;
    const uint32_t before = s.first == 0 ? f.body.begin + 1 : body[s.first - 1].range.end;
    const uint32_t behind = s.last == body.size() ? f.body.end - 1 : body[s.last].range.begin;
    for (uint32_t i = s.first; i <= s.last; ++i) {
      const uint32_t begin = i == s.first ? before : body[i - 1].range.end;
      const uint32_t end = i == s.last ? behind : body[i].range.begin;
      // Where the first statement's own comments begin: behind all else.
      Gap gap = read_gap(m, f, begin, end, &next_mark, &next_label);
      if (i > s.first) pieces_.back().trail = m.slice({begin, gap.trail_end});
      if (i == s.last) {
        next_has_mark_ = !gap.marks.empty();
        end_ = gap.trail_end;
        break;
      }
      Piece p;
      p.statement = m.slice(body[i].range);
      if (i == s.first) {
        // A gap with other things in it is not taken apart.
        begin_ = gap.other ? line_begin(end) : gap.lead_begin;
        gap.lead = m.slice({begin_, end});
        if (gap.other) (void)read_gap(m, f, end, end, &next_mark, &next_label);
      } else {
        p.labels = std::move(gap.labels);
        p.marks = std::move(gap.marks);
      }
      p.lead = std::move(gap.lead);
      if (next_mark > 0) p.mark = static_cast<uint32_t>(next_mark) - 1;
      pieces_.push_back(std::move(p));
    }
  }

  // Slots [from, to) in the given order; from and to are where it stops being the source's.
  void write(Edit& edit, std::span<const uint32_t> order, uint32_t from, uint32_t to) {
    const SourceRange range{begin_of(from), end_of(to)};
    std::string out;
    uint32_t mark = from == 0 ? pieces_[0].mark : pieces_[from - 1].mark;
    for (uint32_t slot = from; slot < to; ++slot) {
      const Piece& p = pieces_[order[slot]];
      for (uint32_t l : pieces_[slot].labels)
        out += fmt::format("\n{}:", subject_.function().labels[l].name);
      if (p.mark != mark) write_mark(out, p.mark, range.begin);
      mark = p.mark;
      if (p.lead.find('\n') == std::string::npos) out += "\n\t";
      out += p.lead;
      out += p.statement;
      out += p.trail;
    }
    // Those that had no statement of their own, and that later ones name.
    for (uint32_t slot = from; slot < to; ++slot)
      for (uint32_t m : pieces_[slot].marks)
        if (places_.named[m] != 0 && written_.count(m) == 0) write_mark(out, mark = m, range.begin);
    const bool more = to < pieces_.size();
    if (mark != pieces_[to - 1].mark && !(more ? own_mark(to) : next_has_mark_))
      write_mark(out, pieces_[to - 1].mark, range.begin);
    const std::string_view text = subject_.module().text();
    // A comment at the end must not hide what follows it on the line.
    if (text[range.end] != '\n' && text[range.end] != '\r') out += "\n\t";
    edit.rewriter().replace(range, std::move(out));
    edit.changed();
  }

 private:
  void write_mark(std::string& out, uint32_t mark, uint32_t begin) {
    const auto& marks = subject_.function().line_marks;
    written_.insert(mark);
    if (const uint32_t other = places_.rests_on[mark];
        other != ptx::kNoId && marks[other].range.begin >= begin && written_.count(other) == 0)
      write_mark(out, other, begin);
    out += "\n\t";
    out += subject_.text(marks[mark].range);
  }
  // The line end in front of a statement that begins its line; else the statement.
  uint32_t line_begin(uint32_t at) const {
    const std::string_view text = subject_.module().text();
    uint32_t begin = at;
    while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
    if (begin == 0 || text[begin - 1] != '\n') return at;
    --begin;
    return begin > 0 && text[begin - 1] == '\r' ? begin - 1 : begin;
  }
  bool own_mark(uint32_t slot) const { return pieces_[slot].mark != pieces_[slot - 1].mark; }
  uint32_t instruction_end(uint32_t slot) const {
    return subject_.body()[s_.first + slot].range.end;
  }
  uint32_t begin_of(uint32_t slot) const { return slot == 0 ? begin_ : end_of(slot); }
  // The trail included.
  uint32_t end_of(uint32_t slots) const {
    if (slots == pieces_.size()) return end_;
    return instruction_end(slots - 1) + static_cast<uint32_t>(pieces_[slots - 1].trail.size());
  }

  Subject& subject_;
  const Stretch& s_;
  const InlinedPlaces& places_;
  std::set<uint32_t> written_;  // marks
  std::vector<Piece> pieces_;
  uint32_t begin_ = 0, end_ = 0;
  bool next_has_mark_ = false;
};

}  // namespace

void write_order(Subject& subject, Edit& edit, const Stretch& stretch,
                 std::span<const uint32_t> order, const InlinedPlaces& places) {
  uint32_t from = 0, to = static_cast<uint32_t>(order.size());
  while (from < to && order[from] == from) ++from;
  while (to > from && order[to - 1] == to - 1) --to;
  if (from == to) return;
  StretchText(subject, stretch, places).write(edit, order, from, to);
}

}  // namespace pitot::transform
