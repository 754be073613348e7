// Memory accesses of a function: address, proved alignment, how the lanes of a warp lie, and what
// that costs in sectors and bank passes for a block shape.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/active_lanes.h"
#include "analysis/memory_model.h"

namespace pitot::analysis {

enum class AccessKind : uint8_t {
  kLoad,
  kStore,
  kAtomic,
  kReduction,
  kAsyncRead,   // the global side of a copy to shared memory
  kAsyncWrite,  // the shared side
  kMatrixLoad,  // ldmatrix: each address names a row of 16 bytes
  kMatrixStore,
};
const char* to_string(AccessKind kind);  // "load", …

enum class LanePattern : uint8_t {
  kUnknown,     // addresses come from data or from arithmetic that is not followed
  kUniform,     // one address for the warp
  kContiguous,  // each lane follows the one before
  kStrided,     // constant distance, see stride
  kScattered,   // known offsets without such an order (swizzles, tiles)
  kRows,        // known within rows whose distance is not known
};
const char* to_string(LanePattern pattern);

struct MemoryRequest {
  uint32_t instruction = 0;  // of the function
  uint8_t operand = 0;       // the address
  AccessKind kind = AccessKind::kLoad;
  ptx::Space space = ptx::Space::kNone;  // as the instruction says; kNone: generic
  ptx::Space resolved =
      ptx::Space::kNone;      // generic ones by their base; kNone where that is unknown
  bool non_coherent = false;  // .nc
  bool in_loop = false;
  uint8_t vector = 1;
  uint16_t bytes = 0;  // a lane; 0 for bulk copies, which one thread starts
  // Natural alignment that it needs: its whole size, vectors included (PTX ISA, "Addresses as
  // Operands"); 16 for bulk copies.
  uint16_t needed_alignment = 1;
  uint16_t alignment = 1;  // proved, bytes, at most 256
  // The address is certainly not a multiple of `needed_alignment`, whatever lane and launch.
  bool misaligned = false;
  uint16_t residue = 0;  // known low part: address ≡ residue modulo `alignment_known`
  uint16_t residue_modulus = 1;
  FormId address = kNone;
  AtomId base = kNone;            // pointer parameter or variable, see AffineForms::base
  Scope level = Scope::kVarying;  // over which threads the address is the same
  LanePattern pattern = LanePattern::kUnknown;
  bool assumes_no_wrap = false;  // of the index arithmetic, see Form
  bool guard_followed = true;    // the lanes that take part are known, else all are assumed to
  int64_t stride = 0;            // bytes from lane to lane; kContiguous and kStrided
  // Means over the warps of the block that execute it; 0 when the pattern is unknown.
  float active_lanes = 0;
  float sectors = 0;  // 32-byte sectors a request: global, generic and local memory
  float useful_bytes = 0;
  float wavefronts = 0;  // passes a request: shared memory
  float ideal_wavefronts = 0;

  bool reads() const {
    return kind != AccessKind::kStore && kind != AccessKind::kAsyncWrite &&
           kind != AccessKind::kMatrixStore;
  }
  bool writes() const {
    return kind != AccessKind::kLoad && kind != AccessKind::kAsyncRead &&
           kind != AccessKind::kMatrixLoad;
  }
  double efficiency() const {
    return sectors == 0 ? 0 : static_cast<double>(useful_bytes) / (double{sectors} * kSectorBytes);
  }
};

// Several accesses that one wider access could do.
struct VectorGroup {
  std::vector<uint32_t> accesses;  // by ascending address, indices into AccessTable::accesses
  uint32_t bytes = 0;              // of the whole, a lane
  bool legal = false;              // the whole is proved aligned to its size
  bool hindered = false;           // by memory operations in between
  std::string reason;  // "base src is aligned to 16, offset 0 mod 16" or what is missing
};

// All accesses of one function but those to parameters. Reusable over functions.
class AccessTable {
 public:
  // `shape`: for sectors and passes; without one a block of 128×1×1 is taken as an example.
  void build(const FlowFacts& flow, const Uniformity& u, AffineForms& forms,
             const std::optional<BlockShape>& shape);
  // The two halves of `build`, for callers that ask for the lanes of few accesses: the accesses
  // with their addresses, and how the lanes of some of them lie (pattern, stride, sectors and
  // passes).
  void build_addresses(const FlowFacts& flow, const Uniformity& u, AffineForms& forms,
                       const std::optional<BlockShape>& shape);
  void evaluate_lanes(const FlowFacts& flow, const Uniformity& u, AffineForms& forms,
                      std::span<const uint32_t> which);

  std::vector<MemoryRequest> accesses;
  BlockShape shape;            // what was assumed
  bool shape_assumed = false;  // neither the caller nor the kernel said

  // Scalar accesses of the same kind to neighbouring addresses in one block that nothing in between
  // forbids to do as one of 2 or 4 elements, up to 16 bytes.
  std::vector<VectorGroup> vector_groups(const FlowFacts& flow, const AffineForms& forms) const;

  // "src + 16*tid.x + 4: aligned to 4, stride 16, 16 sectors a request, 25 % used"
  std::string describe(const MemoryRequest& a, const AffineForms& forms) const;
};

}  // namespace pitot::analysis
