// Outputs of the GPU in a file, so that the emulator can be compared with them where there is none.
#pragma once

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "case.h"
#include "support/result.h"

namespace pitot::conformance {

struct Recorded {
  uint64_t program = 0;  // hash of the text and the input
  std::vector<uint8_t> output;
};

uint64_t program_hash(const Case& c);
void append_recording(std::FILE* file, const Case& c, const std::vector<uint8_t>& output);
Result<std::map<std::string, Recorded>> read_recording(const std::string& path);

}  // namespace pitot::conformance
