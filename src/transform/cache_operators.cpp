// Cache operators of global loads and stores. They are hints: what an access reads or writes is the
// same with each of them (PTX ISA, "Cache Operators").
#include <fmt/format.h>

#include <unordered_map>

#include "transform/spelling.h"
#include "transform/transforms.h"

namespace pitot::transform {
namespace {

std::string_view operator_of(Action action) {
  switch (action) {
    case Action::kCacheCs:
    case Action::kStCacheCs:
      return "cs";
    case Action::kCacheCg:
      return "cg";
    case Action::kCacheCa:
      return "ca";
    case Action::kCacheCv:
      return "cv";
    case Action::kStCacheWt:
      return "wt";
    default:
      return "wb";
  }
}

class CacheMarker {
 public:
  CacheMarker(Subject& subject, Edit& edit, Action action)
      : subject_(subject),
        edit_(edit),
        wanted_(operator_of(action)),
        loads_(info(action).group == Group::kLoadCache) {}

  void run() {
    const auto body = subject_.body();
    const ptx::Mnemonic mnemonic = loads_ ? ptx::Mnemonic::kLd : ptx::Mnemonic::kSt;
    bool any = false;
    for (uint32_t k = 0; k < body.size(); ++k) {
      const ptx::Opcode& o = *body[k].opcode;
      if (o.mnemonic != mnemonic || o.has(ptx::kAsync)) continue;
      const ptx::Space space = ptx::base_space(o.space);
      if (space != ptx::Space::kGlobal && space != ptx::Space::kNone) continue;
      any = true;
      if (space == ptx::Space::kNone && !is_global(k)) {
        edit_.decline(body[k], "its generic address is not proved to be global");
      } else {
        mark(body[k]);
      }
    }
    if (!any) edit_.decline(fmt::format("it has no global {}", loads_ ? "load" : "store"));
  }

 private:
  struct Outcome {
    std::string text, reason;
  };

  bool is_global(uint32_t instruction) {
    if (subject_.too_complex()) return false;
    if (resolved_.empty()) {
      resolved_.assign(subject_.body().size(), 0);
      for (const auto& a : subject_.accesses().accesses)
        if (a.resolved == ptx::Space::kGlobal) resolved_[a.instruction] = 1;
    }
    return resolved_[instruction] != 0;
  }

  void mark(const ptx::Instruction& i) {
    auto [it, fresh] = outcomes_.try_emplace(i.opcode);
    if (fresh) it->second = outcome(*i.opcode);
    if (it->second.reason.empty()) {
      edit_.respell(i, it->second.text);
    } else {
      edit_.decline(i, it->second.reason);
    }
  }

  Outcome outcome(const ptx::Opcode& o) const {
    if (o.form == nullptr) return {{}, "its spelling is not known"};
    if (o.has(ptx::kVolatile))
      return {{}, fmt::format("only weak {}s have cache operators", loads_ ? "load" : "store")};
    Spelling s(o.text);
    const std::string_view now = s.cache_operator();
    if (now == wanted_) return {{}, fmt::format("it is marked .{} already", wanted_)};
    const std::string_view usual = loads_ ? "ca" : "wb";
    if (wanted_ == usual && now.empty())
      return {{}, fmt::format(".{} is the default, which it has", wanted_)};
    if (o.text.find(".L1::") != std::string_view::npos)
      return {{}, "an eviction priority of L1 and a cache operator exclude each other"};
    s.set_cache_operator(wanted_);
    Outcome out{s.text(), {}};
    out.reason = refusal(subject_.module(), out.text);
    return out;
  }

  Subject& subject_;
  Edit& edit_;
  std::string_view wanted_;
  bool loads_;
  std::vector<uint8_t> resolved_;  // by instruction: the access is to global memory
  std::unordered_map<const ptx::Opcode*, Outcome> outcomes_;
};

}  // namespace

void cache_loads(Subject& subject, Edit& edit, Action action) {
  CacheMarker(subject, edit, action).run();
}

void cache_stores(Subject& subject, Edit& edit, Action action) {
  CacheMarker(subject, edit, action).run();
}

}  // namespace pitot::transform
