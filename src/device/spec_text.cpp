#include "device/spec_text.h"

#include <fmt/format.h>

namespace pitot::device {

std::optional<std::string> expression_of(const toml::node& n) {
  if (const auto* s = n.as_string()) return s->get();
  if (const auto* i = n.as_integer()) return std::to_string(i->get());
  if (const auto* f = n.as_floating_point()) return fmt::format("{}", f->get());
  return std::nullopt;
}

void take_expression(TomlTable& table, const char* key, std::string& out) {
  const toml::node* n = table.take(key);
  if (n == nullptr) return;
  if (auto e = expression_of(*n)) {
    out = *e;
  } else {
    table.context().error(*n, "wrong-type",
                          fmt::format("`{}` is an expression: a number or a string", key));
  }
}

void take_expressions(TomlTable& table, const char* key, size_t least, size_t most,
                      std::vector<std::string>& out) {
  const toml::node* n = table.take(key);
  if (n == nullptr) return;
  std::vector<std::string> list;
  bool good = true;
  if (auto e = expression_of(*n)) {
    list.push_back(*e);
  } else if (const auto* a = n->as_array()) {
    for (const toml::node& item : *a) {
      auto one = expression_of(item);
      good = good && one.has_value();
      if (one) list.push_back(*one);
    }
  } else {
    good = false;
  }
  if (good && list.size() >= least && list.size() <= most) {
    out = std::move(list);
  } else {
    table.context().error(*n, "wrong-type",
                          least == most
                              ? fmt::format("`{}` is {} expressions", key, least)
                              : fmt::format("`{}` is {} to {} expressions", key, least, most),
                          "[\"ceil_div(n, 128)\", 1]");
  }
}

}  // namespace pitot::device
