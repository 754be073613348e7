// Edits on a module's text: replacements, insertions and deletions by byte range, applied at once.
#pragma once

#include <string>
#include <vector>

#include "ptx/module.h"

namespace pitot::ptx {

class Rewriter {
 public:
  explicit Rewriter(const Module& module) : module_(module) {}

  void replace(SourceRange range, std::string text);
  void insert_before(uint32_t offset, std::string text) {
    replace({offset, offset}, std::move(text));
  }
  // Deletes a statement with its line when nothing else stands on it.
  void erase_statement(SourceRange range);
  bool empty() const { return edits_.empty(); }

  // The edited text. Edits that overlap are a bug of the caller; the earlier one added wins.
  std::string apply() const;

 private:
  struct Edit {
    SourceRange range;
    std::string text;
    size_t order;
  };
  const Module& module_;
  std::vector<Edit> edits_;
};

}  // namespace pitot::ptx
