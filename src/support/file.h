// Files: read whole, written to a temporary name and renamed, listed below a directory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace pitot {

// Reads a file, or standard input for "-". Errors name the path and the system's reason.
Result<std::string> read_file(const std::string& path);

// Writes beside the target and renames, so a killed run never leaves half a file.
Status write_file(const std::string& path, std::string_view content);

// Every regular file below `path` with one of the endings (".ptx"), sorted by name; `path` itself
// when it is a file. Symbolic links to directories are not followed.
Result<std::vector<std::string>> list_files(const std::string& path,
                                            const std::vector<std::string>& endings);

}  // namespace pitot
