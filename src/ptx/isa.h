// The instruction table as the program sees it: forms, their operands, what they require and do.
// Generated from isa/*.isa by isagen; this file is the shape of that data and the ways to query it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/types.h"

namespace pitot::ptx {

using ModId = uint16_t;       // index into the modifier-name table; 0: not a known modifier
using MnemonicId = uint16_t;  // index into the mnemonic table; 0: unknown. Named in Mnemonic below.

#include "isa_enums.inc"  // enum class Mnemonic { kUnknown, kAbs, kAdd, … }; enum class Mod { … }

// What an instruction does beyond writing its destination; bit set in Opcode::effects.
enum Effect : uint32_t {
  kLoad = 1u << 0,     // reads memory through its address operand
  kStore = 1u << 1,    // writes memory through its address operand
  kAtomic = 1u << 2,   // read-modify-write with a result
  kRed = 1u << 3,      // read-modify-write without a result
  kFence = 1u << 4,    // orders memory: membar, fence
  kBarrier = 1u << 5,  // waits for other threads: bar, barrier, mbarrier waits
  kAsync = 1u << 6,    // starts or completes an asynchronous operation
  kBranch = 1u << 7,
  kCall = 1u << 8,
  kRet = 1u << 9,
  kExit = 1u << 10,
  kTrap = 1u << 11,
  kConvergent = 1u << 12,  // result or legality depends on which lanes execute it together
  kReadsCC = 1u << 13,     // implicit carry flag
  kWritesCC = 1u << 14,
  kVolatile = 1u << 15,  // must be neither removed, duplicated nor reordered with its like
  kPrefetch = 1u << 16,
  kShuffle = 1u << 17,
  kVote = 1u << 18,
  kMma = 1u << 19,  // tensor-core operation, its loads and stores included (ldmatrix)
  kSfu = 1u << 20,
  kSpecial = 1u << 21,      // reads or sets machine state (setmaxnreg, griddepcontrol, nanosleep)
  kCommutative = 1u << 22,  // the first two sources may be swapped
  kNop = 1u << 23,
};

// Coarse family, the unit of the published opcode counts; `name_of` gives its text.
enum class Group : uint8_t {
  kOther,
  kArith,
  kLogic,
  kShift,
  kCompare,
  kSelect,
  kMove,
  kConvert,
  kFma,
  kSpecialFunction,
  kLoad,
  kStore,
  kAtomic,
  kPrefetch,
  kAsyncCopy,
  kBarrier,
  kFence,
  kMbarrier,
  kWarp,
  kBranch,
  kCall,
  kReturn,
  kTensor,
  kTexture,
  kSurface,
  kVideo,
  kAddress,
  kStack,
  kControl,
  kCount,
};
std::string_view name_of(Group g);

// The execution resource that limits the instruction's rate.
enum class Pipe : uint8_t {
  kNone,
  kInt,
  kFp32,
  kFp64,
  kHalf,
  kSfu,
  kLsu,
  kTex,
  kTensor,
  kBranch,
  kUniform,
  kConvert,
  kAsync,
  kCount,
};
std::string_view name_of(Pipe p);

// One way to satisfy a requirement. ptx = major×10+minor; sm = 0 for any target.
struct Need {
  enum class Suffix : uint8_t { kOrHigher, kArchSpecific, kFamily };
  uint16_t ptx = 0;
  uint16_t sm = 0;
  Suffix suffix = Suffix::kOrHigher;
};

// A compilation target as written after `.target`.
struct Target {
  uint16_t sm = 0;  // 90 for sm_90a; 0 if none was named
  char suffix = 0;  // 'a', 'f' or 0
  bool operator==(const Target&) const = default;
};
Target target_from_name(std::string_view name);  // "sm_90a", "compute_90"; sm = 0 if it is none
std::string name_of(Target t);
bool satisfies(const Need& need, uint16_t ptx, Target target);

// What a row of the table requires: one of these must be satisfied. Empty: nothing is required.
using Needs = std::span<const Need>;
bool satisfies(Needs needs, uint16_t ptx, Target target);

enum class Access : uint8_t { kRead, kWrite, kReadWrite };

enum class OperandClass : uint8_t {
  kSource,    // register or constant
  kRegister,  // register only
  kConstant,  // compile-time constant only
  kAddress,   // […]
  kLabel,
  kFunction,
  kSymbol,
  kSpecial,  // shape checked by code, see OperandSpec::special
};

// Type of an operand: a fixed type, or variable 0..3 (T,U,V,W) of the form, possibly doubled.
struct OperandSpec {
  OperandClass cls = OperandClass::kSource;
  Access access = Access::kRead;
  Type fixed = Type::kNone;      // used when variable < 0; kNone with variable < 0: any type
  int8_t variable = -1;          // 0..3
  bool doubled = false;          // twice as wide (mul.wide)
  bool optional = false;         // may be left out
  bool may_be_wider = false;     // register may exceed the instruction type (ld, st, cvt)
  bool may_negate = false;       // `!p`
  bool may_sink = false;         // `_`
  bool second_pred = false;      // `d|p` allowed
  bool second_required = false;  // and `d` alone is not
  bool by_vector = false;        // element count is that of the .vN modifier
  bool may_select = false;       // a byte or halfword selector or mask: `%r1.b0`, `%r1.h10` (video)
  bool may_minus = false;        // a leading `-` on a register (vmad)
  bool may_pack = false;         // `{…}` of narrower elements filling the type (mov)
  bool may_be_symbol = false;    // the address of a variable, label or function (mov)
  bool braced = false;           // `{…}` is required, also around one element
  uint8_t count_min = 1;         // elements; of a special operand, what it holds (coordinates)
  uint8_t count_max = 1;
  ModId when = 0;            // the operand is there exactly when this modifier is; 0: always
  std::string_view special;  // name of the special operand
  std::string_view values;   // that a constant may have, see value_allowed(); empty: any
};

// Whether `values` ("0..7", "8..256/8", "4|8|16"; empty: any) has the value.
bool value_allowed(std::string_view values, int64_t value);

struct SlotAlternative {
  ModId mod;
  uint16_t requirement;  // index into the requirement table; 0: none
};

struct Slot {
  std::span<const SlotAlternative> alternatives;
  bool optional = false;
  int8_t variable = -1;  // type variable it binds, or −1
};

// Holds when the spelling has one of `mods` (or, negated, none of them); with a variable, when the
// type that it is bound to is one of them.
struct Clause {
  std::span<const ModId> mods;
  int8_t variable = -1;
  bool negated = false;
};

// Spellings that fit a form's slots but combine what cannot be combined: those for which all
// clauses hold are illegal, or with a requirement, legal only where it is satisfied.
struct Exclusion {
  std::span<const Clause> clauses;
  uint16_t requirement = 0;
};

struct Form {
  Mnemonic mnemonic;
  std::span<const Slot> slots;
  uint8_t leading = 0;  // of the slots, those that must come first and in this order
  std::span<const OperandSpec> operands;
  std::span<const Exclusion> exclusions;
  uint16_t requirement = 0;
  uint16_t unless = 0;      // illegal where this holds
  uint16_t deprecated = 0;  // warned of where this holds
  uint32_t effects = 0;
  Group group = Group::kOther;
  Pipe pipe = Pipe::kNone;
  uint8_t latency =
      4;  // issue-to-use cycles, nominal; per-architecture factors are in the GPU table
};

// A fully spelled opcode, decoded once per distinct spelling in a module and shared by all its
// uses.
struct Opcode {
  std::string_view text;  // "ld.global.v4.f32"
  Mnemonic mnemonic = Mnemonic::kUnknown;
  const Form* form = nullptr;           // first of `candidates`; null: no form has these modifiers
  std::vector<const Form*> candidates;  // all forms these modifiers fit; operands tell them apart
  std::vector<ModId> modifiers;         // as written
  std::array<Type, 4> types{};          // bound type variables; kNone where unbound
  Type type =
      Type::kNone;  // the last type modifier written: the instruction type of ld, add, setp…
  Space space = Space::kNone;  // first state-space modifier
  uint8_t vector = 1;          // .v2 → 2
  uint32_t effects = 0;        // Effect bits; of the nearest form when `form` is null
  Group group = Group::kOther;
  Pipe pipe = Pipe::kNone;
  uint8_t latency = 4;

  bool has(Effect e) const { return (effects & e) != 0; }
  bool has_mod(Mod m) const {
    for (ModId id : modifiers)
      if (id == static_cast<ModId>(m)) return true;
    return false;
  }
};

// Why a spelling has no form; for diagnostics.
struct DecodeProblem {
  enum class Kind : uint8_t { kNone, kUnknownMnemonic, kUnknownModifier, kIllegalCombination };
  Kind kind = Kind::kNone;
  uint32_t offset = 0;  // of the offending piece within the spelling
  uint32_t length = 0;
  std::string suggestion;  // nearest legal spelling, may be empty
};

// Decodes a spelling. Never fails: unknown parts leave form null and say why in `problem`.
Opcode decode(std::string_view spelling, DecodeProblem* problem = nullptr);

// How a candidate form reads the spelling: the types that its variables stand for.
struct Binding {
  bool matches = false;
  std::array<Type, 4> types{};  // T, U, V, W
};
Binding bind(const Opcode& opcode, const Form& form);

// All groups of needs for the form and the alternatives that `opcode` used: every group must hold.
std::vector<Needs> requirements(const Opcode& opcode);  // of opcode.form; empty if it is null
std::vector<Needs> requirements(const Opcode& opcode, const Form& form);

// What a target and `.version` say of a form that matches the spelling.
enum class Support : uint8_t {
  kYes,
  kDeprecated,  // works, with a warning
  kNeedsMore,   // see requirements()
  kRemoved,     // no longer there (Form::unless)
};
Support support(const Opcode& opcode, const Form& form, uint16_t ptx, Target target);
// The best of all candidates: kYes if any form is supported. kNeedsMore without candidates.
Support support(const Opcode& opcode, uint16_t ptx, Target target);

std::string_view name_of(Mnemonic m);  // "add"
Mnemonic mnemonic_from_name(std::string_view name);
std::string_view mod_name(ModId id);  // "shared::cta", no dot
ModId mod_from_name(std::string_view name);
std::span<const Form> forms_of(Mnemonic m);
Type mod_type(ModId id);    // kNone if the modifier is no type
Space mod_space(ModId id);  // kNone if the modifier is no state space
Needs needs(uint16_t requirement_index);

}  // namespace pitot::ptx
