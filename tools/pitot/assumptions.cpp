#include "assumptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
namespace pitot::cli {

void add_assumptions(CLI::App& verb, AssumptionArguments& args) {
  verb.add_option("--assume-align", args.align, "a pointer parameter's alignment in bytes: p=16")
      ->allow_extra_args(false);
  verb.add_option("--block", args.block, "threads of every launch's block: X[,Y[,Z]]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1u, 1024u));
  verb.add_flag("--distinct", args.distinct, "buffers of different parameters do not overlap");
  verb.add_flag("--round-otherwise", args.round_otherwise,
                "results may be rounded otherwise (fma_contract)");
}

Result<transform::Assumptions> assumptions_of(const AssumptionArguments& args,
                                              const ptx::Module& module, uint32_t kernel) {
  transform::Assumptions out;
  out.distinct_buffers = args.distinct;
  out.may_round_otherwise = args.round_otherwise;
  if (!args.block.empty()) {
    out.block = std::array<uint32_t, 3>{1, 1, 1};
    for (size_t k = 0; k < args.block.size(); ++k) (*out.block)[k] = args.block[k];
  }
  const ptx::Function& f = module.functions[kernel];
  for (const std::string& text : args.align) {
    const size_t equals = std::min(text.find('='), text.size());
    const std::string name = text.substr(0, equals);
    const std::string number = text.substr(std::min(equals + 1, text.size()));
    uint32_t bytes = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), bytes);
    if (read.ec != std::errc() || read.ptr != number.data() + number.size() ||
        !std::has_single_bit(bytes))
      return input_error(
          fmt::format("--assume-align {}: not a parameter and a power of two, as in p=16", text));
    const auto it = std::find_if(f.parameters.begin(), f.parameters.end(),
                                 [&](ptx::SymbolId id) { return module.symbols[id].name == name; });
    if (it == f.parameters.end())
      return input_error(
          fmt::format("--assume-align {}: '{}' has no parameter '{}'", text, f.name, name));
    if (module.symbols[*it].size * 8 != module.address_size)
      return input_error(fmt::format("--assume-align {}: '{}' is no pointer: it has {} bytes", text,
                                     name, module.symbols[*it].size));
    uint32_t& alignment = out.alignment[name];
    alignment = std::max(alignment, bytes);
  }
  return out;
}

}  // namespace pitot::cli
