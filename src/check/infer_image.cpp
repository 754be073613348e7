#include "check/infer_image.h"

#include <algorithm>

#include "emulator/opaque_access.h"

namespace pitot::check {

using emulator::ChannelKind;
using emulator::ImageShape;
using emulator::OpaqueKind;
using emulator::TexelFormat;
using ptx::Mnemonic;
using ptx::Type;

bool ImageUses::add(const ptx::Opcode& o, unsigned element) {
  const bool texture =
      o.mnemonic == Mnemonic::kTex || o.mnemonic == Mnemonic::kTld4 || o.mnemonic == Mnemonic::kTxq;
  const bool surface = o.mnemonic == Mnemonic::kSuld || o.mnemonic == Mnemonic::kSust ||
                       o.mnemonic == Mnemonic::kSured || o.mnemonic == Mnemonic::kSuq;
  if (!texture && !surface) return false;
  any_ = true;
  use_.kind = surface        ? OpaqueKind::kSurface
              : element != 0 ? OpaqueKind::kSampler
                             : OpaqueKind::kTexture;
  ImageShape shape;
  if (!emulator::shape_of(o, shape)) return true;  // a query
  if (shape == ImageShape::k1d && texture && o.type == Type::kS32) shape = ImageShape::kLinear;
  if (!shaped_) use_.shape = shape;
  shaped_ = true;
  if (surface) {
    bytes_ = std::max(bytes_, ptx::bytes_of(o.type) * o.vector);
    if (o.mnemonic == Mnemonic::kSured && o.has_mod(ptx::Mod::kP)) {
      use_.format = {ChannelKind::kUnsigned, 32, 1};
      typed_ = true;
    }
    return true;
  }
  if (typed_) return true;
  typed_ = true;
  switch (o.types[0]) {
    case Type::kU32:
      use_.format = {ChannelKind::kUnsigned, 32, 4};
      break;
    case Type::kS32:
      use_.format = {ChannelKind::kSigned, 32, 4};
      break;
    case Type::kF16:
    case Type::kF16x2:
      use_.format = {ChannelKind::kFloat, 16, 4};
      break;
    default:
      use_.format = {ChannelKind::kFloat, 32, 4};
      break;
  }
  return true;
}

ImageUse ImageUses::image(bool floats) const {
  ImageUse out = use_;
  if (out.kind != OpaqueKind::kSurface || typed_) return out;
  const auto kind = floats && bytes_ >= 4 ? ChannelKind::kFloat : ChannelKind::kUnsigned;
  const unsigned channels = bytes_ > 8 ? 4 : bytes_ > 4 ? 2 : 1;
  const unsigned bits = bytes_ >= 4 || bytes_ == 0 ? 32 : 8 * bytes_;
  out.format = {kind, static_cast<uint8_t>(bits), static_cast<uint8_t>(channels)};
  return out;
}

namespace {

// Calls f(opcode, symbol) for each use of an opaque symbol as the base of an address.
template <class F>
void for_each_reference(const ptx::Module& m, F&& f) {
  for (const ptx::Instruction& i : m.instructions)
    for (const ptx::Operand& o : m.operands_of(i))
      if (o.kind == ptx::OperandKind::kAddress && o.base_kind == ptx::OperandKind::kSymbol &&
          ptx::kind_of(m.symbols[o.id].type) == ptx::TypeKind::kOpaque)
        f(*i.opcode, o.id);
}

}  // namespace

ImageUse image_of_symbol(const ptx::Module& m, ptx::SymbolId symbol) {
  ImageUses uses;
  for_each_reference(m, [&](const ptx::Opcode& o, ptx::SymbolId id) {
    if (id == symbol) uses.add(o, 0);
  });
  return uses.image(true);
}

std::vector<Parameter> infer_references(const ptx::Module& m) {
  std::vector<Parameter> out;
  for_each_reference(m, [&](const ptx::Opcode&, ptx::SymbolId id) {
    const ptx::Symbol& s = m.symbols[id];
    const bool known =
        std::any_of(out.begin(), out.end(), [&](const Parameter& p) { return p.symbol == id; });
    if (known || s.kind != ptx::SymbolKind::kVariable) return;
    Parameter p;
    p.symbol = id;
    p.name = std::string(s.name);
    p.kind = ParameterKind::kImage;
    p.type = Type::kB64;
    p.reference = p.read = true;
    p.image = image_of_symbol(m, id);
    out.push_back(std::move(p));
  });
  return out;
}

}  // namespace pitot::check
