// Calls: the callee, the number of arguments, and each argument's type, size and alignment.
#include <fmt/format.h>

#include "ptx/verify_context.h"
#include "ptx/verify_describe.h"
#include "ptx/verify_signature.h"
#include "ptx/verify_types.h"

namespace pitot::ptx {
namespace {

class CallVerifier {
 public:
  CallVerifier(VerifyContext& ctx, const Function& function, const Instruction& instruction)
      : ctx_(ctx), m_(ctx.module), f_(function), i_(instruction) {}

  void run();

 private:
  bool take_parts();
  bool find_signature(Signature& out);
  void check_list(const std::vector<Formal>& formals, const Operand* list, bool returns);
  void check_argument(const Formal& formal, const Operand& actual, bool returns);
  void error(const char* code, SourceRange where, std::string message, std::string hint = {}) {
    ctx_.out.error(code, where, std::move(message), std::move(hint));
  }
  std::string callee() const { return std::string(m_.slice(target_->range)); }

  VerifyContext& ctx_;
  const Module& m_;
  const Function& f_;
  const Instruction& i_;
  const Operand* returns_ = nullptr;
  const Operand* target_ = nullptr;
  const Operand* arguments_ = nullptr;
  const Operand* table_ = nullptr;  // prototype or .calltargets
};

// call{.uni} {(returns),} target {, (arguments)} {, prototype};
bool CallVerifier::take_parts() {
  auto operands = m_.operands_of(i_);
  size_t k = 0;
  auto is_list = [&](size_t at) {
    return at < operands.size() && operands[at].kind == OperandKind::kList;
  };
  if (is_list(k)) returns_ = &operands[k++];
  if (k < operands.size()) target_ = &operands[k++];
  if (is_list(k)) arguments_ = &operands[k++];
  if (k < operands.size() && !is_list(k)) table_ = &operands[k++];
  if (target_ == nullptr || k < operands.size()) {
    error("operand-count", k < operands.size() ? operands[k].range : i_.opcode_range,
          "a call is written 'call (returns), function, (arguments), prototype'",
          "the lists and the prototype may be left out");
    return false;
  }
  return true;
}

bool CallVerifier::find_signature(Signature& out) {
  if (target_->kind == OperandKind::kSymbol) {
    const Symbol& symbol = m_.symbols[target_->id];
    if (symbol.kind == SymbolKind::kFunction || symbol.kind == SymbolKind::kAlias) {
      if (symbol.function == kNoId) return false;
      const Function& callee = m_.functions[symbol.function];
      if (callee.is_entry) {
        error("call-target", target_->range,
              fmt::format("'{}' is a kernel: only a .func can be called", symbol.name));
        return false;
      }
      if (table_ != nullptr) {
        error("call-prototype", table_->range,
              fmt::format("'{}' is called by name: '{}' is for calls through a register",
                          symbol.name, m_.slice(table_->range)),
              "leave the prototype out");
        return false;
      }
      out = signature_of(m_, callee);
      return true;
    }
    error("call-target", target_->range,
          fmt::format("{} cannot be called", describe(m_, f_, *target_)));
    return false;
  }
  if (target_->kind == OperandKind::kUnresolved) return false;
  const bool integer =
      target_->is_register() && argument_fits(Type::kU64, f_.registers[target_->id].type);
  const bool narrow =
      target_->is_register() && argument_fits(Type::kU32, f_.registers[target_->id].type);
  if (!integer && !narrow) {
    error("call-target", target_->range,
          fmt::format("{} cannot be called: a function or an integer register is needed",
                      describe(m_, f_, *target_)));
    return false;
  }
  if (table_ == nullptr) {
    error("call-prototype", target_->range,
          fmt::format("the call through {} has no prototype", describe(m_, f_, *target_)),
          "end it with the label of a .callprototype or .calltargets");
    return false;
  }
  if (table_->kind == OperandKind::kUnresolved) return false;
  const Symbol* table = table_->kind == OperandKind::kSymbol ? &m_.symbols[table_->id] : nullptr;
  if (table != nullptr && table->kind == SymbolKind::kPrototype)
    return parse_prototype(m_.slice(table->declaration), out);
  if (table != nullptr && table->kind == SymbolKind::kCallTargets) {
    if (table->target_count == 0) return false;
    const Operand& first = m_.children[table->first_target];
    if (first.kind != OperandKind::kSymbol) return false;
    const Symbol& symbol = m_.symbols[first.id];
    if (symbol.kind != SymbolKind::kFunction || symbol.function == kNoId) return false;
    out = signature_of(m_, m_.functions[symbol.function]);
    return true;
  }
  error("call-prototype", table_->range,
        fmt::format("{} is neither a .callprototype nor a .calltargets list",
                    describe(m_, f_, *table_)));
  return false;
}

void CallVerifier::check_list(const std::vector<Formal>& formals, const Operand* list,
                              bool returns) {
  auto actuals = list != nullptr ? m_.children_of(*list) : std::span<const Operand>{};
  if (actuals.size() != formals.size()) {
    error("argument-count", list != nullptr ? list->range : target_->range,
          fmt::format("'{}' {} {} value{}, not {}", callee(), returns ? "returns" : "takes",
                      formals.size(), formals.size() == 1 ? "" : "s", actuals.size()));
    return;
  }
  for (size_t k = 0; k < formals.size(); ++k) check_argument(formals[k], actuals[k], returns);
}

void CallVerifier::check_argument(const Formal& formal, const Operand& actual, bool returns) {
  const std::string name = formal.name == "_" ? std::string() : fmt::format(" '{}'", formal.name);
  auto mismatch = [&](const std::string& why) {
    error("argument-type", actual.range,
          fmt::format("{} does not match {}{} of '{}': {}", describe(m_, f_, actual),
                      returns ? "return value" : "parameter", name, callee(), why));
  };
  auto formal_text = [&] {
    return formal.is_array ? fmt::format(".{} array of {} bytes", name_of(formal.type), formal.size)
                           : fmt::format(".{}", name_of(formal.type));
  };
  switch (actual.kind) {
    case OperandKind::kUnresolved:
      return;
    case OperandKind::kSink:
      if (!returns) mismatch("'_' is for return values only");
      return;
    case OperandKind::kRegister:
      if (formal.is_array || !argument_fits(formal.type, f_.registers[actual.id].type))
        mismatch(fmt::format("it is {}", formal_text()));
      return;
    case OperandKind::kInteger:
    case OperandKind::kFloat32:
    case OperandKind::kFloat64:
      if (returns) {
        error("result-not-register", actual.range,
              "a return value cannot be written to a constant");
      } else if (formal.is_array || !(kind_of(formal.type) == TypeKind::kBits ||
                                      constant_fits(formal.type, actual.kind))) {
        mismatch(fmt::format("it is {}", formal_text()));
      }
      return;
    case OperandKind::kSymbol: {
      const Symbol& s = m_.symbols[actual.id];
      if (s.kind == SymbolKind::kParameter || s.kind == SymbolKind::kReturn) {
        error("argument-type", actual.range,
              fmt::format("'{}' is a parameter of this function and cannot be passed on", s.name),
              "load it and store it into a .param variable of the body");
        return;
      }
      if (s.kind != SymbolKind::kVariable || base_space(s.space) != Space::kParam) {
        mismatch("an argument is a register, a constant or a .param variable of the body");
        return;
      }
      if (formal.unsized) return;
      if (formal.is_array != s.is_array || (formal.is_array && formal.size != s.size) ||
          (formal.is_array ? bits_of(formal.type) != bits_of(s.type)
                           : !argument_fits(formal.type, s.type))) {
        std::string have = s.is_array
                               ? fmt::format(".{} array of {} bytes", name_of(s.type), s.size)
                               : fmt::format(".{}", name_of(s.type));
        mismatch(fmt::format("it is {}, not {}", formal_text(), have));
      } else if (s.alignment != formal.alignment) {
        error("argument-alignment", actual.range,
              fmt::format("'{}' is aligned to {} bytes, {}{} of '{}' to {}", s.name, s.alignment,
                          returns ? "the return value" : "parameter", name, callee(),
                          formal.alignment),
              fmt::format("declare it with .align {}", formal.alignment));
      }
      return;
    }
    default:
      mismatch("an argument is a register, a constant or a .param variable of the body");
  }
}

void CallVerifier::run() {
  if (!take_parts()) return;
  Signature signature;
  if (!find_signature(signature)) return;
  check_list(signature.returns, returns_, true);
  check_list(signature.parameters, arguments_, false);
}

}  // namespace

void verify_call(VerifyContext& ctx, const Function& function, const Instruction& instruction) {
  CallVerifier(ctx, function, instruction).run();
}

}  // namespace pitot::ptx
