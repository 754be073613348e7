// What `diff` found, as plain data: the only thing that reports and rules need to know of it.
// Reports may include headers that end in _result.h; such a header includes nothing but its like.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pitot::gate {

// Ordered by how much may have changed. kAdded and kRemoved are of kernels without a partner.
enum class ChangeClass : uint8_t {
  kIdentical,   // same bytes
  kRenamed,     // equal under a bijection of registers, labels and symbols; spelling aside
  kReordered,   // and legally permuted inside blocks, or blocks moved
  kConstants,   // and other immediates
  kModifiers,   // and other types, modifiers or directives
  kStructural,  // other instructions, operands, control flow or signature
  kAdded,
  kRemoved,
};
// "identical", …
inline const char* to_string(ChangeClass c) {
  constexpr const char* kNames[] = {"identical", "renamed",    "reordered", "constants",
                                    "modifiers", "structural", "added",     "removed"};
  return kNames[static_cast<uint8_t>(c)];
}

// Named numbers of one kernel in a stable order: "registers" → 64.
struct Counts {
  std::vector<std::pair<std::string, double>> items;
  void set(std::string name, double value) { items.emplace_back(std::move(name), value); }
  // The value, or `missing` when there is none of that name.
  double get(std::string_view name, double missing = 0) const {
    for (const auto& [key, value] : items)
      if (key == name) return value;
    return missing;
  }
  bool has(std::string_view name) const {
    for (const auto& item : items)
      if (item.first == name) return true;
    return false;
  }
  bool empty() const { return items.empty(); }
};

struct ConstantChange {
  uint32_t line_a = 0, line_b = 0;   // 1-based
  std::string from, to;              // as written
  std::string from_value, to_value;  // decoded by the type it is used as: "0.5", "-inf"
  std::string type;                  // what it was decoded as: "f32", "f16x2", "s32"
  std::string where;                 // "mul.f32, operand 3", "offset of ld.global.f32"
};

// The same instruction with other types or modifiers, or another directive of the same kind.
struct ModifierChange {
  uint32_t line_a = 0, line_b = 0;
  std::string from, to;  // opcodes, or the directive with its value
  std::string what;      // "comparison ne → neu", ".maxntid"
  std::string witness;   // inputs for which the two differ, when some were found; else empty
};

// Instructions of one spelling that only one side has.
struct OpcodeChange {
  std::string opcode;
  std::string kind;  // coarse family: "fma", "load", …
  std::vector<uint32_t> lines;
  std::vector<std::string> values;  // distinct constants they take, decoded; the first few
  uint32_t count() const { return static_cast<uint32_t>(lines.size()); }
};

// An instruction that stayed but reads other values than before.
struct RewiredChange {
  uint32_t line_a = 0, line_b = 0;
  std::string from, to;
};

// A difference outside the instructions: parameters, launch bounds, shared memory, pragmas, the
// module's header.
struct DeclarationChange {
  std::string what;      // "parameters", "maxntid", "shared", "version", "target", "producer", …
  std::string from, to;  // "(none)" when one side has nothing
  uint32_t line_a = 0, line_b = 0;            // 0 where a side has nothing
  ChangeClass cls = ChangeClass::kIdentical;  // what it alone makes of the kernel
};

// One line of the side-by-side view; an empty text: that side has no such line.
struct AlignedLine {
  enum class Kind : uint8_t { kSame, kChanged, kRemoved, kAdded, kMoved, kGap };
  Kind kind = Kind::kSame;
  uint32_t line_a = 0, line_b = 0;
  std::string text_a, text_b;
};

struct KernelDiff {
  std::string name_a, name_b;            // as in the module; one is empty for added and removed
  std::string demangled_a, demangled_b;  // equal to the name when it is not a mangled one
  std::string matched_by;  // "name", "normalised name", "structure", "only kernel", "" if unmatched
  ChangeClass cls = ChangeClass::kIdentical;
  uint32_t line_a = 0, line_b = 0;  // of the kernel's header

  Counts counts_a, counts_b;                               // mode pitot
  Counts compat_a, compat_b;                               // mode compat; empty when nobody counted
  std::map<std::string, std::pair<Counts, Counts>> ptxas;  // target → physical resources

  std::vector<ConstantChange> constants;
  std::vector<ModifierChange> modifiers;
  std::vector<DeclarationChange> declarations;
  std::vector<OpcodeChange> added, removed;  // instructions
  std::vector<RewiredChange> rewired;
  uint32_t moved = 0;                // instructions found elsewhere in the kernel
  bool blocks_moved = false;         // basic blocks stand in another order
  std::vector<std::string> notes;    // spelling and register-class differences that change nothing
  std::vector<AlignedLine> excerpt;  // the changed lines with some context

  const std::string& name() const { return name_b.empty() ? name_a : name_b; }
  const std::string& demangled() const { return demangled_b.empty() ? demangled_a : demangled_b; }
};

struct DiffResult {
  std::string path_a, path_b;
  ChangeClass cls = ChangeClass::kIdentical;  // the gravest; added and removed count as structural
  std::vector<DeclarationChange> header;      // .version, .target, producer, address size
  std::vector<KernelDiff> kernels;            // in the order of B, then those removed
  // What a header that alone differs means: "only .version differs: the PTX is exonerated …".
  std::string verdict;
};

}  // namespace pitot::gate
