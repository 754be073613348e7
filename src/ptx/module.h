// The IR: a parsed PTX module. Every node keeps its byte range in the source text, which is never
// changed; edits are made on the text (ptx/rewriter.h) and parsed again. One pool a node kind.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/isa.h"
#include "ptx/types.h"
#include "support/diagnostic.h"
#include "support/result.h"
#include "support/source.h"

namespace pitot::ptx {

using RegId = uint32_t;     // index into Function::registers
using SymbolId = uint32_t;  // index into Module::symbols
using LabelId = uint32_t;   // index into Function::labels
inline constexpr uint32_t kNoId = UINT32_MAX;

enum class OperandKind : uint8_t {
  kNone,
  kRegister,         // id: RegId; selector: element of a vector register or part of a video operand
  kSpecialRegister,  // id: SpecialRegister::index; selector: component
  kInteger,          // value: two's complement bits
  kFloat32,          // 0f…: value holds the 32 bits
  kFloat64,          // 0d… or a decimal literal: value holds the 64 bits
  kSymbol,           // id: SymbolId (variable, parameter, function, table); value: byte offset
  kLabel,            // id: LabelId
  kSink,             // _
  kAddress,          // [base+value]; base_kind and id name the base; children: further coordinates
  kVector,           // { children }
  kPair,             // children: p|q
  kList,             // ( children ) of a call
  kUnresolved,       // a name that nothing declares; the range has it
};

// Which part of a register: .x/.r … .w/.a, .b0 … .b3, .h0, .h1 (video operands). kHalves (.h10) and
// kBytes (.b3210) are several elements of a SIMD video operand; Operand::value has their digits as
// written, four bits each, the last one lowest, and their number from bit 16 on.
enum class Selector : uint8_t {
  kNone,
  kX,
  kY,
  kZ,
  kW,
  kB0,
  kB1,
  kB2,
  kB3,
  kH0,
  kH1,
  kHalves,
  kBytes
};

struct Operand {
  OperandKind kind = OperandKind::kNone;
  OperandKind base_kind = OperandKind::kNone;  // of kAddress: register, symbol, integer, special
  Selector selector = Selector::kNone;
  bool negated : 1 = false;           // !p
  bool minus : 1 = false;             // -%r (video and a few float forms)
  bool unsigned_literal : 1 = false;  // 42U
  uint32_t id = kNoId;
  uint32_t first_child = 0;  // into Module::children
  uint32_t child_count = 0;
  int64_t value = 0;
  SourceRange range;

  bool is_register() const { return kind == OperandKind::kRegister; }
  bool is_constant() const {
    return kind == OperandKind::kInteger || kind == OperandKind::kFloat32 ||
           kind == OperandKind::kFloat64;
  }
};

struct Instruction {
  const Opcode* opcode = nullptr;  // never null; shared by all uses of one spelling
  uint32_t first_operand = 0;      // into Module::operands
  uint16_t operand_count = 0;
  bool guard_negated = false;  // @!p
  RegId guard = kNoId;         // @p
  uint32_t scope = 0;          // into Function::scopes
  SourceRange range;           // guard to semicolon
  SourceRange opcode_range;
};

struct Register {
  std::string_view name;  // "%r12"
  Type type = Type::kNone;
  uint8_t vector = 1;  // .v2 → 2
  uint32_t scope = 0;
  uint32_t declaration = kNoId;  // into Function::register_declarations
};

// `.reg .b32 %r<100>;` has count 100 and the prefix as name; `.reg .b32 a;` has count 0.
struct RegisterDeclaration {
  std::string_view name;
  Type type = Type::kNone;
  uint8_t vector = 1;
  uint32_t scope = 0;
  uint32_t count = 0;
  SourceRange range;  // of this name in the declaration
  uint64_t registers() const { return count == 0 ? 1 : count; }
};

struct Label {
  std::string_view name;
  uint32_t scope = 0;
  uint32_t instruction =
      0;              // index in the function of the instruction that follows (may be one past)
  uint32_t uses = 0;  // by branches and tables of the function, not by debug sections
  SourceRange range;
};

struct LineMark {  // .loc
  uint32_t file = 0, line = 0, column = 0;
  uint32_t instruction = 0;  // the first one it describes
  SourceRange range;
};

// Lexical scope `{ … }` inside a body; scope 0 is the body itself.
struct Scope {
  uint32_t parent = 0;
  SourceRange range;
};

enum class SymbolKind : uint8_t {
  kVariable,
  kParameter,
  kReturn,
  kFunction,
  kPrototype,
  kBranchTargets,
  kCallTargets,
  kAlias,
};
enum class Linkage : uint8_t { kNone, kExtern, kVisible, kWeak, kCommon };

// Anything declared by name that is not a register or a plain label.
struct Symbol {
  std::string_view name;
  SymbolKind kind = SymbolKind::kVariable;
  Linkage linkage = Linkage::kNone;
  Space space = Space::kNone;
  Type type = Type::kNone;
  uint8_t vector = 1;
  bool is_array = false;
  bool unsized = false;    // name[]: size comes from elsewhere (extern shared: the launch)
  uint32_t alignment = 0;  // effective: as declared, else natural; bytes
  bool explicit_alignment = false;
  uint64_t elements = 1;    // product of the array dimensions
  uint64_t size = 0;        // bytes; 0 when unsized
  bool is_pointer = false;  // parameter has .ptr
  Space pointer_space = Space::kNone;
  uint32_t pointer_alignment = 0;  // .ptr .align N; 0 if not said
  uint32_t function =
      kNoId;  // of a function symbol: index of its (last) declaration; else its owner
  uint32_t instruction = kNoId;  // of a table or prototype in a body: the instruction that follows
  uint32_t scope = 0;
  SourceRange range;        // of the name
  SourceRange declaration;  // of the whole declaration
  SourceRange initialiser;  // after `=`; empty if none
  uint32_t first_target = 0,
           target_count = 0;  // into Module::children: .branchtargets/.calltargets
};

// A directive in a body that is none of the above: .pragma and unknown ones.
struct DirectiveNode {
  std::string_view name;  // ".pragma"
  uint32_t instruction = 0;
  SourceRange range;
};

struct LaunchBounds {
  std::optional<std::array<uint32_t, 3>> maxntid, reqntid, reqnctapercluster;
  std::optional<uint32_t> maxnreg, minnctapersm, maxnctapersm, maxclusterrank;
  bool explicitcluster = false, noreturn = false, blocksareclusters = false;
  // Threads of a block: reqntid, else maxntid, as a product; nothing if neither is given.
  std::optional<uint64_t> threads() const;
};

struct Module;

struct Function {
  std::string_view name;
  SymbolId symbol = kNoId;
  bool is_entry = false;
  bool has_body = false;
  Linkage linkage = Linkage::kNone;
  std::vector<SymbolId> parameters, returns;
  // Returns and parameters of `.func` may be plain registers (.reg); they appear here in order.
  std::vector<RegId> register_parameters, register_returns;
  LaunchBounds bounds;
  std::vector<DirectiveNode> performance_directives;  // as written between header and body
  SourceRange range;                                  // linkage to closing brace or semicolon
  SourceRange header;  // linkage to the parenthesis that ends the parameters
  SourceRange body;    // the braces included; empty without one

  uint32_t first_instruction = 0, instruction_count = 0;  // into Module::instructions
  std::vector<Register> registers;                        // only those that the body names
  std::vector<RegisterDeclaration> register_declarations;
  std::vector<Label> labels;
  std::vector<LineMark> line_marks;
  std::vector<Scope> scopes;
  std::vector<SymbolId> variables;  // declared in the body
  std::vector<DirectiveNode> directives;
};

struct TopLevelRange {  // debug sections, .file and the like: kept, not interpreted
  std::string_view name;
  SourceRange range;
};

struct Module {
  Module() = default;
  // Instructions point into the module's own opcodes: it can be moved but not copied.
  Module(Module&&) = default;
  Module& operator=(Module&&) = default;

  std::shared_ptr<const SourceText> source;
  Diagnostics diagnostics;  // what the parser found; the verifier adds its own elsewhere

  SourceRange preamble;                   // before .version: BOM, cuobjdump header
  uint16_t version = 0;                   // major×10+minor; 0 if missing
  SourceRange version_range;              // of the number
  Target target;                          // the first sm_ named
  std::vector<std::string_view> targets;  // all of them: sm_90a, texmode_independent, debug …
  SourceRange target_range;
  unsigned address_size = 64;
  SourceRange address_size_range;

  std::vector<Symbol> symbols;
  std::vector<Function> functions;  // in order; a prototype and its definition are two entries
  std::vector<TopLevelRange> others;

  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::vector<Operand> children;
  std::deque<Opcode> opcodes;       // one a distinct spelling
  std::deque<std::string> strings;  // spellings that were joined across blanks

  std::string_view text() const { return source->text(); }
  std::string_view slice(SourceRange r) const { return source->slice(r); }

  std::span<const Instruction> body(const Function& f) const {
    return std::span(instructions).subspan(f.first_instruction, f.instruction_count);
  }
  std::span<const Operand> operands_of(const Instruction& i) const {
    return std::span(operands).subspan(i.first_operand, i.operand_count);
  }
  std::span<const Operand> children_of(const Operand& o) const {
    return std::span(children).subspan(o.first_child, o.child_count);
  }
  // The definition (entry or function with a body) of this name, or null.
  const Function* find_function(std::string_view name) const;
};

// Index in Module::functions of the kernel of this name, or of the only one when the name is empty.
// Errors: none such, or several and no name.
Result<uint32_t> find_kernel(const Module& module, std::string_view name);

// "LLVM NVPTX Back-End", "NVIDIA NVVM Compiler CL-36424714 release 13.0 V13.0.88", … from the
// header comments; `version` holds the toolkit or compiler version when the header gives one.
struct Producer {
  std::string name;
  std::string version;
};
Producer producer_of(const Module& module);

}  // namespace pitot::ptx
