#include "emulator/copies.h"

#include <algorithm>

namespace pitot::emulator {

CopyMarks::Shared CopyMarks::make() {
  if (landed_ > 64 && landed_ > live_.size() / 2) {
    std::erase_if(live_, [](const Shared& b) { return b->landed; });
    landed_ = 0;
  }
  live_.push_back(std::make_shared<Batch>());
  return live_.back();
}

void CopyMarks::put(Batch& batch, const CopyMark& mark) {
  if (mark.bytes == 0) return;
  batch.marks.push_back(mark);
  const uint64_t last =
      std::min<uint64_t>((mark.offset + mark.bytes - 1) / kCell, cells_.size() - 1);
  for (uint64_t c = mark.offset / kCell; c <= last; ++c) ++cells_[c];
}

void CopyMarks::land(Batch& batch) {
  if (batch.landed) return;
  batch.landed = true;
  ++landed_;
  for (const CopyMark& m : batch.marks) {
    const uint64_t last = std::min<uint64_t>((m.offset + m.bytes - 1) / kCell, cells_.size() - 1);
    for (uint64_t c = m.offset / kCell; c <= last; ++c) --cells_[c];
  }
  batch.marks.clear();
}

void CopyMarks::add(Kind kind, uint32_t thread, const CopyMark& mark) {
  Groups& g = of(kind, thread);
  if (g.sealed) {
    g.open.push_back(make());
    g.sealed = false;
  }
  put(*g.open.back(), mark);
}

void CopyMarks::commit(Kind kind, uint32_t thread) {
  Groups& g = of(kind, thread);
  g.closed.push_back(std::move(g.open));
  g.open.clear();
  g.sealed = true;
}

void CopyMarks::wait(Kind kind, uint32_t thread, uint64_t newest, std::vector<CopyMark>& landed) {
  Groups& g = of(kind, thread);
  while (g.closed.size() > newest) {
    for (const Shared& b : g.closed.front()) {
      landed.insert(landed.end(), b->marks.begin(), b->marks.end());
      land(*b);
    }
    g.closed.pop_front();
  }
}

void CopyMarks::wait_all(uint32_t thread, std::vector<CopyMark>& landed) {
  commit(Kind::kPlain, thread);
  wait(Kind::kPlain, thread, 0, landed);
}

void CopyMarks::add_until(uint64_t barrier, bool odd, const CopyMark& mark) {
  Shared b = make();
  put(*b, mark);
  barriers_[{barrier, odd}].push_back(std::move(b));
}

void CopyMarks::tie(uint32_t thread, uint64_t barrier, bool odd) {
  Groups& g = groups_[thread];
  auto& tied = barriers_[{barrier, odd}];
  for (const auto& group : g.closed) tied.insert(tied.end(), group.begin(), group.end());
  tied.insert(tied.end(), g.open.begin(), g.open.end());
  g.sealed = true;
}

void CopyMarks::passed(uint64_t barrier, bool odd) {
  const auto it = barriers_.find({barrier, odd});
  if (it == barriers_.end()) return;
  for (const Shared& b : it->second) land(*b);
  barriers_.erase(it);
}

const CopyMark* CopyMarks::touched(uint64_t offset, uint64_t bytes, bool write) const {
  if (bytes == 0 || !near(offset, bytes)) return nullptr;
  for (const Shared& b : live_)
    for (const CopyMark& m : b->marks)
      if ((m.written || write) && m.offset < offset + bytes && offset < m.offset + m.bytes)
        return &m;
  return nullptr;
}

}  // namespace pitot::emulator
