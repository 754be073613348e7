#include "analysis/address_root.h"

namespace pitot::analysis {

using ptx::Mnemonic;
using ptx::Operand;
using ptx::OperandKind;

namespace {

// What one unguarded write adds to the value it was made from.
struct Step {
  uint8_t source = 0;  // operand; 0: the chain ends here
  int64_t offset = 0;
};

Step step_of(const ptx::Opcode& op, std::span<const Operand> operands) {
  switch (op.mnemonic) {
    case Mnemonic::kMov:
    case Mnemonic::kCvta:
      return {1, 0};
    case Mnemonic::kAdd:
    case Mnemonic::kSub: {
      if (operands.size() != 3 || op.has(ptx::kReadsCC) || op.has_mod(ptx::Mod::kSat)) return {};
      const bool sub = op.mnemonic == Mnemonic::kSub;
      if (operands[2].kind == OperandKind::kInteger)
        return {1, sub ? static_cast<int64_t>(0 - static_cast<uint64_t>(operands[2].value))
                       : operands[2].value};
      if (!sub && operands[1].kind == OperandKind::kInteger) return {2, operands[1].value};
      return {};
    }
    default:
      return {};
  }
}

int64_t wrapping_sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

}  // namespace

void AddressRoots::reset(const FlowFacts& facts) {
  facts_ = &facts;
  known_.resize(facts.values.values.size());
  done_.assign(facts.values.values.size(), 0);
}

AddressRoot AddressRoots::of(uint32_t instruction, const Operand& address, uint8_t operand) {
  AddressRoot root;
  if (address.child_count > 0) return root;  // texture and tensor coordinates
  switch (address.base_kind) {
    case OperandKind::kSymbol:
      root.kind = AddressRoot::Kind::kSymbol;
      root.id = address.id;
      break;
    case OperandKind::kRegister: {
      const ValueId v = facts_->read(instruction, operand);
      if (v == kNone) return root;
      root = follow(v);
      break;
    }
    default:
      return root;
  }
  root.offset = wrapping_sum(root.offset, address.value);
  return root;
}

AddressRoot AddressRoots::follow(ValueId v) {
  path_.clear();
  AddressRoot root;
  for (;;) {
    if (done_[v] != 0) {
      root = known_[v];
      break;
    }
    path_.push_back(v);
    const Value& value = facts_->values.values[v];
    root = {AddressRoot::Kind::kValue, v, 0};
    if (value.kind != ValueKind::kWrite || value.from != kNone) break;
    const uint32_t i = facts_->accesses.instruction_of[value.where];
    const auto operands = facts_->module->operands_of(facts_->instruction(i));
    const Step step = step_of(*facts_->instruction(i).opcode, operands);
    if (step.source == 0 || operands.size() <= step.source) break;
    const Operand& source = operands[step.source];
    if (source.kind == OperandKind::kSymbol) {
      root = {AddressRoot::Kind::kSymbol, source.id, wrapping_sum(source.value, step.offset)};
      break;
    }
    const ValueId next =
        source.kind == OperandKind::kRegister ? facts_->read(i, step.source) : kNone;
    if (next == kNone) break;
    v = next;
  }
  // The last value of the path has `root`; each one before adds its own step.
  for (size_t k = path_.size(); k-- > 0;) {
    if (k + 1 < path_.size() || done_[v] != 0) {
      const uint32_t i = facts_->values.instruction_of(facts_->accesses, path_[k]);
      const auto operands = facts_->module->operands_of(facts_->instruction(i));
      root.offset =
          wrapping_sum(root.offset, step_of(*facts_->instruction(i).opcode, operands).offset);
    }
    known_[path_[k]] = root;
    done_[path_[k]] = 1;
  }
  return root;
}

}  // namespace pitot::analysis
