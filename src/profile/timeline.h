// How long the warps of a block take when nothing but their own dependences holds them up: they
// wait for operands, for what they asked of memory, and at barriers.
//
// A scoreboard, as the hardware has it, over code that ptxas has put in order: within a window an
// operation starts as soon as its registers are there, behind those that were sent before it, but
// not behind those that wait. Windows end where ptxas moves nothing across: at barriers, calls,
// backward branches and forward ones over more than a few instructions; short ones become
// predicates. Loads do not pass stores of their space. Other warps, full pipes and memory traffic
// are not in it; they are the model's other bounds.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "emulator/warp.h"
#include "profile/op_facts.h"

namespace pitot::profile {

class Timeline {
 public:
  Timeline(size_t warps, size_t registers) : registers_(registers), warps_(warps) {}

  // The warp sends the operation; cycles that the warp has nothing else to send until then.
  uint64_t issue(const emulator::Warp& warp, const emulator::Op& op, const OpFacts& facts);
  // Its result comes so many cycles after it was sent.
  void result_after(const emulator::Warp& warp, const OpFacts& facts, uint64_t cycles);
  uint64_t cycles() const;  // when the last warp is done
  // When the warp has sent all so far, and putting it off by so many cycles with all it waits for.
  uint64_t sent_all(uint32_t warp) const { return warps_[warp].frontier; }
  void put_off(uint32_t warp, uint64_t cycles);

 private:
  static constexpr size_t kSpaces = 4;
  struct WarpState {
    uint64_t base = 0;                       // where the window starts, and what was sent in it
    uint64_t frontier = 0;                   // when the last operation so far has been sent
    uint64_t sent = 0;                       // when the latest one was
    std::array<uint64_t, kSpaces> stored{};  // when the last store of a space was sent
    std::vector<uint64_t> ready;
    uint64_t open_copies = 0;  // when the copies since the last commit are there
    std::deque<uint64_t> groups;
    std::map<uint64_t, uint64_t> arrivals;  // by barrier
    bool at_barrier = false;
    uint64_t barrier = 0, phase = 0;
  };

  size_t registers_;
  std::vector<WarpState> warps_;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> releases_;  // by barrier and phase
};

}  // namespace pitot::profile
