// A warp: its lanes in fragments that run apart and come together again, each in a frame of
// registers. What operations see of the machine.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "emulator/fault.h"
#include "emulator/lanes.h"
#include "emulator/program.h"

namespace pitot::emulator {

class Block;
class Region;

// Registers of one activation of a function, for the lanes that called it together.
struct Frame {
  const FunctionCode* code = nullptr;
  std::unique_ptr<std::byte[]> storage;
  std::byte* registers = nullptr;   // into storage, 64-byte aligned
  std::vector<LaneMask> undefined;  // by Slot::reg: lanes whose value is not defined
  std::shared_ptr<Frame> parent;    // null: the kernel
  uint32_t call = 0;                // the operation that called
  uint32_t local_base = 0;          // of its variables in local memory
  uint32_t local_top = 0;           // first free byte of local memory: alloca moves it
  unsigned depth = 0;
  LaneMask carry = 0;  // CC.CF
};

enum class FragmentState : uint8_t { kReady, kConverge, kBarrier, kCluster, kWait };

struct Fragment {
  LaneMask lanes = 0;
  uint32_t pc = 0;
  FragmentState state = FragmentState::kReady;
  std::shared_ptr<Frame> frame;
  uint64_t last_run = 0;  // for fairness
  bool arrived = false;   // kBarrier, kCluster: counted already
};

// Op::variant of a convergent operation whose member mask is not an operand.
inline constexpr uint16_t kNoMemberMask = UINT16_MAX;
// The same, of operations that all live lanes of the warp execute together (.sync.aligned).
inline constexpr uint16_t kWholeWarp = UINT16_MAX - 1;

enum class WarpStatus : uint8_t { kFinished, kBlocked, kQuantum, kStopped };

class Warp {
 public:
  Warp(Block& block, uint32_t index, LaneMask lanes);

  // Runs until every fragment is done or waits, or so many instructions have run.
  WarpStatus run(uint64_t quantum);

  // --- what operations use ---
  std::byte* regs = nullptr;  // of the running frame
  Frame* frame = nullptr;
  Block& block;
  const uint32_t index;  // in the block
  uint32_t pc = 0;  // of the running operation; a kWait handler that must wait leaves `again` set
  bool again = false;         // the operation has to run again later
  uint64_t failed_waits = 0;  // polls that found nothing
  LaneMask put_off = 0;       // lanes whose test found nothing and gets a second look
  LaneMask taint = 0;         // lanes for which the running load read undefined bytes
  LaneMask chosen = 0;        // Op::choice: lanes whose result is undefined
  bool stop = false;          // a fault ended the launch for this warp
  Region* region = nullptr;   // of global memory, that was accessed last

  uint32_t* u32(uint32_t at) { return reinterpret_cast<uint32_t*>(regs + at); }
  int32_t* s32(uint32_t at) { return reinterpret_cast<int32_t*>(regs + at); }
  uint64_t* u64(uint32_t at) { return reinterpret_cast<uint64_t*>(regs + at); }
  int64_t* s64(uint32_t at) { return reinterpret_cast<int64_t*>(regs + at); }
  float* f32(uint32_t at) { return reinterpret_cast<float*>(regs + at); }
  double* f64(uint32_t at) { return reinterpret_cast<double*>(regs + at); }
  LaneMask& predicate(uint32_t at) { return *reinterpret_cast<LaneMask*>(regs + at); }

  // A register's low 64 bits in one lane, whatever its width (zero-extended), and the way back.
  uint64_t get(const Slot& slot, unsigned lane) const;
  void set(const Slot& slot, unsigned lane, uint64_t value);

  const Program& program() const { return program_; }
  // Reports a fault of these lanes and stops the warp; `note`: and goes on.
  void fault(FaultKind kind, const Op& op, LaneMask lanes, uint64_t address, std::string message);
  void note(FaultKind kind, const Op& op, LaneMask lanes, uint64_t address, std::string message);

  LaneMask live() const { return live_; }
  LaneMask born() const { return born_; }
  LaneMask active() const { return active_; }  // lanes of the running fragment
  std::vector<Fragment>& fragments() { return fragments_; }
  // Fragments that wait for each other at a convergent operation come together; true when some can
  // go on.
  bool join_waiting();
  bool gathered(const Op& op, const Fragment& f);
  LaneMask named_lanes(const Op& op, const Fragment& f) const;
  std::string where() const;  // "16 of 32 lanes of warp 0 at line 12; …"
  std::byte* local(unsigned lane, uint64_t offset, uint64_t bytes);  // null beyond the limit
  // Bit a byte of the lane's local memory that was written, as far as local() has made it; null
  // when that is not tracked.
  uint64_t* local_defined(unsigned lane) {
    return local_defined_.empty() ? nullptr : local_defined_[lane].data();
  }
  // Local memory that begins to be used: what lay there before is nobody's.
  void forget_local(LaneMask lanes, uint64_t from, uint64_t to);

  std::shared_ptr<Frame> make_frame(const FunctionCode& code, std::shared_ptr<Frame> parent,
                                    uint32_t call, uint32_t local_base);

 private:
  Fault make_fault(FaultKind kind, const Op& op, LaneMask lanes, uint64_t address,
                   std::string message) const;
  bool index_defined(const Op& op, const Slot& s, LaneMask mask);
  size_t pick();
  bool step(size_t chosen, const Op& op, LaneMask mask);
  bool table(size_t chosen, const Op& op, LaneMask mask);
  bool call(size_t chosen, const Op& op, LaneMask mask);
  void pass_defined(const FormalPlace& formal, const Slot& s, bool is_variable, Frame& outer,
                    Frame& inner, unsigned lane, uint64_t size, bool in);
  void pass(const Op& op, size_t list, const std::vector<FormalPlace>& formals, Frame& outer,
            Frame& inner, LaneMask mask, bool in);
  void leave(size_t fragment, LaneMask mask);  // ret
  void exit(size_t fragment, LaneMask mask);
  void fill_specials(Frame& frame);

  const Program& program_;
  std::vector<Fragment> fragments_;
  LaneMask live_, born_;
  LaneMask active_ = 0;
  uint64_t clock_ = 0;
  std::vector<std::vector<std::byte>> local_;  // by lane
  std::vector<std::vector<uint64_t>> local_defined_;
};

}  // namespace pitot::emulator
