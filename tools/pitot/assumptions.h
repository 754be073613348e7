// What transforms may assume of a kernel, from its spec and from options.
#pragma once

#include <string>
#include <vector>

#include "cli.h"
#include "transform/subject.h"

namespace pitot::cli {

struct AssumptionArguments {
  std::vector<std::string> align;  // "p=16"
  std::vector<uint32_t> block;
  bool distinct = false, round_otherwise = false;
};
void add_assumptions(CLI::App& verb, AssumptionArguments& args);

// Of the options. Errors (kInput): no "name=bytes" with a power of two, no such parameter.
Result<transform::Assumptions> assumptions_of(const AssumptionArguments& args,
                                              const ptx::Module& module, uint32_t kernel);

}  // namespace pitot::cli
