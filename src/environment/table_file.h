// A recorded table in one file: a line of text that says what it is, then its content in binary
// (little endian), guarded by a hash.
#pragma once

#include <string>
#include <string_view>

#include "environment/recorded_table.h"
#include "support/result.h"

namespace pitot::environment {

inline constexpr const char* kTableSchema = "pitot.table/1";

// Sets table.hash. Kernels are written in the order of their names.
std::string table_bytes(RecordedTable& table);

// Errors (kInput): another schema, features or actions that this program has not, content that is
// cut off, was changed or contradicts itself. `path` is for messages.
Result<RecordedTable> read_table(std::string_view bytes, const std::string& path);

}  // namespace pitot::environment
