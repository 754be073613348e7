// The variants of a template as a table, as CSV, and as the manifest itself.
#pragma once

#include <string>

#include "report/diagnostic_text.h"
#include "variants/manifest_result.h"

namespace pitot::report {

std::string variants_text(const variants::ManifestResult& manifest, const TextStyle& style);
// Columns family, variant, target, status, p_NAME…, ptx_hash, compiler, registers,
// registers_estimated, spill_bytes, static_shared, launchable, launch_problem, message, ptx, spec.
std::string variants_csv(const variants::ManifestResult& manifest);
// pitot.variants/1
std::string variants_json(const variants::ManifestResult& manifest);

}  // namespace pitot::report
