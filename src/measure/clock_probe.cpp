// Inserts the clock reads as text: the original's bytes stay as they are.
#include "measure/clock_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ptx/isa.h"
#include "ptx/rewriter.h"
#include "ptx/special_register.h"

namespace pitot::measure {
namespace {

// Opcodes of the inserted text that not every .version and .target has.
constexpr std::string_view kOpcodes[] = {"red.global.min.u64", "red.global.max.u64",
                                         "red.global.max.u32", "activemask.b32",
                                         "cvta.to.global.u64"};
constexpr std::string_view kSpecials[] = {"%clock64", "%smid", "%laneid", "%lanemask_lt"};

class ClockInserter {
 public:
  ClockInserter(const ptx::Module& module, const ptx::Function& kernel)
      : module_(module), kernel_(kernel) {
    // No name of the original begins with it, not even one that a %r<100> stands for.
    prefix_ = "pitot_clock";
    for (unsigned i = 1; module.text().find(prefix_) != std::string_view::npos; ++i)
      prefix_ = fmt::format("pitot_clock{}", i);
  }

  std::optional<std::string> objection() const {
    if (module_.diagnostics.errors() != 0) return "the PTX has errors";
    if (module_.address_size != 64) return "its addresses have 32 bits";
    for (const std::string_view spelling : kOpcodes)
      if (const ptx::Support s =
              ptx::support(ptx::decode(spelling), module_.version, module_.target);
          s != ptx::Support::kYes && s != ptx::Support::kDeprecated)
        return lacks(spelling);
    for (const std::string_view name : kSpecials)
      if (!ptx::satisfies(ptx::find_special_register(name)->need, module_.version, module_.target))
        return lacks(name);
    bool calls = false;
    for (const ptx::Instruction& i : module_.body(kernel_)) calls |= i.opcode->has(ptx::kCall);
    for (const ptx::Function& f : module_.functions) {
      for (const ptx::Instruction& i : module_.body(f)) {
        if (calls && !f.is_entry && i.opcode->has(ptx::kExit))
          return fmt::format("threads may end inside the function {} (line {})", f.name,
                             line_of(i.range.begin));
        for (const ptx::Operand& o : module_.operands_of(i))
          if (names_kernel(o))
            return fmt::format("the module itself launches it (line {})", line_of(o.range.begin));
      }
    }
    return std::nullopt;
  }

  ClockProbe run() {
    for (const ptx::Function& f : module_.functions)
      if (f.name == kernel_.name) add_parameter(f);
    insert(kernel_.body.begin + 1, opening());
    for (const ptx::Instruction& i : module_.body(kernel_))
      if (i.opcode->has(ptx::kRet) || i.opcode->has(ptx::kExit))
        insert(i.range.begin, closing(i) + "\t");
    if (runs_off_the_end()) insert(kernel_.body.end - 1, closing({}));

    ClockProbe probe;
    ptx::Rewriter rewriter(module_);
    for (const ClockProbe::Insertion& i : insertions_) rewriter.insert_before(i.offset, i.text);
    probe.text = rewriter.apply();
    probe.insertions = std::move(insertions_);
    std::stable_sort(probe.insertions.begin(), probe.insertions.end(),
                     [](const auto& a, const auto& b) { return a.offset < b.offset; });
    probe.prefix = prefix_;
    return probe;
  }

 private:
  std::string lacks(std::string_view what) const {
    return fmt::format("{} needs a newer .version than {}.{} or another .target than {}", what,
                       module_.version / 10, module_.version % 10, ptx::name_of(module_.target));
  }
  uint32_t line_of(uint32_t offset) const { return module_.source->position(offset).line; }

  bool names_kernel(const ptx::Operand& o) const {
    auto is_kernel = [this](uint32_t id) {
      const ptx::Symbol& s = module_.symbols[id];
      return s.kind == ptx::SymbolKind::kFunction && s.name == kernel_.name;
    };
    if (o.kind == ptx::OperandKind::kSymbol && is_kernel(o.id)) return true;
    for (const ptx::Operand& child : module_.children_of(o))
      if (child.kind == ptx::OperandKind::kSymbol && is_kernel(child.id)) return true;
    return false;
  }

  void insert(uint32_t offset, std::string text) {
    insertions_.push_back({offset, std::move(text)});
  }

  // `.entry k(…)` or, without parameters, `.entry k()` or `.entry k`.
  void add_parameter(const ptx::Function& f) {
    const std::string parameter = fmt::format(".param .u64 {}_records", prefix_);
    const uint32_t end = f.header.end;
    if (module_.text()[end - 1] != ')')
      insert(end, fmt::format("({})", parameter));
    else
      insert(end - 1, f.parameters.empty() ? parameter : ",\n\t" + parameter + "\n");
  }

  // To its record's address in d0: a block's linear number times 32.
  std::string address() const {
    return fill(
        "\tmov.u32 %@r0, %ctaid.z;\n\tmov.u32 %@r1, %nctaid.y;\n\tmov.u32 %@r2, %ctaid.y;\n"
        "\tmad.lo.u32 %@r0, %@r0, %@r1, %@r2;\n"
        "\tmov.u32 %@r1, %nctaid.x;\n\tmov.u32 %@r2, %ctaid.x;\n"
        "\tmad.lo.u32 %@r0, %@r0, %@r1, %@r2;\n"
        "\tld.param.u64 %@d0, [@records];\n\tcvta.to.global.u64 %@d0, %@d0;\n"
        "\tmad.wide.u32 %@d0, %@r0, 32, %@d0;\n");
  }

  // All lanes that a warp has are here: lane 0 writes. The clock is read as late as can be.
  std::string opening() const {
    return fill("\n\t.reg .pred %@p;\n\t.reg .b32 %@r<3>;\n\t.reg .b64 %@d<2>;\n") + address() +
           fill(
               "\tmov.u32 %@r1, %laneid;\n\tsetp.eq.u32 %@p, %@r1, 0;\n\tmov.u32 %@r2, %smid;\n"
               "\tmov.u64 %@d1, %clock64;\n"
               "\t@%@p red.global.min.u64 [%@d0], %@d1;\n"
               "\t@%@p red.global.max.u32 [%@d0+16], %@r2;\n");
  }

  // Of the lanes that leave here the lowest writes: its mask has none of lower lanes. The clock is
  // read first. Only the last write depends on the guard of the exit, so that no branch is added.
  std::string closing(const ptx::Instruction& exit) const {
    std::string guard, leaves;
    if (exit.guard != ptx::kNoId) {
      leaves =
          fmt::format("{}{}", exit.guard_negated ? "!" : "", kernel_.registers[exit.guard].name);
      guard = fmt::format("@{} ", leaves);
    }
    std::string text = fill("\n\tmov.u64 %@d1, %clock64;\n") + address();
    if (!guard.empty()) text += fill("\tmov.u32 %@r1, 0;\n");
    text += "\t" + guard +
            fill(
                "activemask.b32 %@r1;\n\tmov.u32 %@r2, %lanemask_lt;\n"
                "\tand.b32 %@r1, %@r1, %@r2;\n");
    text += guard.empty() ? fill("\tsetp.eq.u32 %@p, %@r1, 0;\n")
                          : fill("\tsetp.eq.and.u32 %@p, %@r1, 0, ") + leaves + ";\n";
    return text + fill("\t@%@p red.global.max.u64 [%@d0+8], %@d1;\n");
  }

  // Whether control can reach the closing brace.
  bool runs_off_the_end() const {
    const auto body = module_.body(kernel_);
    if (body.empty()) return true;
    for (const ptx::Label& label : kernel_.labels)
      if (label.instruction == body.size()) return true;
    const ptx::Instruction& last = body.back();
    if (last.guard != ptx::kNoId) return true;
    return !last.opcode->has(ptx::kRet) && !last.opcode->has(ptx::kExit) &&
           !last.opcode->has(ptx::kTrap) && !last.opcode->has(ptx::kBranch);
  }

  // The text with the prefix for every @ that a letter follows and no guard is.
  std::string fill(std::string_view text) const {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '@' && text[i + 1] != '%')
        out += prefix_ + "_";
      else
        out += text[i];
    }
    return out;
  }

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  std::string prefix_;
  std::vector<ClockProbe::Insertion> insertions_;
};

}  // namespace

Result<ClockProbe> insert_clock_probe(const ptx::Module& module, std::string_view entry) {
  const ptx::Function* kernel = nullptr;
  for (const ptx::Function& f : module.functions) {
    if (!f.is_entry || !f.has_body || (!entry.empty() && f.name != entry)) continue;
    if (kernel != nullptr)
      return input_error(fmt::format("{}: several entries; name one", module.source->path()));
    kernel = &f;
  }
  if (kernel == nullptr)
    return input_error(fmt::format("{}: no entry {}", module.source->path(), entry));
  ClockInserter inserter(module, *kernel);
  if (auto why = inserter.objection())
    return input_error(fmt::format("{}: {} cannot be timed by the SM clock: {}",
                                   module.source->path(), kernel->name, *why));
  return inserter.run();
}

}  // namespace pitot::measure
