#include "property/shrink.h"

namespace pitot::property {

std::vector<Body*> bodies_of(RandomProgram& p) {
  std::vector<Body*> all;
  const auto visit = [&](auto& self, Body& b) -> void {
    all.push_back(&b);
    for (Statement& s : b)
      for (Body& inner : s.bodies) self(self, inner);
  };
  for (DeviceFunction& f : p.functions) visit(visit, f.body);
  visit(visit, p.body);
  return all;
}

void remove(RandomProgram& p, const std::set<const Statement*>& gone) {
  const auto visit = [&](auto& self, Body& b) -> void {
    // A statement that holds others stays in place unless it is named; those are asked first.
    for (Statement& s : b)
      for (Body& inner : s.bodies) self(self, inner);
    Body kept;
    std::vector<bool> drop;
    for (const Statement& s : b) drop.push_back(gone.contains(&s));
    for (size_t k = 0; k < b.size(); ++k)
      if (!drop[k]) kept.push_back(std::move(b[k]));
    b = std::move(kept);
  };
  for (DeviceFunction& f : p.functions) visit(visit, f.body);
  visit(visit, p.body);
}

// Drops statements, or puts the inside of one in its place, while the two still disagree.
RandomProgram shrunk(RandomProgram p, const std::function<bool(const RandomProgram&)>& test,
                     int tries) {
  const auto disagrees = [&](const RandomProgram& q) { return tries-- > 0 && test(q); };
  for (bool smaller = true; smaller;) {
    smaller = false;
    const size_t bodies = bodies_of(p).size();
    for (size_t b = bodies; b-- > 0;) {
      if (b >= bodies_of(p).size()) continue;
      for (size_t k = bodies_of(p)[b]->size(); k-- > 0;) {
        RandomProgram q = p;
        Body& body = *bodies_of(q)[b];
        Statement gone = std::move(body[k]);
        body.erase(body.begin() + static_cast<ptrdiff_t>(k));
        if (disagrees(q)) {
          p = std::move(q);
          smaller = true;
          continue;
        }
        if (gone.bodies.empty()) continue;
        RandomProgram inside = std::move(q);
        Body& place = *bodies_of(inside)[b];
        place.insert(place.begin() + static_cast<ptrdiff_t>(k), gone.bodies[0].begin(),
                     gone.bodies[0].end());
        if (disagrees(inside)) {
          p = std::move(inside);
          smaller = true;
        }
      }
    }
    for (uint32_t threads : {1u, 2u, 32u}) {
      if (threads >= p.threads) break;
      RandomProgram q = p;
      q.threads = threads;
      if (!disagrees(q)) continue;
      p = std::move(q);
      smaller = true;
      break;
    }
  }
  return p;
}

// The statements alone: the frame program is the same everywhere.
std::string statements_text(const RandomProgram& p) {
  std::vector<const Statement*> owners;
  const std::string text = render(p, &owners);
  std::string out = p.header + "threads " + std::to_string(p.threads) + "\n";
  size_t line = 0, from = 0;
  for (size_t at = 0; at < text.size(); ++at)
    if (text[at] == '\n') {
      if (owners[line++] != nullptr) out += text.substr(from, at + 1 - from);
      from = at + 1;
    }
  return out;
}

}  // namespace pitot::property
