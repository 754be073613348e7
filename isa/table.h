// The instruction table as read from the *.isa files, before it becomes C++ or JSON.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pitot::isagen {

struct Need {
  int ptx = 0;
  int sm = 0;
  char suffix = 0;  // 'a', 'f' or 0: that target or higher
};

// One of these must hold; empty: always holds.
using Requirement = std::vector<Need>;

struct Alternative {
  std::string mod;
  Requirement requirement;
};

struct Slot {
  std::vector<Alternative> alternatives;
  bool optional = false;
  int variable = -1;
};

struct Operand {
  std::string cls = "kSource";
  std::string access = "kRead";
  std::string type;  // empty: any type, or the variable's
  int variable = -1;
  bool doubled = false;
  bool optional = false;
  bool may_be_wider = false;
  bool may_negate = false;
  bool may_sink = false;
  bool second_pred = false;
  bool second_required = false;
  bool by_vector = false;
  bool may_select = false;
  bool may_minus = false;
  bool may_pack = false;
  bool may_be_symbol = false;
  bool braced = false;  // {N}
  int count_min = 1;
  int count_max = 1;
  std::string when;     // only there with this modifier
  std::string special;  // name of a special operand
  std::string values;   // of a constant: "0..7", "8..256/8", "4|8|16"
};

// True when the spelling has one of `mods` (or, negated, none); with a variable, when its type is
// one.
struct Clause {
  std::vector<std::string> mods;
  int variable = -1;
  bool negated = false;
};

// Spellings that fit the slots but are illegal, or need more, because of what they combine.
struct Exclusion {
  std::vector<Clause> clauses;
  Requirement requirement;  // empty: illegal
};

struct Form {
  std::string file;
  int line = 0;
  std::vector<Slot> slots;
  size_t leading = 0;  // of the slots, those that must come first and in this order
  std::vector<Operand> operands;
  std::vector<Exclusion> exclusions;
  Requirement requirement;
  Requirement unless;
  Requirement deprecated;
  std::vector<std::string> effects;  // enumerators of Effect
  std::string group = "kOther";
  std::string pipe = "kNone";
  int latency = 4;
};

struct Table {
  std::map<std::string, std::vector<Form>> instructions;
  std::vector<std::string> types;       // names that are types
  std::vector<std::string> spaces;      // names that are state spaces
  std::vector<std::string> names;       // further known modifier names
  std::vector<std::string> repeatable;  // names that may be written twice
};

// Reads one file into `table`. False after printing `file:line:column: error: …` to standard error.
bool read_table(const std::string& path, Table& table);

// Every form as JSON, in the order of the C++ tables.
std::string dump(const Table& table);

// "shared::cta" → "kSharedCta", "L2::128B" → "kL2_128B", "b4x16_p64" → "kB4x16P64".
std::string enumerator(std::string_view name);

}  // namespace pitot::isagen
