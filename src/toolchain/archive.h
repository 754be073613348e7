// Members of a static library (ar archive), GNU and BSD names, ordinary and thin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace pitot::toolchain {

struct ArchiveMember {
  std::string name;
  std::string_view data;
};

bool is_archive(std::string_view bytes);

// The members up to the first damaged header; symbol and name tables are left out. A thin archive
// holds names only: kInput, since its objects are other files.
Result<std::vector<ArchiveMember>> read_archive(std::string_view bytes);

}  // namespace pitot::toolchain
