// The sections of a 64-bit little-endian ELF file: host objects, executables, libraries and cubins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/hash.h"
#include "support/result.h"

namespace pitot::toolchain {

struct ElfSection {
  std::string_view name;
  uint32_t type = 0;
  uint64_t offset = 0;    // in the file
  std::string_view data;  // empty for SHT_NOBITS
  uint64_t bytes = 0;     // it has when it is loaded
};

struct ElfFile {
  uint16_t machine = 0;  // 190 (EM_CUDA) for a cubin
  uint16_t type = 0;     // 1 relocatable, 2 executable, 3 shared
  uint32_t flags = 0;
  uint8_t abi_version = 0;
  std::vector<ElfSection> sections;  // views into the bytes that were read

  bool is_cubin() const { return machine == 190; }
  // SM number of a cubin from e_flags, 0 if this is none: bits 8…15 from ABI 8 on (CUDA 13), else
  // 0…7.
  unsigned sm() const;
};

bool is_elf(std::string_view bytes);

// kInput for what is no ELF64 little-endian file or whose section table leaves the file. A single
// section that leaves the file is dropped.
Result<ElfFile> read_elf(std::string_view bytes);

// Machine code of one function of a cubin.
struct CodeSection {
  std::string function;  // ".text.k" → "k"
  uint64_t bytes = 0;
  Hash128 hash;  // of the section's bytes: equal code, equal hash
};
std::vector<CodeSection> code_sections(const ElfFile& cubin);

}  // namespace pitot::toolchain
