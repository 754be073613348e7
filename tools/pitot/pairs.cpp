// Pairing of inputs.
#include "pairs.h"

#include <map>

#include "ptx/parser.h"

namespace pitot::cli {
namespace {

// The part of a label that both sides share: what comes after the root.
std::string below(const std::string& label, const std::string& root) {
  return label.starts_with(root) ? label.substr(root.size()) : label;
}

ptx::Module nothing(const std::string& path) { return ptx::parse(path, std::string()); }

}  // namespace

std::vector<ModulePair> read_pairs(const std::string& a, const std::string& b, Options& options) {
  std::vector<Input> left = read_inputs({a}, options), right = read_inputs({b}, options);
  std::vector<ModulePair> out;
  if (left.size() == 1 && right.size() == 1) {
    out.push_back({ptx::parse(left[0].path, std::move(left[0].text)),
                   ptx::parse(right[0].path, std::move(right[0].text)), false, false});
    return out;
  }
  std::map<std::string, std::pair<Input*, Input*>> by_name;
  for (Input& i : left) by_name[below(i.path, a)].first = &i;
  for (Input& i : right) by_name[below(i.path, b)].second = &i;
  for (auto& [name, pair] : by_name) {
    auto [l, r] = pair;
    out.push_back({l != nullptr ? ptx::parse(l->path, std::move(l->text)) : nothing(a + name),
                   r != nullptr ? ptx::parse(r->path, std::move(r->text)) : nothing(b + name),
                   r == nullptr, l == nullptr});
  }
  return out;
}

}  // namespace pitot::cli
