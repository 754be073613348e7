// Variables and parameters: types that exist as storage, state spaces where they may stand, sizes.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>

#include "ptx/directive.h"
#include "ptx/verify_context.h"

namespace pitot::ptx {
namespace {

constexpr unsigned kMaxVectorBits = 128;

// Types that a variable or register can have; the others are of instructions only.
bool is_storage_type(Type t) {
  switch (t) {
    case Type::kPred:
    case Type::kB8:
    case Type::kB16:
    case Type::kB32:
    case Type::kB64:
    case Type::kB128:
    case Type::kU8:
    case Type::kU16:
    case Type::kU32:
    case Type::kU64:
    case Type::kS8:
    case Type::kS16:
    case Type::kS32:
    case Type::kS64:
    case Type::kF16:
    case Type::kF16x2:
    case Type::kF32:
    case Type::kF64:
      return true;
    default:
      return kind_of(t) == TypeKind::kOpaque;
  }
}

class DeclarationVerifier {
 public:
  explicit DeclarationVerifier(VerifyContext& ctx) : ctx_(ctx), m_(ctx.module) {}

  void run();

 private:
  void check_type(Type type, uint8_t vector, bool in_register, SourceRange where,
                  std::string_view name);
  void check_needs(Type type, SourceRange where);
  void check_need(const std::string& what, const Need& need, SourceRange where);
  void check_variable(const Symbol& s, bool module_scope);
  void check_module_scope(const Symbol& s);
  void check_linkage(const Symbol& s, bool module_scope);
  void check_redeclarations();
  void check_parameter(const Symbol& s, const Function& f, bool last);
  void error(const char* code, SourceRange where, std::string message, std::string hint = {}) {
    ctx_.out.error(code, where, std::move(message), std::move(hint));
  }

  VerifyContext& ctx_;
  const Module& m_;
};

void DeclarationVerifier::check_needs(Type type, SourceRange where) {
  static constexpr Need kHalf{42, 53, Need::Suffix::kOrHigher};
  static constexpr Need kWide{83, 70, Need::Suffix::kOrHigher};
  const Need* wanted = type == Type::kF16 || type == Type::kF16x2 ? &kHalf
                       : type == Type::kB128                      ? &kWide
                                                                  : nullptr;
  if (wanted != nullptr) check_need("." + std::string(name_of(type)), *wanted, where);
}

void DeclarationVerifier::check_need(const std::string& what, const Need& need, SourceRange where) {
  if (satisfies(need, ctx_.ptx, ctx_.target)) return;
  const Needs group(&need, 1);
  ctx_.requirements.unmet(what, where, std::span(&group, 1));
}

void DeclarationVerifier::check_type(Type type, uint8_t vector, bool in_register, SourceRange where,
                                     std::string_view name) {
  check_needs(type, where);
  if (!is_storage_type(type)) {
    error("declaration-type", where,
          fmt::format("'{}' cannot be declared .{}: that is a type of instructions only", name,
                      name_of(type)),
          fmt::format("declare it .b{}", std::max(8u, bits_of(type))));
  } else if (type == Type::kPred && !in_register) {
    error("declaration-type", where, fmt::format("'{}' cannot be a predicate in memory", name),
          "only registers can be .pred");
  } else if (in_register && kind_of(type) == TypeKind::kOpaque) {
    error("declaration-type", where,
          fmt::format("'{}' cannot be a register of type .{}", name, name_of(type)));
  } else if (vector > 1 && bits_of(type) * vector > kMaxVectorBits) {
    error("vector-too-large", where,
          fmt::format("'{}' is a vector of {} bits; at most {} are possible", name,
                      bits_of(type) * vector, kMaxVectorBits));
  }
}

void DeclarationVerifier::check_module_scope(const Symbol& s) {
  switch (s.space) {
    case Space::kLocal:
    case Space::kReg:
      error("declaration-space", s.range,
            fmt::format("'{}' in .{} space cannot be declared outside of a function", s.name,
                        name_of(s.space)),
            "declare it in the body that uses it");
      break;
    case Space::kParam:
      error("declaration-space", s.range,
            fmt::format("'{}' cannot be a .param variable outside of a function", s.name));
      break;
    default:
      break;
  }
}

void DeclarationVerifier::check_linkage(const Symbol& s, bool module_scope) {
  const char* linkage = s.linkage == Linkage::kCommon ? "common"
                        : s.linkage == Linkage::kWeak ? "weak"
                                                      : nullptr;
  if (linkage != nullptr)
    check_need("." + std::string(linkage), find_directive(linkage)->need, s.range);
  // Between the declaration's begin and the name there may be attributes.
  if (module_scope && s.space != Space::kGlobal &&
      m_.slice({s.declaration.begin, s.range.begin}).find(".managed") != std::string_view::npos)
    error("declaration-space", s.range,
          fmt::format("'{}' is .managed, which .global variables can be only", s.name));
  if (!module_scope && s.linkage != Linkage::kNone)
    error("declaration-linkage", s.range,
          fmt::format("'{}' is declared in a body and cannot have a linkage directive", s.name),
          "declare it outside of the function");
  if (s.linkage == Linkage::kCommon && s.space != Space::kGlobal)
    error("declaration-linkage", s.range,
          fmt::format("'{}' is .common, which is for .global variables only", s.name));
  if (!s.initialiser.empty() && s.linkage == Linkage::kExtern)
    error("initialiser", s.initialiser,
          fmt::format("'{}' is .extern and cannot have an initial value here", s.name),
          "give the value where the variable is defined");
}

void DeclarationVerifier::check_variable(const Symbol& s, bool module_scope) {
  check_type(s.type, s.vector, s.space == Space::kReg, s.range, s.name);
  check_linkage(s, module_scope);
  if (module_scope) check_module_scope(s);
  if (kind_of(s.type) == TypeKind::kOpaque) {
    if (!module_scope) {
      error(
          "declaration-space", s.range,
          fmt::format("'{}' is a .{} and must be declared at module scope or as a kernel parameter",
                      s.name, name_of(s.type)));
    } else if (s.space != Space::kGlobal && s.space != Space::kTex) {
      error("declaration-space", s.range,
            fmt::format("'{}' is a .{}, which is declared in .global space", s.name,
                        name_of(s.type)));
    }
    if (s.type == Type::kSamplerref &&
        std::find(m_.targets.begin(), m_.targets.end(), "texmode_independent") == m_.targets.end())
      error("texture-mode", s.range,
            fmt::format("'{}' is a .samplerref, which the unified texture mode does not have",
                        s.name),
            "add texmode_independent to .target");
  }
  // With an initial value a size of zero counts as none: the list gives it.
  const bool incomplete = s.unsized || (s.is_array && s.elements == 0 && s.initialiser.empty());
  if (incomplete && s.linkage != Linkage::kExtern)
    error("incomplete-type", s.range, fmt::format("the size of '{}' is not given", s.name),
          s.space == Space::kShared ? "declare it .extern .shared to have its size set at launch"
                                    : "write the number of elements between the brackets");
  if (!s.initialiser.empty() && s.linkage != Linkage::kExtern) {
    if (s.space != Space::kGlobal && s.space != Space::kConst) {
      error("initialiser", s.initialiser,
            fmt::format("'{}' is in .{} space and cannot have an initial value", s.name,
                        name_of(s.space)),
            "only .global and .const variables can");
    } else {
      verify_initialiser(ctx_, s);
    }
  }
}

void DeclarationVerifier::check_parameter(const Symbol& s, const Function& f, bool last) {
  check_type(s.type, s.vector, s.space == Space::kReg, s.range, s.name);
  const bool incomplete = s.unsized || (s.is_array && s.elements == 0);
  if (f.is_entry) {
    if (base_space(s.space) != Space::kParam)
      error("declaration-space", s.range,
            fmt::format("kernel parameter '{}' must be in .param space", s.name));
    if (incomplete)
      error("incomplete-type", s.range,
            fmt::format("the size of kernel parameter '{}' is not given", s.name));
  } else {
    if (base_space(s.space) != Space::kParam && s.space != Space::kReg)
      error("declaration-space", s.range,
            fmt::format("parameter '{}' must be in .param or .reg space", s.name));
    if (incomplete && !last)
      error("incomplete-type", s.range,
            fmt::format("'{}' has no size, which only the last parameter may have", s.name));
    if (s.is_pointer)
      error("parameter-attribute", s.range,
            fmt::format("'{}' has .ptr, which is for kernel parameters only", s.name));
    if (kind_of(s.type) == TypeKind::kOpaque)
      error("declaration-type", s.range,
            fmt::format("'{}' is a .{}, which only kernels can take", s.name, name_of(s.type)));
  }
  if (s.is_pointer && s.pointer_space != Space::kNone && s.pointer_space != Space::kGlobal &&
      s.pointer_space != Space::kShared && s.pointer_space != Space::kConst &&
      s.pointer_space != Space::kLocal)
    error("parameter-attribute", s.range,
          fmt::format("'{}' cannot point to .{} memory", s.name, name_of(s.pointer_space)));
  if (s.vector > 1)
    error("declaration-type", s.range, fmt::format("parameter '{}' cannot be a vector", s.name),
          "pass an aligned array");
}

// A variable may be declared .extern and defined later; type and linkage have to agree.
void DeclarationVerifier::check_redeclarations() {
  std::unordered_map<std::string_view, const Symbol*> seen;
  for (const Symbol& s : m_.symbols) {
    if (s.kind != SymbolKind::kVariable || s.function != kNoId) continue;
    auto [it, fresh] = seen.try_emplace(s.name, &s);
    if (fresh) continue;
    const Symbol& old = *it->second;
    it->second = &s;
    if (old.linkage != Linkage::kExtern && s.linkage != Linkage::kExtern)
      continue;                          // redefined-name
    if (old.space != s.space) continue;  // the same
    if (old.type != s.type || old.vector != s.vector || old.is_array != s.is_array) {
      error("redeclaration", s.range,
            fmt::format("'{}' is .{} here and .{} in its first declaration", s.name,
                        name_of(s.type), name_of(old.type)));
    } else if (old.linkage == Linkage::kExtern && s.linkage == Linkage::kNone) {
      error("redeclaration", s.range,
            fmt::format("'{}' was declared .extern and is not visible here", s.name),
            "define it .visible");
    }
  }
}

void DeclarationVerifier::run() {
  for (const Symbol& s : m_.symbols)
    if (s.kind == SymbolKind::kVariable) check_variable(s, s.function == kNoId);
  for (const Function& f : m_.functions) {
    for (size_t k = 0; k < f.parameters.size(); ++k)
      check_parameter(m_.symbols[f.parameters[k]], f, k + 1 == f.parameters.size());
    for (SymbolId id : f.returns) check_parameter(m_.symbols[id], f, true);
    if (f.returns.size() > 1)
      error("return-count", m_.symbols[f.returns[1]].range,
            fmt::format("'{}' returns several values, which must then be registers", f.name));
    for (const RegisterDeclaration& d : f.register_declarations)
      check_type(d.type, d.vector, true, d.range, d.name);
    if (f.is_entry && !f.register_parameters.empty() && f.register_parameters[0] != kNoId) {
      const Register& reg = f.registers[f.register_parameters[0]];
      error("declaration-space", f.register_declarations[reg.declaration].range,
            fmt::format("kernel parameter '{}' must be in .param space", reg.name));
    }
  }
  check_redeclarations();
}

}  // namespace

void verify_declarations(VerifyContext& ctx) { DeclarationVerifier(ctx).run(); }

}  // namespace pitot::ptx
