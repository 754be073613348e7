// Runs a kernel a second time in its own wake: beside every float that it computes, the value in
// double precision and an estimate of the rounding error (shadow_value.h). Costs nothing unless it
// is set as a launch's follower.
//
// A shadow belongs to the bits that it was made for. Whatever else writes a register or memory
// changes the bits, and the shadow is not believed any more: the value itself is taken then.
// Integer operations on the bits of a float (exponents, signs, packing) keep its relative error.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/follower.h"
#include "emulator/program.h"
#include "emulator/shadow_value.h"
#include "ptx/types.h"

namespace pitot::emulator {

struct Frame;

class Shadow : public Follower {
 public:
  explicit Shadow(const Program& program);

  void before(Warp& warp, const Op& op, LaneMask mask) override;
  void after(Warp& warp, const Op& op, LaneMask mask) override;

  // What global memory at an address held at the end, if it is known and these are its bits. Its
  // value is not a number when something is known to have been lost on the way.
  std::optional<ShadowValue> global(uint64_t address, unsigned bytes, uint64_t bits) const;
  // Whether nothing but followed stores wrote to global memory: then what has no shadow is no
  // result of rounding.
  bool saw_all_stores() const { return saw_all_stores_; }
  // Spelling of a floating-point operation that ran and is not followed; empty when there is none.
  const std::string& not_followed() const { return not_followed_; }

 private:
  // Of one register: a lane has one part, or two that share its bits evenly.
  struct Cell {
    std::array<uint64_t, kLanes> bits;
    std::array<uint8_t, kLanes> width{};  // bytes of a part; 0: nothing known
    std::array<uint8_t, kLanes> has{};    // bit i: part i
    std::array<uint64_t, kLanes> stamp{};
    std::array<std::array<ShadowValue, kLanes>, 2> part;
  };
  struct Registers {
    uint64_t owner = 0;  // block and warp: a frame's memory may be another's later
    std::vector<std::unique_ptr<Cell>> cells;  // by Slot::reg
  };
  struct Word {
    uint64_t bits = 0;
    ShadowValue value;
    uint8_t bytes = 0;
  };
  // A result on its way to a register: known only after the operation has run.
  struct Pending {
    const Slot* slot;
    uint8_t lane, offset, width;
    bool relative = false;  // of the value that the operation makes: variance is (error/value)²
    ShadowValue value;
  };

  Registers& registers(Warp& w);
  const Cell* cell(Warp& w, const Slot& slot, unsigned lane);
  ShadowValue read(Warp& w, const Slot& slot, unsigned lane, unsigned offset, unsigned width,
                   ptx::Type type);
  double relative2(Warp& w, const Slot& slot, unsigned lane);
  void write(const Slot& slot, unsigned lane, unsigned offset, unsigned width,
             const ShadowValue& v);
  void commit(Warp& w, const Pending& p);
  void copy(Warp& w, const Slot& from, unsigned lane, const Slot& to, unsigned to_lane);

  // --- families: what `before` does with them ---
  bool arithmetic(Warp& w, const Op& op, const ptx::Opcode& o, LaneMask mask);
  ShadowValue apply(const ptx::Opcode& o, const std::array<ShadowValue, 3>& x, double unit,
                    bool& known) const;
  bool convert(Warp& w, const Op& op, const ptx::Opcode& o, LaneMask mask);
  void bits(Warp& w, const Op& op, LaneMask mask);
  void move(Warp& w, const Op& op, LaneMask mask);
  void select(Warp& w, const Op& op, LaneMask mask);
  void shuffle(Warp& w, const Op& op, const ptx::Opcode& o, LaneMask mask);
  bool multiply_matrices(Warp& w, const Op& op, const ptx::Opcode& o);
  void not_followed(const ptx::Opcode& o);

  // --- memory ---
  struct Place {
    uint64_t key = 0;
    bool known = false;
  };
  Place place(Warp& w, ptx::Space space, unsigned lane, uint64_t address) const;
  void address(Warp& w, const Op& op, const OperandPlace& operand, LaneMask mask, ptx::Space space);
  void loaded(Warp& w, const Op& op, const ptx::Opcode& o, LaneMask mask);
  void stored(Warp& w, const Op& op, const ptx::Opcode& o, LaneMask mask);
  void loaded_matrix(Warp& w, const Op& op, const ptx::Opcode& o);
  void stored_matrix(Warp& w, const Op& op, const ptx::Opcode& o);
  void reduce(Warp& w, const Op& op, const ptx::Opcode& o, LaneMask mask);
  void reduced(Warp& w, const Op& op, const ptx::Opcode& o, LaneMask mask);
  void remember(Warp& w, const Slot& slot, unsigned lane, unsigned bytes, const Place& at);
  void recall(Warp& w, const Slot& slot, unsigned lane, unsigned bytes, const Place& at);
  uint64_t peek(Warp& w, unsigned lane, ptx::Space space, unsigned bytes) const;

  const Program& program_;
  std::string not_followed_;
  bool saw_all_stores_ = true;
  std::unordered_map<const Frame*, Registers> frames_;
  std::unordered_map<uint64_t, Word> memory_;
  std::vector<Pending> pending_;
  uint64_t stamp_ = 0;
  // Of the memory operation that runs, from before it: a load may overwrite its own address.
  std::array<uint64_t, kLanes> address_{};
  std::array<Place, kLanes> place_{};
  std::vector<std::pair<Place, ShadowValue>> sums_;
};

// Half the distance from 1 to the next number of a format; 0 of no float.
double unit_roundoff(ptx::Type t);

}  // namespace pitot::emulator
