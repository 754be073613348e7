// Small text helpers: edit distance, nearest name, glob.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pitot {

// Levenshtein distance with adjacent transposition counted as one edit.
size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name`, or empty when none is within about a third of its length.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

// Shell-style pattern over a whole name: `*` any run, `?` one character, `[abc]` a set.
bool glob_match(std::string_view pattern, std::string_view name);

}  // namespace pitot
