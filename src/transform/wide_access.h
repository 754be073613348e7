// Which neighbouring loads or stores of a block can be done by one wider access in the place of the
// first load or the last store: alignment proved, nothing in between that minds.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "transform/memory_conflict.h"

namespace pitot::transform {

// An access as written, scalar or vector.
struct Member {
  uint32_t instruction = 0;
  uint32_t access = 0;            // into AccessTable::accesses
  uint8_t address = 0, data = 0;  // operands
  uint8_t elements = 1;
};

struct WideAccess {
  bool load = true;
  std::vector<Member> members;  // by ascending address
  uint8_t elements = 0;
  uint32_t place = 0;  // the instruction that becomes the wide one
  std::string opcode;
  std::string address;
};

struct WideOptions {
  bool loads = false, stores = false;
  uint32_t least_bytes = 2, most_bytes = 16;  // of the wide access
};

struct WideDecline {
  uint32_t instruction = 0;
  std::string reason;
};

// Disjoint, and any subset may be done together.
class WideAccessFinder {
 public:
  WideAccessFinder(Subject& subject, const WideOptions& options)
      : subject_(subject), options_(options), conflict_(subject), distance_(subject) {}
  void run();

  std::vector<WideAccess> found;
  // Shared and local variables of the module whose declared alignment must become at least so many
  // bytes for what was found.
  std::map<ptx::SymbolId, uint32_t> raised;
  std::vector<WideDecline> declined;

 private:
  struct Candidate {
    Member member;
    analysis::BlockId block = 0;
    std::string_view spelling;  // without the vector modifier, of `spellings_`
    analysis::ValueId guard = analysis::kNone;
    analysis::ValueId hint = analysis::kNone;
    bool negated = false;
    bool load = true;
    uint32_t scope = 0;
    int64_t offset = 0;  // bytes from the first of its cluster
  };
  bool candidate(uint32_t access, Candidate& out);
  bool comparable(const Candidate& a, const Candidate& b) const;
  bool looks_next(const Candidate& a, const Candidate& b);
  void cut(std::vector<Candidate>& run);
  // Tries to make one access of `elements` from the run's members from `first` on; the number of
  // members taken, 0 with the reason.
  size_t take(const std::vector<Candidate>& run, size_t first, unsigned elements,
              std::string& reason);
  bool alike(const WideAccess& w, std::string& reason) const;
  // `to_align`: a variable whose alignment is to be raised, else kNoId.
  bool aligned(const WideAccess& w, uint32_t bytes, ptx::SymbolId& to_align, std::string& reason);
  // The variable that has to be aligned to `bytes` for the access to be; kNoId: no such one helps.
  ptx::SymbolId variable_to_align(const WideAccess& w, uint32_t bytes);
  bool can_move(const WideAccess& w, std::string& reason);
  bool can_join(const WideAccess& w, std::string& reason);
  std::string access_name(uint32_t instruction) const;
  uint32_t bytes_of(const Candidate& c) const;

  Subject& subject_;
  WideOptions options_;
  MemoryConflict conflict_;
  ValueDistance distance_;
  std::vector<std::pair<const ptx::Opcode*, std::string>> spellings_;
  std::map<std::string, std::string> refusals_;  // by spelling
};

}  // namespace pitot::transform
