#include "check/endless.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/flow_facts.h"

namespace pitot::check {
namespace {

constexpr uint64_t kPatience = 256;  // times what the first kernel needs
constexpr uint64_t kHang = 64;       // times as many are a hang where the budget ends sooner
constexpr uint64_t kFloor = 16;      // the budget's part that the second may always use

}  // namespace

uint64_t patience(uint64_t a, uint64_t budget) {
  const uint64_t wanted = a > budget / kPatience ? budget : a * kPatience;
  return std::min(budget, std::max(wanted, budget / kFloor));
}

bool hangs(uint64_t after, uint64_t a) { return after / kHang >= a; }

std::string loop_text(const Side& side, uint32_t line) {
  if (line == 0) return "";
  analysis::Workspace ws;
  analysis::FlowFacts flow;
  flow.build(*side.module, side.function(), ws);
  auto line_of = [&](uint32_t i) {
    return side.module->source->position(flow.instruction(i).range.begin).line;
  };
  uint32_t first = 0, last = 0;
  for (uint32_t i = 0; i < flow.instruction_count() && first == 0; ++i) {
    if (line_of(i) != line || flow.too_complex) continue;
    const analysis::LoopId loop = flow.loops.loop_of[flow.cfg.block_of[i]];
    if (loop == analysis::kNone) break;
    for (analysis::BlockId b : flow.loops.blocks_of(loop)) {
      const auto& block = flow.cfg.blocks[b];
      for (uint32_t k = block.first; k < block.last; ++k) {
        const uint32_t at = line_of(k);
        first = first == 0 ? at : std::min(first, at);
        last = std::max(last, at);
      }
    }
  }
  if (first == 0) return fmt::format("at line {}", line);
  return first == last ? fmt::format("in the loop of line {}", first)
                       : fmt::format("in the loop of lines {} to {}", first, last);
}

std::string hang_text(const Side& side, uint32_t line, uint64_t after, uint64_t a) {
  return fmt::format("no end after {} warp instructions, where a was done after {}: it was {}",
                     grouped(after), grouped(a), loop_text(side, line));
}

std::string grouped(uint64_t n) {
  std::string s = std::to_string(n);
  for (size_t i = s.size(); i > 3; i -= 3) s.insert(i - 3, ",");
  return s;
}

}  // namespace pitot::check
