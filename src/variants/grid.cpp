#include "variants/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "support/hash.h"
#include "support/text.h"

namespace pitot::variants {
namespace {

constexpr size_t kMostVariants = 1000000;
constexpr size_t kLongestName = 160;  // with an ending it must be a file name

std::string name_of(const Template& t, const Configuration& c) {
  std::string out;
  for (size_t i = 0; i < c.values.size(); ++i)
    out += fmt::format("{}{}{}", i == 0 ? "" : "_", t.parameters[i].name, c.values[i].text);
  if (out.empty()) out = t.family;
  for (char& ch : out)
    if (std::isalnum(static_cast<unsigned char>(ch)) == 0 && ch != '_' && ch != '.' && ch != '-')
      ch = '_';
  if (out.size() > kLongestName)
    out =
        out.substr(0, kLongestName - 17) + "_" + hash_bytes(values_text(t, c)).hex().substr(0, 16);
  return out;
}

void complain(const Template& t, const Constraint& constraint, const Configuration& c,
              const std::string& message, Diagnostics& out) {
  std::string names;
  for (const Parameter& p : t.parameters) names += (names.empty() ? "" : ", ") + p.name;
  out.error("wrong-constraint", constraint.at,
            fmt::format("{} (with {})", message, values_text(t, c)),
            "the parameters are " + (names.empty() ? std::string("none") : names));
}

}  // namespace

device::Sizes numbers_of(const Template& t, const Configuration& c) {
  device::Sizes out;
  for (size_t i = 0; i < c.values.size(); ++i)
    if (c.values[i].number) out[t.parameters[i].name] = *c.values[i].number;
  return out;
}

device::Words texts_of(const Template& t, const Configuration& c) {
  device::Words out;
  for (size_t i = 0; i < c.values.size(); ++i)
    if (!c.values[i].number) out[t.parameters[i].name] = c.values[i].text;
  return out;
}

std::string values_text(const Template& t, const Configuration& c) {
  std::string out;
  for (size_t i = 0; i < c.values.size(); ++i)
    out += fmt::format("{}{}={}", i == 0 ? "" : " ", t.parameters[i].name, c.values[i].text);
  return out;
}

void complete(const Template& t, std::vector<Configuration>& list, Diagnostics& out) {
  std::set<std::string> names;
  std::set<const Constraint*> broken;  // one complaint each
  for (Configuration& c : list) {
    c.name = name_of(t, c);
    const std::string plain = c.name;
    for (unsigned n = 2; !names.insert(c.name).second; ++n) c.name = fmt::format("{}-{}", plain, n);
    const device::Sizes numbers = numbers_of(t, c);
    const device::Words texts = texts_of(t, c);
    for (const Constraint& constraint : t.constraints) {
      auto holds = device::evaluate(constraint.text, numbers, texts);
      if (!holds) {
        if (broken.insert(&constraint).second)
          complain(t, constraint, c, holds.error().message, out);
      } else if (*holds == 0 && c.refused.empty()) {
        c.refused = constraint.text;
        break;
      }
    }
  }
}

std::vector<Configuration> enumerate(const Template& t, Diagnostics& out) {
  size_t total = 1;
  for (const Parameter& p : t.parameters) {
    if (total > kMostVariants / std::max<size_t>(p.values.size(), 1)) {
      out.error("too-many-variants", {},
                fmt::format("the grid has more than {} combinations", kMostVariants));
      return {};
    }
    total *= p.values.size();
  }
  std::vector<Configuration> list(total);
  for (size_t i = 0; i < total; ++i) {
    size_t rest = i;
    list[i].values.resize(t.parameters.size());
    for (size_t p = t.parameters.size(); p-- > 0;) {
      const std::vector<Value>& values = t.parameters[p].values;
      list[i].values[p] = values[rest % values.size()];
      rest /= values.size();
    }
  }
  const size_t before = out.errors();
  complete(t, list, out);
  if (out.errors() > before) list.clear();
  return list;
}

Result<std::vector<bool>> select(const Template& t, const std::vector<Configuration>& list,
                                 const std::string& only) {
  std::vector<bool> chosen(list.size(), only.empty());
  if (only.empty()) return chosen;
  if (std::all_of(only.begin(), only.end(),
                  [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; })) {
    const Value first = value_of(only);
    int64_t left = first.number.value_or(INT64_MAX);
    for (size_t i = 0; i < list.size() && left > 0; ++i)
      if (list[i].refused.empty()) {
        chosen[i] = true;
        --left;
      }
    return chosen;
  }
  bool any = false;
  for (size_t i = 0; i < list.size(); ++i) {
    chosen[i] = glob_match(only, list[i].name);
    any = any || chosen[i];
  }
  if (any) return chosen;
  for (size_t i = 0; i < list.size(); ++i) {
    auto holds = device::evaluate(only, numbers_of(t, list[i]), texts_of(t, list[i]));
    if (!holds)
      return input_error(fmt::format("'{}' is no variant's name, and as an expression: {}", only,
                                     holds.error().message));
    chosen[i] = *holds != 0;
    any = any || chosen[i];
  }
  if (!any) return input_error(fmt::format("no variant with '{}'", only));
  return chosen;
}

}  // namespace pitot::variants
