#include "report/page_json.h"

#include <fmt/format.h>

#include "report/page_words.h"

namespace pitot::report::page {
namespace {

const Json& no_value() {
  static const Json kNull;
  return kNull;
}

// A key as a step of a JSON pointer (RFC 6901).
std::string step(std::string_view key) {
  std::string out = "/";
  for (const char c : key) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

}  // namespace

void Node::complain(std::string_view wanted) const {
  if (problem_->empty())
    *problem_ =
        fmt::format("{}: {} is wanted here, not {} {}", place_.empty() ? "/" : place_, wanted,
                    value_->is_array() || value_->is_object() ? "an" : "a", value_->type_name());
}

Node Node::operator[](std::string_view key) const {
  const std::string place = place_ + step(key);
  if (value_->is_null()) return {no_value(), place, *problem_};
  if (!value_->is_object()) {
    complain("an object");
    return {no_value(), place, *problem_};
  }
  const auto at = value_->find(std::string(key));
  return {at == value_->end() ? no_value() : *at, place, *problem_};
}

Node Node::need(std::string_view key) const {
  Node out = (*this)[key];
  if (out.null() && problem_->empty()) *problem_ = out.place_ + ": is missing";
  return out;
}

std::string Node::text() const {
  if (value_->is_string()) return value_->get<std::string>();
  if (!value_->is_null()) complain("text");
  return {};
}

double Node::number() const {
  if (value_->is_number()) return value_->get<double>();
  if (!value_->is_null()) complain("a number");
  return kUnknown;
}

bool Node::flag() const {
  if (value_->is_boolean()) return value_->get<bool>();
  if (!value_->is_null()) complain("true or false");
  return false;
}

std::vector<Node> Node::list() const {
  std::vector<Node> out;
  if (value_->is_array()) {
    out.reserve(value_->size());
    for (size_t i = 0; i < value_->size(); ++i)
      out.emplace_back((*value_)[i], fmt::format("{}/{}", place_, i), *problem_);
  } else if (!value_->is_null()) {
    complain("a list");
  }
  return out;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  std::vector<std::pair<std::string, Node>> out;
  if (value_->is_object()) {
    for (auto i = value_->begin(); i != value_->end(); ++i)
      out.emplace_back(i.key(), Node(i.value(), place_ + step(i.key()), *problem_));
  } else if (!value_->is_null()) {
    complain("an object");
  }
  return out;
}

std::string Node::shown(std::string_view separator) const {
  if (value_->is_null()) return {};
  if (value_->is_string()) return value_->get<std::string>();
  if (value_->is_boolean()) return value_->get<bool>() ? "yes" : "no";
  if (value_->is_number_integer()) return value_->dump();
  if (value_->is_number()) return figure(value_->get<double>());
  if (value_->is_array()) {
    std::string out;
    for (const Node& n : list()) {
      if (n.value_->is_structured()) {
        n.complain("a number or text");
        break;
      }
      if (!out.empty()) out += separator;
      out += n.shown();
    }
    return out;
  }
  complain("a number, text or a list of them");
  return {};
}

std::vector<std::string> Node::texts(std::string_view key) const {
  std::vector<std::string> out;
  for (const Node& n : list(key)) out.push_back(n.text());
  return out;
}

}  // namespace pitot::report::page
