// Inputs of the register estimate for every kernel of the PTX files named, as CSV for fit.py.
#include <cstdio>

#include "analysis/register_estimate.h"
#include "ptx/parser.h"

namespace {

// Inputs that depend on the target: as they are on sm_90, in columns of their own.
using pitot::analysis::RegisterInput;
constexpr RegisterInput kOnNinety[] = {
    RegisterInput::kTimedAny,       RegisterInput::kTimedSmall,     RegisterInput::kTimedLarge,
    RegisterInput::kTimedInner,     RegisterInput::kTimedOuter,     RegisterInput::kTimedLoads,
    RegisterInput::kTimedSmallOver, RegisterInput::kTimedLargeOver, RegisterInput::kTimedText,
    RegisterInput::kStep,           RegisterInput::kStepped,        RegisterInput::kBanks,
    RegisterInput::kTextBanks,      RegisterInput::kAllocated,      RegisterInput::kTextAllocated};

}  // namespace

int main(int argc, char** argv) {
  using namespace pitot;
  std::printf("file,kernel,threads,maxnreg,minblocks,cap,wanted_sm80,wanted_sm90");
  for (size_t k = 0; k < analysis::kRegisterInputCount; ++k)
    std::printf(",%s",
                std::string(analysis::name_of(static_cast<analysis::RegisterInput>(k))).c_str());
  for (analysis::RegisterInput k : kOnNinety)
    std::printf(",%s_90", std::string(analysis::name_of(k)).c_str());
  std::printf("\n");
  analysis::Workspace ws;
  analysis::FlowFacts flow;
  analysis::Uniformity uniformity;
  for (int n = 1; n < argc; ++n) {
    auto m = ptx::parse_file(argv[n]);
    if (!m) {
      std::fprintf(stderr, "%s\n", m.error().message.c_str());
      return 2;
    }
    for (const auto& f : m->functions) {
      if (!f.has_body || !f.is_entry) continue;
      flow.build(*m, f, ws);
      uniformity.build(flow, std::nullopt, ws);
      analysis::RegisterInputs inputs = analysis::register_inputs(flow, uniformity, 0, ws);
      std::printf("%s,%s,%llu,%u,%u,%u,%g,%g", argv[n], std::string(f.name).c_str(),
                  static_cast<unsigned long long>(f.bounds.threads().value_or(0)),
                  f.bounds.maxnreg.value_or(0), f.bounds.minnctapersm.value_or(0),
                  analysis::register_cap(f),
                  analysis::estimate_registers(flow, uniformity, {80, 0}, ws).wanted,
                  analysis::estimate_registers(flow, uniformity, {90, 0}, ws).wanted);
      for (double v : inputs) std::printf(",%.9g", static_cast<double>(static_cast<float>(v)));
      inputs = analysis::register_inputs(flow, uniformity, 90, ws);
      for (RegisterInput k : kOnNinety) std::printf(",%.9g", inputs[static_cast<size_t>(k)]);
      std::printf("\n");
    }
  }
  return 0;
}
