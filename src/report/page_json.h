// JSON that others wrote, read with care: what is missing is unknown, what has the wrong type is a
// problem with its place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/json.h"

namespace pitot::report::page {

// A value inside a document. It refers to the document and to the first problem found in it, which
// both live longer.
class Node {
 public:
  Node(const Json& value, std::string place, std::string& problem)
      : value_(&value), place_(std::move(place)), problem_(&problem) {}

  bool known() const { return !value_->is_null(); }
  bool is_list() const { return value_->is_array(); }
  bool has(std::string_view key) const { return !(*this)[key].null(); }
  bool null() const { return value_->is_null(); }

  // A null node where there is no such key.
  Node operator[](std::string_view key) const;
  // The same, and a problem where it is missing.
  Node need(std::string_view key) const;

  std::string text() const;  // empty for null
  double number() const;     // NaN for null
  bool flag() const;         // false for null
  std::vector<Node> list() const;
  std::vector<std::pair<std::string, Node>> members() const;
  // Scalars and lists of scalars as people read them.
  std::string shown(std::string_view separator = ", ") const;

  std::string text(std::string_view key) const { return (*this)[key].text(); }
  double number(std::string_view key) const { return (*this)[key].number(); }
  bool flag(std::string_view key) const { return (*this)[key].flag(); }
  std::vector<Node> list(std::string_view key) const { return (*this)[key].list(); }
  std::vector<std::pair<std::string, Node>> members(std::string_view key) const {
    return (*this)[key].members();
  }
  std::string shown(std::string_view key, std::string_view separator) const {
    return (*this)[key].shown(separator);
  }
  std::vector<std::string> texts(std::string_view key) const;

 private:
  void complain(std::string_view wanted) const;

  const Json* value_;
  std::string place_;  // "/runs/0/median"
  std::string* problem_;
};

}  // namespace pitot::report::page
