// isagen: turns the instruction table (*.isa) into constant-initialised C++ tables, or into JSON.
//   isagen OUTDIR FILE…   writes OUTDIR/isa_enums.inc, isa_tables.inc and isa_forms.json (what
//   --dump prints) isagen --dump FILE…   prints every form as JSON
#include <bit>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "ptx/isa_hash.h"
#include "table.h"

namespace pitot::isagen {
namespace {

using Names = std::vector<std::string>;  // index is the identifier; 0 is "unknown"

// Fails on two names that would have one enumerator.
bool check_enumerators(const Names& names) {
  std::map<std::string, std::string> seen;
  for (const std::string& name : names) {
    auto [it, fresh] = seen.emplace(enumerator(name), name);
    if (!fresh) {
      std::fprintf(stderr, "isagen: error: '%s' and '%s' would both be %s\n", it->second.c_str(),
                   name.c_str(), it->first.c_str());
      return false;
    }
  }
  return true;
}

// Rows of one array, equal runs stored once.
class Pool {
 public:
  // Index of the first row of the run.
  size_t add(const std::vector<std::string>& rows) {
    std::string key;
    for (const std::string& row : rows) key += row + '\n';
    auto [it, fresh] = starts_.emplace(std::move(key), rows_.size());
    if (fresh) rows_.insert(rows_.end(), rows.begin(), rows.end());
    return it->second;
  }
  void print(std::ostream& out, const char* type, const char* name) const {
    out << "constexpr " << type << ' ' << name << "[] = {\n";
    for (const std::string& row : rows_) out << "    " << row << ",\n";
    if (rows_.empty()) out << "    {},\n";
    out << "};\n";
  }

 private:
  std::map<std::string, size_t> starts_;
  std::vector<std::string> rows_;
};

std::string span_of(const char* array, size_t begin, size_t count) {
  if (count == 0) return "{}";
  return std::string("{") + array + " + " + std::to_string(begin) + ", " + std::to_string(count) +
         "}";
}

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

class Generator {
 public:
  explicit Generator(const Table& table) : table_(table) {
    std::set<std::string> mods(table.names.begin(), table.names.end());
    mods.insert(table.types.begin(), table.types.end());
    mods.insert(table.spaces.begin(), table.spaces.end());
    for (const auto& [name, forms] : table.instructions) {
      mnemonics_.push_back(name);
      for (const Form& form : forms)
        for (const Slot& slot : form.slots)
          for (const Alternative& a : slot.alternatives) mods.insert(a.mod);
    }
    mods_.insert(mods_.end(), mods.begin(), mods.end());
    for (size_t i = 0; i < mods_.size(); ++i) mod_ids_[mods_[i]] = i;
  }

  bool check() const { return check_enumerators(mnemonics_) && check_enumerators(mods_); }

  std::string enums() const {
    std::ostringstream out;
    print_enum(out, "Mnemonic", mnemonics_);
    print_enum(out, "Mod", mods_);
    return out.str();
  }

  std::string tables() {
    std::ostringstream forms;
    std::ostringstream ranges;
    std::ostringstream filters;
    size_t count = 0;
    ranges << "constexpr uint16_t kFormRanges[] = {0, 0";
    for (const auto& [name, rows] : table_.instructions) {
      for (const Form& form : rows) {
        forms << "    " << form_row(name, form) << ",\n";
        filters << "    " << filter_row(form) << ",\n";
      }
      ranges << ", " << (count += rows.size());
    }
    std::ostringstream out;
    print_names(out, "kMnemonicNames", mnemonics_);
    print_names(out, "kModNames", mods_);
    print_hash(out, "kMnemonicHash", mnemonics_);
    print_hash(out, "kModHash", mods_);
    print_mod_meanings(out);
    needs_.print(out, "Need", "kNeeds");
    out << "constexpr std::span<const Need> kRequirements[] = {\n    {},\n";
    for (const std::string& row : requirements_) out << "    " << row << ",\n";
    out << "};\n";
    alternatives_.print(out, "SlotAlternative", "kAlternatives");
    slots_.print(out, "Slot", "kSlots");
    clause_mods_.print(out, "ModId", "kClauseMods");
    clauses_.print(out, "Clause", "kClauses");
    exclusions_.print(out, "Exclusion", "kExclusions");
    operands_.print(out, "OperandSpec", "kOperands");
    out << "constexpr Form kForms[] = {\n" << forms.str() << "};\n";
    out << "constexpr FormFilter kFilters[] = {\n" << filters.str() << "};\n";
    out << ranges.str() << "};\n";
    return out.str();
  }

 private:
  static void print_enum(std::ostream& out, const char* type, const Names& names) {
    out << "enum class " << type << " : uint16_t {\n  kUnknown,\n";
    for (size_t i = 1; i < names.size(); ++i) out << "  " << enumerator(names[i]) << ",\n";
    out << "};\n";
  }

  static void print_names(std::ostream& out, const char* array, const Names& names) {
    out << "constexpr std::string_view " << array << "[] = {\n";
    for (const std::string& name : names) out << "    " << quoted(name) << ",\n";
    out << "};\n";
  }

  // Open addressing with linear probing, at most half full.
  static void print_hash(std::ostream& out, const char* array, const Names& names) {
    std::vector<size_t> cells(std::bit_ceil(names.size() * 2), 0);
    for (size_t i = 1; i < names.size(); ++i) {
      size_t at = ptx::isa_hash(names[i]) & (cells.size() - 1);
      while (cells[at]) at = (at + 1) & (cells.size() - 1);
      cells[at] = i;
    }
    out << "constexpr uint16_t " << array << "[" << cells.size() << "] = {";
    for (size_t i = 0; i < cells.size(); ++i) out << (i % 20 ? " " : "\n    ") << cells[i] << ',';
    out << "\n};\n";
  }

  // What a modifier says by itself: a type, a state space, a vector length.
  void print_mod_meanings(std::ostream& out) const {
    std::set<std::string> types(table_.types.begin(), table_.types.end());
    std::set<std::string> spaces(table_.spaces.begin(), table_.spaces.end());
    std::set<std::string> repeatable(table_.repeatable.begin(), table_.repeatable.end());
    out << "constexpr ModMeaning kModMeanings[] = {\n";
    for (const std::string& mod : mods_) {
      int vector = 0;
      if (mod.size() > 1 && mod[0] == 'v' && mod.find_first_not_of("0123456789", 1) == mod.npos)
        vector = std::stoi(mod.substr(1));
      out << "    {Type::" << (types.count(mod) ? enumerator(mod) : "kNone")
          << ", Space::" << (spaces.count(mod) ? enumerator(mod) : "kNone") << ", " << vector
          << ", " << (repeatable.count(mod) ? "true" : "false") << "},\n";
    }
    out << "};\n";
  }

  size_t requirement(const Requirement& any) {
    if (any.empty()) return 0;
    std::vector<std::string> rows;
    for (const Need& need : any) {
      const char* suffix = need.suffix == 'a'   ? "kArchSpecific"
                           : need.suffix == 'f' ? "kFamily"
                                                : "kOrHigher";
      rows.push_back("{" + std::to_string(need.ptx) + ", " + std::to_string(need.sm) +
                     ", Need::Suffix::" + suffix + "}");
    }
    std::string row = span_of("kNeeds", needs_.add(rows), rows.size());
    auto [it, fresh] = requirement_ids_.emplace(row, requirements_.size() + 1);
    if (fresh) requirements_.push_back(row);
    return it->second;
  }

  std::string slot_row(const Slot& slot) {
    std::vector<std::string> rows;
    for (const Alternative& a : slot.alternatives)
      rows.push_back("{" + std::to_string(mod_ids_.at(a.mod)) + ", " +
                     std::to_string(requirement(a.requirement)) + "}");
    return "{" + span_of("kAlternatives", alternatives_.add(rows), rows.size()) + ", " +
           (slot.optional ? "true" : "false") + ", " + std::to_string(slot.variable) + "}";
  }

  std::string exclusion_row(const Exclusion& exclusion) {
    std::vector<std::string> rows;
    for (const Clause& clause : exclusion.clauses) {
      std::vector<std::string> ids;
      for (const std::string& mod : clause.mods) {
        auto found = mod_ids_.find(mod);
        ids.push_back(std::to_string(found == mod_ids_.end() ? 0 : found->second));
      }
      rows.push_back("{" + span_of("kClauseMods", clause_mods_.add(ids), ids.size()) + ", " +
                     std::to_string(clause.variable) + (clause.negated ? ", true}" : ", false}"));
    }
    return "{" + span_of("kClauses", clauses_.add(rows), rows.size()) + ", " +
           std::to_string(requirement(exclusion.requirement)) + "}";
  }

  std::string operand_row(const Operand& o) const {
    auto flag = [](bool b) { return b ? "true, " : "false, "; };
    return "{OperandClass::" + o.cls + ", Access::" + o.access +
           ", Type::" + (o.type.empty() ? "kNone" : enumerator(o.type)) + ", " +
           std::to_string(o.variable) + ", " + flag(o.doubled) + flag(o.optional) +
           flag(o.may_be_wider) + flag(o.may_negate) + flag(o.may_sink) + flag(o.second_pred) +
           flag(o.second_required) + flag(o.by_vector) + flag(o.may_select) + flag(o.may_minus) +
           flag(o.may_pack) + flag(o.may_be_symbol) + flag(o.braced) + std::to_string(o.count_min) +
           ", " + std::to_string(o.count_max) + ", " +
           std::to_string(o.when.empty() ? 0 : mod_ids_.at(o.when)) + ", " + quoted(o.special) +
           ", " + quoted(o.values) + "}";
  }

  std::string form_row(const std::string& name, const Form& form) {
    std::vector<std::string> slots;
    for (const Slot& slot : form.slots) slots.push_back(slot_row(slot));
    std::vector<std::string> operands;
    for (const Operand& operand : form.operands) operands.push_back(operand_row(operand));
    std::vector<std::string> exclusions;
    for (const Exclusion& exclusion : form.exclusions)
      exclusions.push_back(exclusion_row(exclusion));
    std::string effects = "0";
    for (const std::string& effect : form.effects) effects += " | " + effect;
    return "{Mnemonic::" + enumerator(name) + ", " +
           span_of("kSlots", slots_.add(slots), slots.size()) + ", " +
           std::to_string(form.leading) + ", " +
           span_of("kOperands", operands_.add(operands), operands.size()) + ", " +
           span_of("kExclusions", exclusions_.add(exclusions), exclusions.size()) + ", " +
           std::to_string(requirement(form.requirement)) + ", " +
           std::to_string(requirement(form.unless)) + ", " +
           std::to_string(requirement(form.deprecated)) + ", " + effects +
           ", Group::" + form.group + ", Pipe::" + form.pipe + ", " + std::to_string(form.latency) +
           "}";
  }

  // Cheap test before slots are looked at: how many modifiers, and which can occur at all.
  std::string filter_row(const Form& form) const {
    size_t required = 0;
    uint64_t mask = 0;
    uint64_t must = 0;
    for (const Slot& slot : form.slots) {
      required += !slot.optional;
      uint64_t slot_mask = 0;
      for (const Alternative& a : slot.alternatives)
        slot_mask |= uint64_t{1} << (mod_ids_.at(a.mod) % 64);
      mask |= slot_mask;
      if (!slot.optional && slot.alternatives.size() == 1) must |= slot_mask;
    }
    char text[96];
    std::snprintf(text, sizeof text, "{%zu, 0x%llxull, 0x%llxull}", required,
                  static_cast<unsigned long long>(mask), static_cast<unsigned long long>(must));
    return text;
  }

  const Table& table_;
  Names mnemonics_{"unknown"};
  Names mods_{"unknown"};
  std::map<std::string, size_t> mod_ids_;
  Pool needs_, alternatives_, slots_, operands_, clause_mods_, clauses_, exclusions_;
  std::vector<std::string> requirements_;
  std::map<std::string, size_t> requirement_ids_;
};

// Leaves an equal file alone, so that what includes it is not compiled again.
bool write_if_changed(const std::string& path, const std::string& text) {
  std::ifstream in(path, std::ios::binary);
  if (in && std::string(std::istreambuf_iterator<char>(in), {}) == text) return true;
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (out) return true;
  std::fprintf(stderr, "%s: error: cannot be written\n", path.c_str());
  return false;
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: isagen OUTDIR|--dump FILE…\n");
    return 2;
  }
  Table table;
  bool ok = true;
  for (int i = 2; i < argc; ++i) ok = read_table(argv[i], table) && ok;
  if (!ok) return 1;
  Generator generator(table);
  if (!generator.check()) return 1;
  std::string out = argv[1];
  if (out == "--dump") {
    std::fputs(dump(table).c_str(), stdout);
    return 0;
  }
  const std::string note = "// Generated by isagen from isa/*.isa. Do not edit.\n";
  return write_if_changed(out + "/isa_forms.json", dump(table)) &&
                 write_if_changed(out + "/isa_enums.inc", note + generator.enums()) &&
                 write_if_changed(out + "/isa_tables.inc", note + generator.tables())
             ? 0
             : 1;
}

}  // namespace
}  // namespace pitot::isagen

int main(int argc, char** argv) { return pitot::isagen::run(argc, argv); }
