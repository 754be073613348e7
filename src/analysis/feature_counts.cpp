// Counting of single instructions, by the facts in their table row.
#include "analysis/feature_counts.h"

#include <cstdlib>

namespace pitot::analysis {
namespace {

using ptx::Effect;
using ptx::Group;
using ptx::Mnemonic;
using ptx::Mod;
using ptx::Opcode;
using ptx::Space;
using ptx::Type;
using ptx::TypeKind;

bool is_half(Type t) {
  return t == Type::kF16 || t == Type::kBf16 || t == Type::kF16x2 || t == Type::kBf16x2;
}

unsigned lanes_of(Type t) {
  return t == Type::kF16x2 || t == Type::kBf16x2 || t == Type::kF32x2 ? 2 : 1;
}

// `m16n8k16` → 16·8·16; 0 if the modifiers name no shape.
double shape_volume(const Opcode& op) {
  for (ptx::ModId id : op.modifiers) {
    std::string_view s = ptx::mod_name(id);
    if (s.size() < 6 || s[0] != 'm' || s[1] < '0' || s[1] > '9') continue;
    double volume = 1;
    const char* p = s.data();
    for (char letter : {'m', 'n', 'k'}) {
      if (*p != letter) return 0;
      char* end = nullptr;
      volume *= static_cast<double>(std::strtoul(p + 1, &end, 10));
      p = end;
    }
    return volume;
  }
  return 0;
}

bool is_arith_group(Group g) {
  return g == Group::kArith || g == Group::kFma || g == Group::kSpecialFunction;
}

void count_types(const Opcode& op, double weight, FeatureRow& row) {
  bool compare = op.group == Group::kCompare;
  bool logic = op.group == Group::kLogic || op.group == Group::kShift;
  if (!is_arith_group(op.group) && !compare && !logic) return;
  // A comparison's last type is that of its sources for setp; set writes another first.
  Type t = op.type;
  if (is_half(t)) {
    at(row, Feature::kHalfOps) += 1;
    at(row, Feature::kWeightedHalfOps) += weight;
  } else if (t == Type::kF64) {
    at(row, Feature::kFp64Ops) += 1;
    at(row, Feature::kWeightedFp64Ops) += weight;
  } else if (t == Type::kF32 || t == Type::kF32x2 || t == Type::kTf32) {
    at(row, Feature::kFp32Ops) += 1;
    at(row, Feature::kWeightedFp32Ops) += weight;
  } else if (t != Type::kPred) {
    at(row, Feature::kIntOps) += 1;
    at(row, Feature::kWeightedIntOps) += weight;
  }
}

void count_plain_access(const Opcode& op, double weight, FeatureRow& row) {
  bool load = op.has(Effect::kLoad), store = op.has(Effect::kStore);
  bool plain =
      op.mnemonic == Mnemonic::kLd || op.mnemonic == Mnemonic::kLdu || op.mnemonic == Mnemonic::kSt;
  if (!plain || (!load && !store)) return;
  Space space = ptx::base_space(op.space);
  uint32_t bytes = access_bytes(op);
  auto pick = [&](Feature l, Feature s) { at(row, load ? l : s) += 1; };
  switch (space) {
    case Space::kGlobal:
      pick(Feature::kLoadGlobal, Feature::kStoreGlobal);
      break;
    case Space::kShared:
      pick(Feature::kLoadShared, Feature::kStoreShared);
      break;
    case Space::kLocal:
      pick(Feature::kLoadLocal, Feature::kStoreLocal);
      break;
    case Space::kConst:
      at(row, Feature::kLoadConst) += 1;
      break;
    case Space::kParam:
      pick(Feature::kLoadParam, Feature::kStoreParam);
      return;
    default:
      pick(Feature::kLoadGeneric, Feature::kStoreGeneric);
      break;
  }
  if (op.mnemonic == Mnemonic::kLdu || op.has_mod(Mod::kNc)) at(row, Feature::kLoadGlobalNc) += 1;
  if (op.vector > 1) pick(Feature::kVectorLoads, Feature::kVectorStores);
  switch (bytes) {
    case 1:
      at(row, Feature::kAccess1) += 1;
      break;
    case 2:
      at(row, Feature::kAccess2) += 1;
      break;
    case 4:
      at(row, Feature::kAccess4) += 1;
      break;
    case 8:
      at(row, Feature::kAccess8) += 1;
      break;
    case 16:
      at(row, Feature::kAccess16) += 1;
      break;
    case 32:
      at(row, Feature::kAccess32) += 1;
      break;
    default:
      break;
  }
  if (space == Space::kGlobal || space == Space::kNone) {
    at(row, load ? Feature::kBytesLoaded : Feature::kBytesStored) += bytes;
    at(row, load ? Feature::kWeightedBytesLoaded : Feature::kWeightedBytesStored) += bytes * weight;
  }
}

// tcgen05.mma and wgmma count too, though the former's shape is in a descriptor and its work
// unknown here.
bool is_tensor_multiply(const Opcode& op) {
  return op.mnemonic == Mnemonic::kMma || op.has_mod(Mod::kMma) || op.has_mod(Mod::kMmaAsync);
}

bool is_memory_op(const Opcode& op) {
  if (ptx::base_space(op.space) == Space::kParam) return false;
  if (op.group == Group::kTexture || op.group == Group::kSurface) return true;
  return (op.effects & (Effect::kLoad | Effect::kStore | Effect::kAtomic | Effect::kRed)) != 0;
}

}  // namespace

uint32_t access_bytes(const Opcode& op) {
  if ((op.effects & (Effect::kLoad | Effect::kStore | Effect::kAtomic | Effect::kRed)) == 0)
    return 0;
  return ptx::bytes_of(op.type) * op.vector;
}

double flops_of(const Opcode& op) {
  if (op.has(Effect::kMma)) {
    if (!is_tensor_multiply(op)) return 0;
    double lanes = op.mnemonic == Mnemonic::kMma || op.mnemonic == Mnemonic::kWmma ? 32 : 128;
    return 2 * shape_volume(op) / lanes;
  }
  if (ptx::kind_of(op.type) != TypeKind::kFloat) return 0;
  unsigned lanes = lanes_of(op.type);
  if (op.group == Group::kFma) return 2.0 * lanes;
  if (op.group == Group::kArith || op.group == Group::kSpecialFunction) return lanes;
  return 0;
}

void count_instruction(const ptx::Module& m, const ptx::Instruction& i, double weight,
                       FeatureRow& row) {
  const Opcode& op = *i.opcode;
  auto one = [&](Feature f) { at(row, f) += 1; };
  auto both = [&](Feature f, Feature weighted) {
    at(row, f) += 1;
    at(row, weighted) += weight;
  };
  both(Feature::kTotalInstructions, Feature::kWeightedInstructions);
  if (i.guard != ptx::kNoId) one(Feature::kPredicated);
  if (op.form == nullptr) one(Feature::kUnknownInstructions);

  if (is_memory_op(op)) both(Feature::kMemoryOps, Feature::kWeightedMemoryOps);
  bool shared = ptx::base_space(op.space) == Space::kShared || op.mnemonic == Mnemonic::kLdmatrix ||
                op.mnemonic == Mnemonic::kStmatrix;
  if (shared && is_memory_op(op)) both(Feature::kSharedMemoryOps, Feature::kWeightedSharedOps);
  if (op.has(Effect::kFence) || (op.has(Effect::kBarrier)))
    both(Feature::kSyncPoints, Feature::kWeightedSync);
  count_plain_access(op, weight, row);
  count_types(op, weight, row);
  if (double flops = flops_of(op); flops > 0) {
    at(row, Feature::kFlops) += flops;
    at(row, Feature::kWeightedFlops) += flops * weight;
  }

  switch (op.group) {
    case Group::kFma:
      if (ptx::kind_of(op.type) == TypeKind::kFloat) one(Feature::kFmaOps);
      break;
    case Group::kSpecialFunction:
      both(Feature::kSfuOps, Feature::kWeightedSfuOps);
      break;
    case Group::kConvert:
      one(Feature::kConversions);
      break;
    case Group::kMove:
      one(Feature::kMoves);
      break;
    case Group::kSelect:
      one(Feature::kSelects);
      break;
    case Group::kCompare:
      one(Feature::kCompares);
      break;
    case Group::kBranch:
      both(Feature::kBranches, Feature::kWeightedBranches);
      if (i.guard != ptx::kNoId || op.mnemonic == Mnemonic::kBrx)
        one(Feature::kConditionalBranches);
      break;
    case Group::kCall: {
      one(Feature::kCalls);
      for (const auto& o : m.operands_of(i))
        if (o.kind == ptx::OperandKind::kSymbol &&
            m.symbols[o.id].name.find("cudaLaunchDevice") != std::string_view::npos)
          at(row, Feature::kDeviceLaunch) = 1;
      break;
    }
    case Group::kWarp:
      if (op.has(Effect::kShuffle))
        both(Feature::kWarpShuffle, Feature::kWeightedShuffle);
      else
        one(Feature::kVotes);
      break;
    case Group::kBarrier:
      one(Feature::kBarriers);
      break;
    case Group::kFence:
      one(Feature::kFences);
      break;
    case Group::kMbarrier:
      one(Feature::kMbarriers);
      break;
    case Group::kAtomic:
      both(op.has(Effect::kRed) ? Feature::kReductions : Feature::kAtomics,
           Feature::kWeightedAtomics);
      break;
    case Group::kAsyncCopy:
      one(op.has_mod(Mod::kBulk) ? Feature::kBulkCopies : Feature::kAsyncCopies);
      break;
    case Group::kPrefetch:
      one(Feature::kPrefetches);
      break;
    case Group::kTexture:
    case Group::kSurface:
      one(Feature::kTextureOps);
      break;
    case Group::kTensor:
      if (is_tensor_multiply(op)) {
        both(Feature::kTensorOps, Feature::kWeightedTensorOps);
      } else if (op.mnemonic == Mnemonic::kLdmatrix || op.has_mod(Mod::kLoad) ||
                 op.has_mod(Mod::kLd)) {
        one(Feature::kTensorLoads);
      } else if (op.mnemonic == Mnemonic::kStmatrix || op.has_mod(Mod::kStore) ||
                 op.has_mod(Mod::kSt)) {
        one(Feature::kTensorStores);
      }
      break;
    default:
      break;
  }
}

}  // namespace pitot::analysis
