// Printing modules.
#include "ptx/printer.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "ptx/lexer.h"
#include "ptx/special_register.h"

namespace pitot::ptx {
namespace {

// Copies text with comments dropped and every run of blanks made one; none next to brackets'
// insides.
std::string squeeze(std::string_view text) {
  std::string owned(text);  // NUL-terminated for the cursor
  Cursor cur(owned);
  std::string out;
  while (!cur.at_end()) {
    uint32_t before = cur.offset();
    cur.skip_trivia();
    if (cur.at_end()) break;
    if (cur.offset() > before && !out.empty()) out += ' ';
    if (cur.peek() == '"') {
      uint32_t at = cur.offset();
      cur.skip_string();
      out.append(cur.slice(at, cur.offset()));
      continue;
    }
    out += cur.peek();
    cur.advance();
  }
  return out;
}

constexpr std::string_view kSelectors[] = {"",    ".x",  ".y",  ".z",  ".w", ".b0",
                                           ".b1", ".b2", ".b3", ".h0", ".h1"};

std::string selector_text(const Operand& o) {
  if (o.selector < Selector::kHalves)
    return std::string(kSelectors[static_cast<size_t>(o.selector)]);
  std::string out = o.selector == Selector::kHalves ? ".h" : ".b";
  for (int64_t k = (o.value >> 16) - 1; k >= 0; --k)
    out += static_cast<char>('0' + ((o.value >> (4 * k)) & 15));
  return out;
}

class Canonical {
 public:
  Canonical(const Module& m, bool rename) : m_(m), rename_(rename) {}

  std::string module() {
    for (SymbolId id = 0; id < m_.symbols.size(); ++id) {
      const Symbol& s = m_.symbols[id];
      if (s.kind == SymbolKind::kVariable && s.function == kNoId) items_[s.declaration.begin] = id;
      if (s.instruction != kNoId) tables_[s.function].push_back(id);
    }
    out_ = ".version " + std::string(m_.slice(m_.version_range)) + "\n.target ";
    for (size_t i = 0; i < m_.targets.size(); ++i) {
      if (i > 0) out_ += ", ";
      out_ += m_.targets[i];
    }
    out_ += "\n.address_size " + std::to_string(m_.address_size) + "\n";
    auto item = items_.begin();
    for (const Function& f : m_.functions) {
      for (; item != items_.end() && item->first < f.range.begin; ++item) variable(item->second);
      function(f);
    }
    for (; item != items_.end(); ++item) variable(item->second);
    for (const auto& other : m_.others)
      if (other.name == ".alias") out_ += squeeze(m_.slice(other.range)) + "\n";
    return std::move(out_);
  }

  std::string instruction_text(const Function& f, const Instruction& i) {
    f_ = &f;
    instruction(i);
    return std::move(out_);
  }

 private:
  std::string symbol_name(SymbolId id) const {
    auto it = symbol_names_.find(id);
    return it != symbol_names_.end() ? it->second : std::string(m_.symbols[id].name);
  }

  void variable(SymbolId id) {
    const Symbol& s = m_.symbols[id];
    // A declaration may list several names; each prints its own, from the shared head.
    std::string head(m_.slice({s.declaration.begin, s.range.begin}));
    if (size_t comma = head.find(',');
        comma != std::string::npos && head.find('(') == std::string::npos) {
      head = head.substr(0, comma);
      while (!head.empty() && head.back() != ' ' && head.back() != '\t') head.pop_back();
    }
    out_ += squeeze(head);
    if (!out_.empty() && out_.back() != ' ') out_ += ' ';
    out_ += symbol_name(id) + squeeze(m_.slice({s.range.end, s.declaration.end})) + ";\n";
  }

  void function(const Function& f) {
    f_ = &f;
    out_ += squeeze(m_.slice(f.header));
    for (const auto& d : f.performance_directives) out_ += "\n" + squeeze(m_.slice(d.range));
    if (!f.has_body) {
      out_ += ";\n";
      return;
    }
    out_ += "\n{\n";
    label_numbers_.clear();
    uint32_t used = 0;
    for (const Label& l : f.labels) label_numbers_.push_back(l.uses > 0 ? used++ : 0);
    name_registers(f);
    symbol_names_.clear();
    if (rename_) {
      // Scopes dissolve, so equal names of different scopes must part.
      for (SymbolId id : f.variables)
        symbol_names_[id] = "$var" + std::to_string(symbol_names_.size());
      for (SymbolId id : tables_[static_cast<uint32_t>(&f - m_.functions.data())])
        symbol_names_[id] = "$table" + std::to_string(symbol_names_.size());
    }
    for (SymbolId id : f.variables) {
      out_ += "\t";
      variable(id);
    }
    size_t label = 0, directive = 0;
    const auto& tables = tables_[static_cast<uint32_t>(&f - m_.functions.data())];
    size_t table = 0;
    auto body = m_.body(f);
    for (uint32_t k = 0; k <= body.size(); ++k) {
      for (; label < f.labels.size() && f.labels[label].instruction == k; ++label)
        if (f.labels[label].uses > 0) out_ += label_name(static_cast<LabelId>(label)) + ":\n";
      for (; directive < f.directives.size() && f.directives[directive].instruction == k;
           ++directive)
        out_ += "\t" + squeeze(m_.slice(f.directives[directive].range)) + "\n";
      for (; table < tables.size() && m_.symbols[tables[table]].instruction == k; ++table)
        print_table(tables[table]);
      if (k == body.size()) break;
      out_ += "\t";
      instruction(body[k]);
      out_ += "\n";
    }
    out_ += "}\n";
  }

  void print_table(SymbolId id) {
    const Symbol& s = m_.symbols[id];
    if (s.kind == SymbolKind::kPrototype) {
      out_ += symbol_name(id) + squeeze(m_.slice({s.range.end, s.declaration.end})) + "\n";
      return;
    }
    out_ += symbol_name(id) + ": " +
            (s.kind == SymbolKind::kBranchTargets ? ".branchtargets " : ".calltargets ");
    for (uint32_t t = 0; t < s.target_count; ++t) {
      if (t > 0) out_ += ", ";
      operand(m_.children[s.first_target + t]);
    }
    out_ += ";\n";
  }

  // Classes by type and vector width; a .func's register parameters keep their names, which the
  // header declares.
  void name_registers(const Function& f) {
    names_.assign(f.registers.size(), {});
    if (!rename_) return;
    for (auto list : {&f.register_parameters, &f.register_returns})
      for (RegId r : *list)
        if (r < names_.size()) names_[r] = std::string(f.registers[r].name);
    std::map<std::pair<Type, uint8_t>, uint32_t> counts;
    for (const Instruction& i : m_.body(f)) {
      name_register(f, i.guard, counts);
      for (const Operand& o : m_.operands_of(i)) name_operand(f, o, counts);
    }
    for (const auto& [key, count] : counts) {
      out_ += "\t.reg ";
      if (key.second > 1) out_ += ".v" + std::to_string(key.second) + " ";
      out_ += "." + std::string(name_of(key.first)) + " " + prefix(key) + "<" +
              std::to_string(count) + ">;\n";
    }
  }
  static std::string prefix(std::pair<Type, uint8_t> key) {
    std::string p = "%" + std::string(name_of(key.first)) + "_";
    return key.second > 1 ? p + "v" + std::to_string(key.second) + "_" : p;
  }
  void name_register(const Function& f, RegId r,
                     std::map<std::pair<Type, uint8_t>, uint32_t>& counts) {
    if (r >= names_.size() || !names_[r].empty()) return;
    std::pair<Type, uint8_t> key{f.registers[r].type, f.registers[r].vector};
    names_[r] = prefix(key) + std::to_string(counts[key]++);
  }
  void name_operand(const Function& f, const Operand& o,
                    std::map<std::pair<Type, uint8_t>, uint32_t>& counts) {
    if (o.kind == OperandKind::kRegister ||
        (o.kind == OperandKind::kAddress && o.base_kind == OperandKind::kRegister))
      name_register(f, o.id, counts);
    for (const Operand& child : m_.children_of(o)) name_operand(f, child, counts);
  }

  std::string register_name(RegId r) {
    if (r < names_.size() && !names_[r].empty()) return names_[r];
    return r < f_->registers.size() ? std::string(f_->registers[r].name) : "?";
  }
  std::string label_name(LabelId id) {
    if (!rename_) return std::string(f_->labels[id].name);
    return "$L" + std::to_string(label_numbers_[id]);
  }

  void instruction(const Instruction& i) {
    if (i.guard != kNoId)
      out_ += std::string(i.guard_negated ? "@!" : "@") + register_name(i.guard) + " ";
    out_ += i.opcode->text;
    bool first = true;
    for (const Operand& o : m_.operands_of(i)) {
      out_ += first ? " " : ", ";
      first = false;
      operand(o);
    }
    out_ += ";";
  }

  void children(const Operand& o, std::string_view between) {
    bool first = true;
    for (const Operand& child : m_.children_of(o)) {
      if (!first) out_ += between;
      first = false;
      operand(child);
    }
  }

  void offset(int64_t value) {
    if (value > 0) out_ += "+" + std::to_string(value);
    if (value < 0) out_ += std::to_string(value);
  }

  void operand(const Operand& o) {
    if (o.negated) out_ += "!";
    if (o.minus) out_ += "-";
    const std::string selector = selector_text(o);
    switch (o.kind) {
      case OperandKind::kRegister:
        out_ += register_name(o.id);
        break;
      case OperandKind::kSymbol:
        out_ += symbol_name(o.id);
        offset(o.value);
        break;
      case OperandKind::kLabel:
        out_ += label_name(o.id);
        break;
      case OperandKind::kSink:
        out_ += "_";
        break;
      case OperandKind::kAddress:
        out_ += "[";
        address_base(o);
        for (const Operand& child : m_.children_of(o)) {
          out_ += ", ";
          operand(child);
        }
        out_ += "]";
        break;
      case OperandKind::kVector:
        out_ += "{";
        children(o, ", ");
        out_ += "}";
        break;
      case OperandKind::kPair:
        children(o, "|");
        break;
      case OperandKind::kList:
        out_ += "(";
        children(o, ", ");
        out_ += ")";
        break;
      case OperandKind::kSpecialRegister:
        out_ += special_register_name(o);
        return;
      default: {
        std::string text = squeeze(m_.slice(o.range));
        if (o.negated || o.minus) text.erase(0, 1);
        out_ += text;
        return;  // constants as written
      }
    }
    out_ += selector;
  }

  void address_base(const Operand& o) {
    switch (o.base_kind) {
      case OperandKind::kRegister:
        out_ += register_name(o.id);
        break;
      case OperandKind::kSymbol:
        out_ += symbol_name(o.id);
        break;
      case OperandKind::kInteger:
        out_ += std::to_string(o.value);
        return;
      default:
        out_ += squeeze(m_.slice(o.range)).substr(1);
        return;
    }
    out_ += selector_text(o);
    offset(o.value);
  }

  const Module& m_;
  const bool rename_;
  const Function* f_ = nullptr;
  std::map<uint32_t, SymbolId> items_;                          // module-scope variables by place
  std::unordered_map<uint32_t, std::vector<SymbolId>> tables_;  // by function, in order
  std::vector<std::string> names_;
  std::vector<uint32_t> label_numbers_;
  std::unordered_map<SymbolId, std::string> symbol_names_;
  std::string out_;
};

}  // namespace

std::string print(const Module& module) { return std::string(module.text()); }

std::string print_canonical(const Module& module) { return Canonical(module, true).module(); }

std::string print_instruction(const Module& module, const Function& function,
                              const Instruction& instruction) {
  return Canonical(module, false).instruction_text(function, instruction);
}

}  // namespace pitot::ptx
