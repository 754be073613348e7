// The manifest on disk: reading it back, and joining what is new with what was there.
#pragma once

#include <string>
#include <vector>

#include "support/result.h"
#include "variants/manifest_result.h"

namespace pitot::variants {

inline constexpr const char* kManifestName = "manifest.json";

// Errors: unreadable, no JSON, another schema, wrong types; they name the file.
Result<ManifestResult> read_manifest(const std::string& path);

// What `now` only lists and `before` has made stays made, where both are of the same family,
// source, options and compiler.
void keep_made(const ManifestResult& before, ManifestResult& now);

// Files of `before` that `now` does not have.
std::vector<std::string> stale_files(const ManifestResult& before, const ManifestResult& now);

}  // namespace pitot::variants
