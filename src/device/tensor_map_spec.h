// Arguments of a kernel spec that are tensor maps (CUtensorMap, passed by value).
#pragma once

#include <string>
#include <vector>

#include "device/expression.h"
#include "emulator/tensor_map.h"
#include "ptx/types.h"
#include "support/toml_table.h"

namespace pitot::device {

// Expressions of the sizes, the innermost dimension first.
struct TensorMapSpec {
  std::string of;                   // the buffer that the tensor lies in; empty: memory of its own
  std::vector<std::string> size;    // elements, 1 to 5 dimensions
  std::vector<std::string> stride;  // bytes between neighbours of dimension 1, 2, …; empty: dense
  std::vector<std::string> box;     // elements; empty in im2col mode
  std::vector<std::string> step;    // of the elements that are taken; empty: 1
  std::vector<std::string> lower, upper;         // im2col mode: corners, W first
  std::string channels = "", pixels = "";        // im2col mode: of a column
  uint8_t swizzle = 0, atomicity = 0, fill = 0;  // as in emulator::TensorMap

  bool im2col() const { return !channels.empty(); }
};

// Reads the keys of one argument of elements of a type; complaints are located.
TensorMapSpec read_tensor_map_spec(TomlTable& table);

// The map at one size, of a tensor at address 0. Errors: expressions; what no copy can be made
// with.
Result<emulator::TensorMap> evaluate_tensor_map(const TensorMapSpec& spec, ptx::Type type,
                                                const std::string& name, const Sizes& sizes);

// Bytes from the tensor's address to its end.
uint64_t tensor_bytes(const emulator::TensorMap& map);

}  // namespace pitot::device
