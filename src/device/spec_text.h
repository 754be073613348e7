// Expressions where they are written in a kernel spec: numbers or strings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/toml_table.h"

namespace pitot::device {

// "n", 4 or 0.5: what an expression may be written as.
std::optional<std::string> expression_of(const toml::node& n);

// The value of `key`, when it is there; a complaint when it is no expression.
void take_expression(TomlTable& table, const char* key, std::string& out);

// A list of `least` to `most` of them, or a single one; left alone when the key is not there.
void take_expressions(TomlTable& table, const char* key, size_t least, size_t most,
                      std::vector<std::string>& out);

}  // namespace pitot::device
