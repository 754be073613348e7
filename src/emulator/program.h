// A module decoded for execution: every instruction once, its operands as places in a frame.
//
// A frame holds one register set of a warp: structure of arrays, 32 lanes a register.
//   .pred                  one LaneMask
//   up to 32 bits          uint32_t[32], unused high bits zero
//   64 bits                uint64_t[32]
//   128 bits               uint64_t[64]: the low words of all lanes, then the high words
// Constants and the special registers that do not change have places of their own, filled in when
// a frame is made, so that an operation reads every operand in the same way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/lanes.h"
#include "ptx/module.h"
#include "support/result.h"

namespace pitot::emulator {

class Warp;
struct Op;

// Executes the operation for the lanes of `mask`, which is not empty.
using Handler = void (*)(Warp& warp, const Op& op, LaneMask mask);

// How the scheduler treats an operation.
enum class Flow : uint8_t {
  kPlain,   // run the handler, go on
  kBranch,  // to Op::target
  kTable,   // brx.idx
  kCall,    // direct or through a register
  kReturn,
  kExit,
  kTrap,
  kConvergent,  // named lanes must come together first: .sync operations of a warp
  kBarrier,     // of the block: bar, barrier
  kCluster,     // barrier.cluster
  kWait,        // the handler says whether to go on: try_wait loops, cp.async.wait, nanosleep
  kUnknown,     // no function for this instruction: a fault that names it
};

// Operations of which some inputs do not count for the result: an undefined one among those leaves
// the result defined.
enum class Choice : uint8_t {
  kNone,
  kPredicate,   // selp
  kSign,        // slct
  kAnd,         // a zero decides
  kOr,          // all ones decide
  kCompareAnd,  // setp with .and: a false third operand decides
  kCompareOr,
};

// Where an operand lies.
struct Slot {
  uint32_t at = 0;       // byte offset in the frame
  uint16_t bits = 32;    // of the register or constant: 1 (predicate), 8 … 128
  bool written = false;  // destination (a destination that is read too appears once)
  bool read = false;
  bool negated = false;                           // !p
  bool minus = false;                             // -%r
  bool constant = false;                          // a literal or a symbol's address: always defined
  bool sink = false;                              // `_`
  ptx::Selector selector = ptx::Selector::kNone;  // video operands
  uint32_t reg = UINT32_MAX;  // index in the frame's definedness table; none for constants
};

// One operand as written: its slots (elements of a vector, p then q of a pair, base then
// coordinates of an address) and the offset of an address.
struct OperandPlace {
  ptx::OperandKind kind = ptx::OperandKind::kNone;
  uint16_t first = 0, count = 0;  // into the operation's slots
  int64_t offset = 0;             // kAddress: added to the base
  uint32_t symbol = ptx::kNoId;   // kSymbol, kAddress of a symbol
  uint16_t special = UINT16_MAX;  // kSpecialRegister: ptx::SpecialId
};

// Op::instruction of the end of a body without instructions.
inline constexpr uint32_t kNoInstruction = UINT32_MAX;

struct Op {
  Handler run = nullptr;
  uint32_t d = 0, a = 0, b = 0, c = 0;  // the places of the first four slots
  uint32_t guard = 0;                   // place of the predicate; 0: none
  uint32_t guard_reg = UINT32_MAX;      // its Slot::reg
  bool guard_negated = false;
  bool leader = false;  // first of a basic block
  bool tracks = false;  // the handler says itself which of its results are undefined
  Choice choice = Choice::kNone;
  Flow flow = Flow::kPlain;
  uint16_t slot_count = 0;
  uint32_t first_slot = 0;     // into Program::slots
  uint32_t first_operand = 0;  // into Program::operands
  uint16_t operand_count = 0;
  uint16_t variant = 0;  // free for the handler: chosen when decoded (compare operator, rounding …)
  int64_t imm = 0;       // free for the handler; an address operation's offset
  uint32_t target = 0;       // branch: operation; call: function; table: first of Program::targets
  uint32_t instruction = 0;  // into Module::instructions
  uint32_t first_reg = 0;    // into Program::regs: definedness entries read, then those written
  uint8_t regs_read = 0, regs_written = 0;
  uint32_t order = 0;  // scheduling priority: lower runs first, so that lanes meet again
};

struct Constant {  // filled in when a frame is made
  enum class Base : uint8_t { kNone, kShared, kFrame };
  uint32_t at = 0;
  uint16_t bits = 32;
  Base base =
      Base::kNone;  // added: the block's place in the shared window; the frame's local memory
  uint64_t low = 0, high = 0;
};

// A special register that a frame holds, by name: filled in by the warp.
struct SpecialPlace {
  uint32_t at = 0;
  uint16_t index = 0;  // into ptx::special_registers()
  uint8_t component = 0;
  uint16_t bits = 32;
};

// One value that a call hands over: in registers, or bytes of the frame's local memory.
struct FormalPlace {
  bool in_register = false;
  uint32_t at = 0;            // place in the frame, or offset in its local memory
  uint32_t bits = 0;          // of the register
  uint32_t size = 0;          // bytes in local memory
  uint32_t reg = UINT32_MAX;  // of the register: Slot::reg
};

struct FunctionCode {
  const ptx::Function* function = nullptr;
  uint32_t first = 0, count = 0;  // into Program::ops; one past the last is an implicit ret
  uint32_t frame_bytes = 0;       // registers, constants and special registers
  uint32_t register_count = 0;    // entries of the definedness table
  uint32_t local_bytes = 0;       // of local memory, a lane
  std::vector<Constant> constants;
  std::vector<SpecialPlace> specials;
  std::vector<FormalPlace> parameters, returns;
  uint32_t parameter_bytes = 0;  // of a kernel's parameter space
  uint32_t shared_bytes = 0;     // static shared memory of a kernel, what it calls included
};

// Where a symbol lies, in its own space's addressing: .global and .const absolute, .shared from the
// start of the block's shared memory, kernel parameters from the start of parameter space, local
// variables and a function's parameters from the frame's part of local memory.
struct SymbolPlace {
  ptx::Space space = ptx::Space::kNone;  // kGlobal, kConst, kShared, kLocal (in a frame), kParam
  uint64_t address = 0;
  bool placed = false;
};

struct Uncovered {
  uint32_t instruction = 0;
  std::string name;  // the spelling
};

struct Program {
  std::shared_ptr<const ptx::Module> module;
  std::vector<Op> ops;
  std::vector<Slot> slots;
  std::vector<OperandPlace> operands;
  std::vector<uint32_t> targets;        // operations, of branch tables
  std::vector<uint32_t> regs;           // entries of definedness tables, by operation
  std::vector<FunctionCode> functions;  // by ptx function index; without a body: count 0
  std::vector<SymbolPlace> symbols;     // by SymbolId
  uint32_t dynamic_shared_at = 0;       // where dynamic shared memory begins
  bool copies_asynchronously = false;   // has cp.async, bulk copies or asynchronous stores
  std::vector<Uncovered> uncovered;     // instructions that fault when reached

  std::span<const Slot> slots_of(const Op& op) const {
    return std::span(slots).subspan(op.first_slot, op.slot_count);
  }
  std::span<const OperandPlace> operands_of(const Op& op) const {
    return std::span(operands).subspan(op.first_operand, op.operand_count);
  }
  // Slots of operand n as written; empty when there is none.
  std::span<const Slot> operand(const Op& op, size_t n) const {
    if (n >= op.operand_count) return {};
    const OperandPlace& p = operands[op.first_operand + n];
    return std::span(slots).subspan(op.first_slot + p.first, p.count);
  }
  const ptx::Instruction& instruction(const Op& op) const {
    return module->instructions[op.instruction];
  }
  uint32_t line(const Op& op) const;
  // Index of the kernel of this name, or of the only one when the name is empty.
  Result<uint32_t> find_kernel(std::string_view name) const;
};

// Decodes a module without errors. Instructions that the emulator does not know become faults when
// reached and are listed in Program::uncovered.
Result<Program> load(std::shared_ptr<const ptx::Module> module);

}  // namespace pitot::emulator
