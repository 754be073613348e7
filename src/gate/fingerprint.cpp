// Canonical serialisation and hashing of a kernel with all that it uses.
#include "gate/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "gate/diff.h"
#include "gate/flow_keys.h"
#include "gate/kernel_match.h"
#include "gate/kernel_names.h"
#include "support/hash.h"

namespace pitot::gate {

namespace {

using ptx::Function;
using ptx::Module;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Symbol;
using ptx::SymbolKind;

// The number and a blank. Most of a fingerprint's text is numbers.
void append_number(std::string& out, uint64_t n, int base = 10) {
  std::array<char, 24> digits;
  char* end = std::to_chars(digits.data(), digits.data() + digits.size() - 1, n, base).ptr;
  *end++ = ' ';
  out.append(digits.data(), end);
}

// Writes a kernel with registers, labels and symbols numbered by first occurrence.
class Canonical {
 public:
  Canonical(ModuleSides& sides, Tolerance t) : sides_(sides), m_(sides.module()), tolerance_(t) {}

  std::string run(const Function& kernel) {
    functions_.push_back(&kernel);
    for (size_t k = 0; k < functions_.size(); ++k) function(*functions_[k]);
    for (size_t k = 0; k < variables_.size(); ++k) variable(m_.symbols[variables_[k]]);
    return std::move(out_);
  }

  // Signature, directives and variables alone, in an order that does not depend on the code's.
  std::string declarations_of(const std::vector<const Function*>& functions,
                              const std::vector<uint32_t>& variables) {
    std::vector<std::string> texts;
    auto take = [&] { texts.push_back(std::exchange(out_, {})); };
    take();
    for (const Function* f : functions) {
      header(*f);
      take();
    }
    for (uint32_t v : variables) {
      variable(m_.symbols[v]);
      take();
    }
    std::sort(texts.begin(), texts.end());
    return fmt::format("{}", fmt::join(texts, "\n"));
  }

  const std::vector<const Function*>& functions() const { return functions_; }
  const std::vector<uint32_t>& variables() const { return variables_; }
  const std::string& constants() const { return constants_; }

 private:
  void put(std::string_view s) {
    out_ += s;
    out_ += ' ';
  }
  void put(uint64_t n) { append_number(out_, n); }

  void function(const Function& f) {
    header(f);
    if (!f.has_body) return;
    const Side& s = sides_.side(f);
    for (uint32_t i = 0; i < s.size(); ++i) instruction(s, f, i);
  }

  void header(const Function& f) {
    registers_.assign(f.registers.size(), ptx::kNoId);
    next_register_ = 0;
    put(f.is_entry ? "entry" : "func");
    for (const auto* list : {&f.parameters, &f.returns}) {
      for (ptx::SymbolId p : *list) {
        const Symbol& s = m_.symbols[p];
        put("param");
        put(s.size);
        put(s.alignment);
        if (!tolerance_.modifiers) put(s.pointer_alignment);
      }
    }
    for (ptx::RegId r : f.register_parameters) reg(f, r);
    for (ptx::RegId r : f.register_returns) reg(f, r);
    if (!tolerance_.modifiers) directives(f);
    if (!f.has_body) put(f.name);
  }

  void directives(const Function& f) {
    std::vector<std::string> texts;
    for (const auto* list : {&f.performance_directives, &f.directives})
      for (const ptx::DirectiveNode& d : *list) {
        std::string text;
        for (char c : m_.slice(d.range))
          if (static_cast<unsigned char>(c) > ' ' && c != ';') text += c;
        for (std::string_view shape : {".maxntid", ".reqntid", ".reqnctapercluster"})
          if (text.starts_with(shape))
            while (text.ends_with(",1")) text.erase(text.size() - 2);
        texts.push_back(std::move(text));
      }
    std::sort(texts.begin(), texts.end());
    for (const std::string& t : texts) put(t);
  }

  void instruction(const Side& s, const Function& f, uint32_t i) {
    const ptx::Instruction& in = s.at(i);
    const Operation& op = *s.ops[i];
    if (op.jump && in.guard == ptx::kNoId) {
      put("jump");
    } else if (tolerance_.modifiers) {
      put(op.skeleton_key);
    } else {
      put(op.text);
    }
    if (in.guard != ptx::kNoId) {
      put(in.guard_negated ? "@!" : "@");
      reg(f, in.guard);
    }
    for (const Operand& o : s.operands(i)) operand(s, f, i, o);
    out_ += ";\n";
  }

  void reg(const Function& f, uint32_t r) {
    if (r >= registers_.size()) {
      put("?");
      return;
    }
    if (registers_[r] == ptx::kNoId) registers_[r] = next_register_++;
    put("r");
    put(registers_[r]);
    if (!tolerance_.modifiers) put(ptx::bits_of(f.registers[r].type));
  }

  void symbol(uint32_t id) {
    if (id >= m_.symbols.size()) {
      put("?");
      return;
    }
    const Symbol& s = m_.symbols[id];
    auto [it, fresh] = symbols_.emplace(id, symbols_.size());
    put("s");
    put(it->second);
    if (!fresh) return;
    if (s.kind == SymbolKind::kVariable) variables_.push_back(id);
    if (s.kind == SymbolKind::kFunction) {
      const Function* f = m_.find_function(s.name);
      if (f == nullptr || !f->has_body) {
        put(s.name);
      } else if (std::find(functions_.begin(), functions_.end(), f) == functions_.end()) {
        functions_.push_back(f);
      }
    }
    for (uint32_t t = 0; t < s.target_count; ++t) {
      const Operand& target = m_.children[s.first_target + t];
      if (target.kind == OperandKind::kLabel) {
        put("label");
        put(target.id);  // labels are numbered by place
      } else {
        put(m_.slice(target.range));
      }
    }
  }

  void constant(uint64_t bits) {
    append_number(constants_, bits);
    put("c");
    if (!tolerance_.constants) put(bits);
  }

  void operand(const Side& s, const Function& f, uint32_t i, const Operand& o) {
    if (ConstantValue c = constant_value(s, i, o); c.is_constant) {
      constant(c.bits);
      return;
    }
    put(static_cast<uint64_t>(o.kind) * 64 + static_cast<uint64_t>(o.selector) * 4 +
        o.negated * 2u + o.minus);
    if (o.selector >= ptx::Selector::kHalves) put(static_cast<uint64_t>(o.value));
    OperandKind named = o.kind == OperandKind::kAddress ? o.base_kind : o.kind;
    switch (named) {
      case OperandKind::kRegister:
        reg(f, o.id);
        break;
      case OperandKind::kSymbol:
        symbol(o.id);
        break;
      case OperandKind::kLabel:
        put(o.id < f.labels.size() ? f.labels[o.id].instruction : 0);
        break;
      case OperandKind::kSpecialRegister:
        put(o.id);
        break;
      case OperandKind::kUnresolved:
        put(m_.slice(o.range));
        break;
      default:
        break;
    }
    if (o.kind == OperandKind::kAddress || o.kind == OperandKind::kSymbol)
      constant(static_cast<uint64_t>(o.value));
    for (const Operand& child : m_.children_of(o)) operand(s, f, i, child);
  }

  void variable(const Symbol& s) {
    put(static_cast<uint64_t>(s.space));
    put(s.unsized);
    if (!tolerance_.constants) put(s.size);
    if (!tolerance_.modifiers) put(s.alignment);
    if (s.linkage == ptx::Linkage::kExtern && s.space != ptx::Space::kShared) put(s.name);
    std::string text;
    for (char c : m_.slice(s.initialiser))
      if (static_cast<unsigned char>(c) > ' ') text += c;
    if (!text.empty()) (constants_ += text) += ' ';
    if (!tolerance_.constants) put(text);
  }

  ModuleSides& sides_;
  const Module& m_;
  Tolerance tolerance_;
  std::string out_, constants_;
  std::vector<const Function*> functions_;
  std::vector<uint32_t> variables_;
  std::map<uint32_t, size_t> symbols_;
  std::vector<uint32_t> registers_;
  uint32_t next_register_ = 0;
};

// Order-free: sorted keys of every block, blocks in the order of a walk along the flow. The places
// of memory uses and barriers among their like are in the keys, so an illegal move changes them.
std::string flow_hash(const Side& s) {
  std::vector<uint32_t> order, blocks;
  std::vector<bool> seen(s.shape.blocks.size(), false);
  std::vector<uint32_t> work(s.shape.roots.rbegin(), s.shape.roots.rend());
  std::vector<uint64_t> epochs(s.size(), 0);
  std::map<std::string_view, uint64_t> callees;  // numbered by first call: calls keep their order
  std::string text;
  while (!work.empty()) {
    uint32_t b = work.back();
    work.pop_back();
    if (b >= seen.size() || seen[b]) continue;
    seen[b] = true;
    blocks.push_back(b);
    const ShapeBlock& block = s.shape.blocks[b];
    uint64_t memory = 0, order_uses = 0;
    for (uint32_t i : block.body) {
      const OrderFacts& facts = s.facts[i];
      const bool writes = facts.memory.use == Use::kWrite;
      if (facts.memory.use != Use::kNone) epochs[i] = writes ? ++memory : memory * 2 + 1;
      const bool orders = facts.everything == Use::kWrite || facts.convergence == Use::kWrite ||
                          facts.async == Use::kWrite;
      epochs[i] = epochs[i] * 1024 + (orders ? ++order_uses : order_uses * 2 + 1);
      if (!s.at(i).opcode->has(ptx::kCall)) continue;
      for (const Operand& o : s.operands(i))
        if (o.kind == OperandKind::kSymbol && o.id < s.m.symbols.size())
          epochs[i] =
              mix(epochs[i], callees.emplace(s.m.symbols[o.id].name, callees.size()).first->second);
    }
    order.insert(order.end(), block.body.begin(), block.body.end());
    if (block.terminator != UINT32_MAX) order.push_back(block.terminator);
    for (size_t k = block.successors.size(); k-- > 0;) work.push_back(block.successors[k]);
  }
  std::vector<uint64_t> keys = flow_keys(s, order, {}, epochs);
  size_t at = 0;
  for (uint32_t b : blocks) {
    size_t n = s.shape.blocks[b].body.size() + (s.shape.blocks[b].terminator != UINT32_MAX);
    std::vector<uint64_t> sorted;
    for (size_t k = 0; k < n; ++k) sorted.push_back(keys[order[at + k]]);
    std::sort(sorted.begin(), sorted.end());
    for (uint64_t key : sorted) append_number(text, key, 16);
    text += '|';
    at += n;
  }
  return text;
}

std::string short_hash(std::string_view text) { return hash_bytes(text).hex(); }

}  // namespace

Fingerprint fingerprint(ModuleSides& sides, const Function& kernel) {
  const Module& m = sides.module();
  Fingerprint out;
  Canonical exact(sides, {});
  out.program = short_hash(exact.run(kernel));
  out.constants = short_hash(exact.constants());
  out.shape = short_hash(Canonical(sides, {true, false}).run(kernel));
  out.skeleton = short_hash(Canonical(sides, {true, true}).run(kernel));
  std::string text, flow;
  for (const Function* f : exact.functions()) {
    text += m.slice(f->range);
    if (f->has_body) flow += flow_hash(sides.side(*f));
  }
  for (uint32_t v : exact.variables()) text += m.slice(m.symbols[v].declaration);
  out.text = short_hash(text);
  flow += Canonical(sides, {}).declarations_of(exact.functions(), exact.variables());
  out.flow = short_hash(flow);
  return out;
}

ChangeClass class_by_hash(const Fingerprint& before, const Fingerprint& after) {
  if (before.text == after.text) return ChangeClass::kIdentical;
  if (before.program == after.program) return ChangeClass::kRenamed;
  if (before.flow == after.flow) return ChangeClass::kReordered;
  if (before.shape == after.shape) return ChangeClass::kConstants;
  if (before.skeleton == after.skeleton) return ChangeClass::kModifiers;
  return ChangeClass::kStructural;
}

std::vector<KernelState> states_of(const Module& m) {
  std::vector<KernelState> out;
  ModuleSides sides(m);
  ptx::Producer producer = ptx::producer_of(m);
  for (const Function* f : kernels_of(m)) {
    KernelState k;
    k.name = f->name;
    k.demangled = demangle(f->name);
    k.source = m.source->path();
    k.target = ptx::name_of(m.target);
    k.version = fmt::format("{}.{}", m.version / 10, m.version % 10);
    k.producer = producer.version.empty() ? producer.name : producer.name + " " + producer.version;
    k.line = m.source->position(f->header.begin).line;
    k.threads = f->bounds.threads().value_or(0);
    k.hash = fingerprint(sides, *f);
    k.pitot = pitot_counts(m, *f);
    k.compat = compat_counts(m, *f);
    Canonical reached(sides, {});
    (void)reached.run(*f);
    for (const Function* g : reached.functions()) {
      if (!g->has_body) continue;
      k.trigonometric_table |= g->name.starts_with("__internal_trig_reduction");
      for (const ptx::Instruction& i : m.body(*g)) {
        ++k.opcodes[std::string(i.opcode->text)];
        k.lines[std::string(i.opcode->text)].push_back(m.source->position(i.range.begin).line);
      }
    }
    for (uint32_t v : reached.variables()) {
      const Symbol& s = m.symbols[v];
      k.trigonometric_table |= s.name.find("__cudart_i2opi") != std::string_view::npos;
      k.dynamic_shared |= s.unsized && s.space == ptx::Space::kShared;
    }
    out.push_back(std::move(k));
  }
  return out;
}

}  // namespace pitot::gate
