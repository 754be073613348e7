// What doctor found, as text and JSON.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/diagnostic_text.h"

namespace pitot::report {

struct DoctorItem {
  std::string name;
  bool found = false;
  std::string detail;    // where and which version, or why not
  std::string used_for;  // which verbs want it
};

struct Doctor {
  std::string version;
  std::vector<DoctorItem> items;
  std::vector<std::string> ptxas_targets;
  uint16_t newest_ptx = 0;  // that ptxas takes, major × 10 + minor; 0: not known
  size_t gpus = 0;          // rows of the GPU table
  std::vector<std::pair<std::string, size_t>> instructions;  // mnemonic, forms in the table
  // The emulator by example spellings: tried, executed, those that fault by name, those of which no
  // example could be made. Nothing was tried when `spellings` is 0.
  size_t spellings = 0, executed = 0;
  std::vector<std::string> not_executed, untried;
  // The instructions of files; none were given when `files` is 0.
  struct Missing {
    std::string spelling, first;  // "file:line" of one
    size_t count = 0;
  };
  size_t files = 0, file_instructions = 0, file_executed = 0;
  std::vector<Missing> file_missing;
};

std::string doctor_json(const Doctor& doctor);
std::string doctor_text(const Doctor& doctor, const TextStyle& style, bool list_instructions);

}  // namespace pitot::report
