// Vector loads become scalar loads of their elements.
#include <fmt/format.h>

#include <algorithm>

#include "transform/spelling.h"
#include "transform/transforms.h"

namespace pitot::transform {
namespace {

class LoadSplitter {
 public:
  LoadSplitter(Subject& subject, Edit& edit) : subject_(subject), edit_(edit) {}

  void run() {
    bool any = false;
    for (const ptx::Instruction& i : subject_.body()) {
      if (i.opcode->mnemonic != ptx::Mnemonic::kLd || i.opcode->vector < 2 ||
          ptx::base_space(i.opcode->space) == ptx::Space::kParam)
        continue;
      any = true;
      if (std::string reason = split(i); !reason.empty()) edit_.decline(i, std::move(reason));
    }
    if (!any) edit_.decline("it has no vector load");
  }

 private:
  // Why not; empty: it was split.
  std::string split(const ptx::Instruction& i) {
    const ptx::Module& m = subject_.module();
    const ptx::Opcode& o = *i.opcode;
    if (o.form == nullptr) return "its spelling is not known";
    if (o.has(ptx::kVolatile)) return "only weak loads are split";
    const auto operands = m.operands_of(i);
    if (operands.size() < 2 || operands[1].kind != ptx::OperandKind::kAddress ||
        operands[0].kind != ptx::OperandKind::kVector)
      return "its destination is a vector register";
    Spelling s(o.text);
    s.set_vector(1);
    const std::string opcode = s.text();
    if (std::string reason = refusal(m, opcode); !reason.empty()) return reason;
    const auto elements = m.children_of(operands[0]);
    std::vector<size_t> order;
    for (size_t k = 0; k < elements.size(); ++k)
      if (elements[k].kind != ptx::OperandKind::kSink) order.push_back(k);
    if (order.empty()) return "none of its elements is kept";
    for (size_t a = 0; a < order.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        if (elements[order[a]].id == elements[order[b]].id)
          return "two of its elements go to one register";
    // What the later loads still read is loaded last.
    auto is_read = [&](size_t k) {
      const ptx::RegId r = elements[k].id;
      if (operands[1].base_kind == ptx::OperandKind::kRegister && operands[1].id == r) return true;
      return operands.size() > 2 && operands[2].is_register() && operands[2].id == r;
    };
    if (std::count_if(order.begin(), order.end(), is_read) > 1)
      return "it overwrites both its address and its cache policy";
    std::stable_partition(order.begin(), order.end(), [&](size_t k) { return !is_read(k); });
    const uint32_t bytes = ptx::bytes_of(o.type);
    std::vector<std::string> statements;
    for (const size_t k : order) {
      const std::string address =
          address_at(m, subject_.function(), operands[1], static_cast<int64_t>(k * bytes));
      if (address.empty()) return "its address has no register or variable as base";
      statements.push_back(fmt::format(
          "{}{} {}, {}{};", subject_.text({i.range.begin, i.opcode_range.begin}), opcode,
          subject_.text(elements[k].range), address,
          operands.size() > 2 ? fmt::format(", {}", subject_.text(operands[2].range)) : ""));
    }
    edit_.replace(i, statements);
    return {};
  }

  Subject& subject_;
  Edit& edit_;
};

}  // namespace

void split_loads(Subject& subject, Edit& edit, Action) { LoadSplitter(subject, edit).run(); }

}  // namespace pitot::transform
