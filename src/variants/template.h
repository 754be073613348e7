// A template (*.variants.toml): a kernel's source with parameters, the values each may have, what
// must hold between them, and the launch as in a kernel spec. docs/variants.md has the format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/expression.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace pitot::variants {

// One value of a parameter, as the compiler gets it; whole numbers (and true, false as 1, 0) can be
// computed with, anything else is a text.
struct Value {
  std::string text;
  std::optional<int64_t> number;
  bool operator==(const Value&) const = default;
};
Value number_value(int64_t number);
// "0.5", "float": a number where it is a whole one.
Value value_of(std::string text);

struct Parameter {
  std::string name;
  std::vector<Value> values;
};

struct Constraint {
  std::string text;  // an expression over the parameters
  SourceRange at;
};

// A macro besides the parameters: an expression over them and the first size.
struct Define {
  std::string name, text;
  SourceRange at;
};

enum class SourceKind : uint8_t { kCuda, kPtx, kTriton };

struct Template {
  std::string family;
  std::string source;  // as written: beside the template
  SourceKind kind = SourceKind::kCuda;
  std::string entry;                 // of the kernel; empty: the only one
  std::vector<std::string> targets;  // "sm_90a"
  std::vector<std::string> options;  // of the compiler
  std::vector<Parameter> parameters;
  // The parameter that is the kernel's `.maxnreg` (0: none), written into the PTX that the others
  // give; empty: there is none. It is no macro.
  std::string register_cap;
  std::vector<Constraint> constraints;
  std::vector<Define> defines;
  SourceText text;  // the template's own, read again for each variant's spec

  std::string source_path() const;
};

// Reads a template; complaints are located. It is meaningless when there were errors. What the
// kernel spec has is read later, with values for the parameters: see spec_of.
Template read_template(SourceText source, Diagnostics& out);

}  // namespace pitot::variants
