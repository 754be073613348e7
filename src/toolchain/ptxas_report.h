// What `ptxas -v` prints, read into records: resources of each function and every message.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pitot::toolchain {

// One function of the report. A field is absent if ptxas did not print it: ptxas leaves out what is
// 0 for shared, constant and local memory, textures, samplers and surfaces of an entry, and prints
// only the stack and spills of a device function.
struct PtxasFunction {
  std::string name;
  std::string target;  // "sm_90a"; empty for a device function
  bool entry = false;  // "Compiling entry function" named it

  std::optional<uint64_t> registers;
  std::optional<uint64_t> barriers;
  std::optional<uint64_t> stack_frame;       // bytes
  std::optional<uint64_t> spill_stores;      // bytes
  std::optional<uint64_t> spill_loads;       // bytes
  std::optional<uint64_t> cumulative_stack;  // bytes
  std::optional<uint64_t> shared;            // bytes of static shared memory (smem)
  std::optional<uint64_t> local;             // bytes (lmem)
  std::map<unsigned, uint64_t> constant;     // bank → bytes (cmem[N])
  std::optional<uint64_t> textures;
  std::optional<uint64_t> samplers;
  std::optional<uint64_t> surfaces;
  std::optional<double> compile_ms;
  std::map<std::string, uint64_t> other;  // quantities this reader has no field for, by their words
};

enum class PtxasSeverity : uint8_t { kInfo, kWarning, kError, kFatal };
const char* to_string(PtxasSeverity severity);  // "info", "warning", "error", "fatal"

struct PtxasMessage {
  PtxasSeverity severity = PtxasSeverity::kInfo;
  std::string code;   // "C7510"; empty if none
  std::string file;   // as ptxas names it; empty if the message has no place
  uint32_t line = 0;  // 1-based; 0 if the message has no place
  std::string text;   // without code and place
  bool advisory =
      false;  // a performance advisory ("Potential Performance Loss", "Advisory") or C75xx
  std::string function;  // the function that the text names, if it does
};

struct PtxasReport {
  std::vector<PtxasFunction> functions;  // in order of appearance
  std::vector<PtxasMessage> messages;    // statistics lines are not messages
  uint64_t global = 0;                   // bytes (gmem), summed over the modules reported on
  std::map<unsigned, uint64_t> module_constant;  // bank → bytes on the module's line
  std::vector<std::string> unread;               // lines that fit no known form, as printed

  const PtxasFunction* find(std::string_view name) const;
  bool has_errors() const;
};

// Reads the output of one or several runs. Fields may come in any order; unknown ones are kept.
PtxasReport parse_ptxas(std::string_view output);

}  // namespace pitot::toolchain
