// Names of kernels: demangled, and normalised so that what compilers number or hash away matches.
#pragma once

#include <string>
#include <string_view>

namespace pitot::gate {

// The C++ name behind an Itanium-mangled one ("_Z4gemmPf" → "gemm(float*)"), else the name itself.
std::string demangle(std::string_view name);

// Drops what changes from build to build: the hash of internal linkage and of Rust names, Triton's
// argument suffix (`_0d1d2de`), Inductor's trailing number (`triton_poi_fused_add_3`), the
// `.llvm.N` and `$N` suffixes. Never empty for a name that is not.
std::string normalised_name(std::string_view name);

}  // namespace pitot::gate
