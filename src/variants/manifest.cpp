#include "variants/manifest.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "support/file.h"

namespace pitot::variants {
namespace {

using Json = nlohmann::json;

// Takes members of one object; the first that is missing or of another type is remembered.
class MemberReader {
 public:
  explicit MemberReader(const Json& object) : object_(object) {
    if (!object.is_object()) wrong_ = "an object is expected";
  }

  template <class T>
  void take(const char* key, T& to) {
    if (!wrong_.empty()) return;
    const auto it = object_.find(key);
    if (it == object_.end()) {
      wrong_ = fmt::format("'{}' is missing", key);
      return;
    }
    if (!fits(*it, to)) {
      wrong_ = fmt::format("'{}' has another type", key);
      return;
    }
    to = it->get<T>();
  }
  template <class T>
  void take_if_there(const char* key, T& to) {
    if (wrong_.empty() && object_.contains(key)) take(key, to);
  }
  const std::string& wrong() const { return wrong_; }

 private:
  static bool fits(const Json& j, const std::string&) { return j.is_string(); }
  static bool fits(const Json& j, const bool&) { return j.is_boolean(); }
  static bool fits(const Json& j, const uint32_t&) {
    return j.is_number_unsigned() && j.get<uint64_t>() <= 0xffffffff;
  }
  static bool fits(const Json& j, const uint64_t&) { return j.is_number_unsigned(); }
  template <class T>
  static bool fits(const Json& j, const std::vector<T>&) {
    if (!j.is_array()) return false;
    for (const Json& item : j)
      if (!fits(item, T{})) return false;
    return true;
  }
  static bool fits(const Json& j, const std::array<uint32_t, 3>&) {
    return j.is_array() && j.size() == 3 && fits(j[0], uint32_t{}) && fits(j[1], uint32_t{}) &&
           fits(j[2], uint32_t{});
  }

  const Json& object_;
  std::string wrong_;
};

// An object's list of objects, each read by `read`, which gives what is wrong.
template <class T, class F>
std::string read_list(const Json& root, const char* key, std::vector<T>& to, F&& read) {
  if (!root.contains(key)) return {};
  if (!root[key].is_array()) return fmt::format("'{}' is no list", key);
  for (const Json& item : root[key]) {
    T one;
    if (std::string wrong = read(item, one); !wrong.empty())
      return fmt::format("in '{}': {}", key, wrong);
    to.push_back(std::move(one));
  }
  return {};
}

std::string read_variant(const Json& j, const std::vector<ParameterResult>& parameters,
                         VariantResult& v) {
  MemberReader r(j);
  r.take("name", v.name);
  r.take("target", v.target);
  r.take("status", v.status);
  r.take_if_there("message", v.message);
  r.take_if_there("ptx", v.ptx);
  r.take_if_there("spec", v.spec);
  r.take_if_there("ptx_hash", v.ptx_hash);
  r.take_if_there("entry", v.entry);
  r.take_if_there("kernel", v.kernel);
  r.take_if_there("launchable", v.launchable);
  r.take_if_there("launch_problem", v.launch_problem);
  r.take_if_there("static_shared", v.static_shared);
  r.take_if_there("registers", v.registers);
  r.take_if_there("registers_estimated", v.registers_estimated);
  if (!r.wrong().empty()) return r.wrong();
  if (j.contains("spill_bytes")) {
    uint64_t bytes = 0;
    r.take("spill_bytes", bytes);
    v.spill_bytes = bytes;
  }
  if (!r.wrong().empty()) return r.wrong();
  if (!j.contains("parameters") || !j["parameters"].is_object()) return "'parameters' is missing";
  for (const ParameterResult& p : parameters) {
    const auto it = j["parameters"].find(p.name);
    if (it == j["parameters"].end()) return fmt::format("'{}' has no value", p.name);
    v.values.push_back(it->is_string() ? it->get<std::string>() : it->dump());
  }
  return read_list(j, "launches", v.launches, [](const Json& item, LaunchResult& l) {
    MemberReader m(item);
    m.take("size", l.size);
    m.take("grid", l.grid);
    m.take("block", l.block);
    m.take("cluster", l.cluster);
    m.take("dynamic_shared", l.dynamic_shared);
    return m.wrong();
  });
}

std::string read_parameter(const Json& j, ParameterResult& p) {
  MemberReader r(j);
  r.take("name", p.name);
  r.take("numeric", p.numeric);
  if (!r.wrong().empty()) return r.wrong();
  if (!j.contains("values") || !j["values"].is_array()) return "'values' is missing";
  for (const Json& v : j["values"])
    p.values.push_back(v.is_string() ? v.get<std::string>() : v.dump());
  return {};
}

}  // namespace

Result<ManifestResult> read_manifest(const std::string& path) {
  auto text = read_file(path);
  if (!text) return text.error();
  auto wrong = [&](const std::string& what) {
    return input_error(fmt::format("{} is no manifest of variants: {}", path, what));
  };
  const Json root = Json::parse(*text, nullptr, false);
  if (!root.is_object()) return wrong("no JSON object");
  ManifestResult m;
  MemberReader r(root);
  std::string schema;
  r.take("schema", schema);
  if (r.wrong().empty() && schema != "pitot.variants/1")
    return wrong(fmt::format("its schema is '{}'", schema));
  r.take("family", m.family);
  r.take("source", m.source);
  r.take("source_hash", m.source_hash);
  r.take("compiler", m.compiler);
  r.take("ptxas", m.ptxas);
  r.take("gpu", m.gpu);
  r.take("targets", m.targets);
  r.take("options", m.options);
  if (!r.wrong().empty()) return wrong(r.wrong());
  if (auto w = read_list(root, "parameters", m.parameters, read_parameter); !w.empty())
    return wrong(w);
  auto variant = [&](const Json& j, VariantResult& v) { return read_variant(j, m.parameters, v); };
  if (auto w = read_list(root, "variants", m.variants, variant); !w.empty()) return wrong(w);
  return m;
}

void keep_made(const ManifestResult& before, ManifestResult& now) {
  if (before.family != now.family || before.source_hash != now.source_hash ||
      before.options != now.options || before.compiler != now.compiler || before.gpu != now.gpu)
    return;
  std::map<std::pair<std::string, std::string>, const VariantResult*> made;
  for (const VariantResult& v : before.variants)
    if (v.status == "ok" || v.status == "failed") made[{v.name, v.target}] = &v;
  for (VariantResult& v : now.variants) {
    const auto it = made.find({v.name, v.target});
    if (v.status == "listed" && it != made.end() && it->second->values == v.values) v = *it->second;
  }
}

std::vector<std::string> stale_files(const ManifestResult& before, const ManifestResult& now) {
  std::set<std::string> there;
  for (const VariantResult& v : now.variants) there.insert({v.ptx, v.spec});
  std::vector<std::string> out;
  for (const VariantResult& v : before.variants)
    for (const std::string& file : {v.ptx, v.spec})
      // A name with a directory in it was not written by us.
      if (!file.empty() && !there.contains(file) && file.find('/') == file.npos)
        out.push_back(file);
  return out;
}

}  // namespace pitot::variants
