// pitot.toml → RuleSet.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "analysis/features.h"
#include "gate/rule_texts.h"
#include "gate/rules.h"
#include "support/text.h"
#include "support/toml_table.h"

namespace pitot::gate {

namespace {

constexpr std::array<std::string_view, 8> kPtxasCounts = {
    "registers", "spills", "spill_loads", "spill_stores", "stack", "local", "shared", "barriers"};
constexpr std::array<std::string_view, 4> kCompatCounts = {"registers", "spills", "local_bytes",
                                                           "instructions"};

std::vector<std::string_view> counts_of(CountMode mode) {
  switch (mode) {
    case CountMode::kPtxas:
      return {kPtxasCounts.begin(), kPtxasCounts.end()};
    case CountMode::kCompat:
      return {kCompatCounts.begin(), kCompatCounts.end()};
    case CountMode::kPitot:
      break;
  }
  std::vector<std::string_view> out;
  for (const auto& info : analysis::feature_table()) out.push_back(info.name);
  return out;
}

class RulesReader {
 public:
  RulesReader(TomlContext& context, RuleSet& out) : context_(context), out_(out) {}

  void document(const toml::table& root) {
    TomlTable t(context_, root, "the rules file");
    if (const toml::table* g = t.table("gate")) gate(*g);
    if (const toml::table* l = t.table("limits")) default_limits(*l);
    for (const toml::table* r : t.tables("rule")) rule(*r);
    for (const toml::table* w : t.tables("waive")) waiver(*w);
    for (const toml::table* a : t.tables("acknowledge")) acknowledgement(*a);
    t.done();
  }

 private:
  void gate(const toml::table& table) {
    TomlTable t(context_, table, "[gate]");
    if (auto s = t.text("baseline")) out_.baseline = *s;
    out_.targets = t.texts("targets");
    for (const std::string& name : out_.targets)
      if (ptx::target_from_name(name).sm == 0)
        context_.error(*table.get("targets"), "unknown-target",
                       fmt::format("`{}` is no target", name), "write sm_80, sm_90a, …");
    if (const toml::node* n = t.take("ratchet")) {
      auto s = n->value<std::string>();
      if (s == "two-way") {
        out_.ratchet = RuleSet::Ratchet::kTwoWay;
      } else if (s == "up") {
        out_.ratchet = RuleSet::Ratchet::kUp;
      } else if (s == "off") {
        out_.ratchet = RuleSet::Ratchet::kOff;
      } else {
        context_.error(*n, "unknown-value", "`ratchet` must be \"two-way\", \"up\" or \"off\"");
      }
    }
    if (table.contains("allow")) classes(t, table);
    if (auto b = t.flag("allow-added")) out_.allow_added = *b;
    if (auto b = t.flag("allow-removed")) out_.allow_removed = *b;
    for (const std::string& id : t.texts("disable")) {
      if (find_rule_text(id) == nullptr) {
        std::vector<std::string_view> ids = rule_ids();
        std::string_view best = nearest(id, ids);
        context_.error(*table.get("disable"), "unknown-rule",
                       fmt::format("there is no built-in rule `{}`", id),
                       best.empty() ? std::string() : fmt::format("did you mean `{}`?", best));
      } else {
        out_.disabled.push_back(id);
      }
    }
    t.done();
  }

  void classes(TomlTable& t, const toml::table& table) {
    out_.allow.clear();
    for (const std::string& name : t.texts("allow")) {
      bool found = false;
      for (auto c : {ChangeClass::kIdentical, ChangeClass::kRenamed, ChangeClass::kReordered,
                     ChangeClass::kConstants, ChangeClass::kModifiers, ChangeClass::kStructural})
        if (name == to_string(c)) {
          out_.allow.push_back(c);
          found = true;
        }
      if (!found)
        context_.error(*table.get("allow"), "unknown-value",
                       fmt::format("`{}` is no change class", name),
                       "identical, renamed, reordered, constants, modifiers, structural");
    }
  }

  // The published defaults where a table asks for limits without naming them.
  void default_limits(const toml::table& table) {
    TomlTable t(context_, table, "[limits]");
    Rule r;
    r.name = "limits";
    CountMode mode = mode_of(t, CountMode::kPtxas);
    const char* local = mode == CountMode::kPtxas ? "local" : "local_bytes";
    auto limit = [&](std::string_view key, std::string count, double standard) {
      auto v = t.number(key);
      if (mode == CountMode::kPitot && (count == "registers" || count == "spills"))
        count = count == "registers" ? "register_pressure" : "load_local";
      r.limits.push_back({std::move(count), mode, v.value_or(standard), {}, {}, {}, false});
    };
    limit("registers", "registers", 64);
    limit("spills", "spills", 0);
    limit("local", local, 0);
    t.done();
    out_.rules.push_back(std::move(r));
  }

  CountMode mode_of(TomlTable& t, CountMode standard) {
    const toml::node* n = t.take("mode");
    if (n == nullptr) return standard;
    auto s = n->value<std::string>();
    for (CountMode m : {CountMode::kPtxas, CountMode::kCompat, CountMode::kPitot})
      if (s == to_string(m)) return m;
    context_.error(*n, "unknown-value", "`mode` must be \"ptxas\", \"compat\" or \"pitot\"");
    return standard;
  }

  Selector selector(TomlTable& t) {
    Selector s;
    s.kernel = t.text("kernel").value_or("");
    s.target = t.text("target").value_or("");
    if (const toml::node* n = t.take("regex")) {
      auto text = n->value<std::string>();
      constexpr size_t kLongest = 500;
      if (!text || text->size() > kLongest) {
        context_.error(*n, "wrong-type", "`regex` must be a text of at most 500 characters");
        return s;
      }
      try {
        std::regex check(*text);
        s.regex = *text;
      } catch (const std::regex_error& e) {
        context_.error(*n, "bad-regex", fmt::format("`{}` is no regular expression", *text));
      }
    }
    return s;
  }

  void rule(const toml::table& table) {
    TomlTable t(context_, table, "[[rule]]");
    Rule r;
    r.name = t.text("name").value_or(fmt::format("rule {}", out_.rules.size() + 1));
    r.where = selector(t);
    if (const toml::node* n = t.take("level")) {
      auto s = n->value<std::string>();
      if (s == "warning") {
        r.level = FindingLevel::kWarning;
      } else if (s == "note") {
        r.level = FindingLevel::kNote;
      } else if (s != "error") {
        context_.error(*n, "unknown-value", "`level` must be \"error\", \"warning\" or \"note\"");
      }
    }
    CountMode mode = mode_of(t, CountMode::kPtxas);
    if (const toml::table* x = t.table("at-most")) bounds(*x, mode, true, r);
    if (const toml::table* x = t.table("at-least")) bounds(*x, mode, false, r);
    if (const toml::table* x = t.table("change")) changes(*x, mode, r);
    r.require = t.texts("require");
    r.forbid = t.texts("forbid");
    r.keep = t.texts("keep");
    r.forbid_new = t.texts("forbid-new");
    if (auto v = t.integer("vector-bytes", 1, 32)) r.vector_bytes = static_cast<uint32_t>(*v);
    r.producer = t.text("producer").value_or("");
    if (const toml::table* x = t.table("occupancy")) occupancy(*x, r);
    if (const toml::table* x = t.table("predicted")) predicted(*x, r);
    t.done();
    out_.rules.push_back(std::move(r));
  }

  bool known_count(std::string_view key, CountMode mode, SourceRange at) {
    std::vector<std::string_view> names = counts_of(mode);
    if (std::find(names.begin(), names.end(), key) != names.end()) return true;
    std::string_view best = nearest(key, names);
    context_.error(
        at, "unknown-count", fmt::format("mode {} has no count `{}`", to_string(mode), key),
        best.empty() ? fmt::format("set `mode`, or see the counts of mode {}", to_string(mode))
                     : fmt::format("did you mean `{}`?", best));
    return false;
  }

  void bounds(const toml::table& table, CountMode mode, bool most, Rule& r) {
    for (const auto& [key, node] : table) {
      if (!known_count(key.str(), mode, context_.range(key.source()))) continue;
      auto v = node.value<double>();
      if (!v || !node.is_number()) {
        context_.error(node, "wrong-type", fmt::format("`{}` must be a number", key.str()));
        continue;
      }
      Limit l{std::string(key.str()), mode, {}, {}, {}, {}, false};
      (most ? l.most : l.least) = v;
      r.limits.push_back(std::move(l));
    }
  }

  // "+2", "-5%", "±10", "0": how far a count may go from the baseline.
  void changes(const toml::table& table, CountMode mode, Rule& r) {
    for (const auto& [key, node] : table) {
      if (!known_count(key.str(), mode, context_.range(key.source()))) continue;
      Limit l{std::string(key.str()), mode, {}, {}, {}, {}, false};
      if (node.is_number()) {
        l.rise = l.fall = node.value<double>();
      } else if (auto s = node.value<std::string>(); !s || !movement(*s, l)) {
        context_.error(
            node, "bad-movement",
            fmt::format("`{}` must be a movement such as \"+2\", \"-5%\" or \"±10\"", key.str()));
        continue;
      }
      r.limits.push_back(std::move(l));
    }
  }

  static bool movement(std::string_view s, Limit& l) {
    bool up = true, down = true;
    if (s.starts_with("±")) {
      s.remove_prefix(std::string_view("±").size());
    } else if (s.starts_with("+-")) {
      s.remove_prefix(2);
    } else if (s.starts_with("+")) {
      down = false;
      s.remove_prefix(1);
    } else if (s.starts_with("-")) {
      up = false;
      s.remove_prefix(1);
    }
    if (s.ends_with("%")) {
      l.percent = true;
      s.remove_suffix(1);
    }
    if (s.empty() || s.size() > 12) return false;
    double v = 0;
    double place = 0;
    for (char c : s) {
      if (c == '.' && place == 0) {
        place = 1;
      } else if (c >= '0' && c <= '9') {
        if (place == 0) {
          v = v * 10 + (c - '0');
        } else {
          place /= 10;
          v += place * (c - '0');
        }
      } else {
        return false;
      }
    }
    // One direction given: the other stays unmoved.
    l.rise = up ? v : 0;
    l.fall = down ? v : 0;
    return true;
  }

  void occupancy(const toml::table& table, Rule& r) {
    TomlTable t(context_, table, "occupancy");
    if (auto v = t.number("at-least")) {
      if (*v > 0 && *v <= 1) {
        r.occupancy = v;
      } else {
        context_.error(*table.get("at-least"), "wrong-type",
                       "`at-least` of occupancy is a fraction from 0 to 1");
      }
    } else if (!table.contains("at-least")) {
      context_.error(table, "missing-key", "occupancy needs `at-least`");
    }
    r.gpu = t.text("gpu").value_or("");
    r.threads = static_cast<uint32_t>(t.integer("threads", 1, 1024).value_or(0));
    r.dynamic_shared = static_cast<uint32_t>(t.integer("dynamic-shared", 0, 1 << 20).value_or(0));
    t.done();
  }

  void predicted(const toml::table& table, Rule& r) {
    TomlTable t(context_, table, "predicted");
    PredictedLimit limit;
    Limit movement_allowed;
    const auto text = t.text("slower-at-most");
    if (text && movement(*text, movement_allowed) && movement_allowed.percent) {
      limit.most_slower = *movement_allowed.rise / 100;
    } else if (const toml::node* n = table.get("slower-at-most"); n != nullptr) {
      context_.error(*n, "bad-movement", "`slower-at-most` must be a share such as \"5%\"");
    } else {
      context_.error(table, "missing-key", "predicted needs `slower-at-most`");
    }
    limit.gpu = t.text("gpu").value_or("");
    if (!extents(t, "grid", limit.grid) || !extents(t, "block", limit.block))
      context_.error(table, "missing-key", "predicted needs the launch: `grid` and `block`");
    limit.dynamic_shared =
        static_cast<uint32_t>(t.integer("dynamic-shared", 0, 1 << 20).value_or(0));
    limit.size = static_cast<uint64_t>(t.integer("size", 0, int64_t{1} << 53).value_or(0));
    t.done();
    r.predicted = limit;
  }

  // A number, or up to three of them; false when there is no such key.
  bool extents(TomlTable& t, std::string_view key, std::array<uint32_t, 3>& out) {
    const toml::node* n = t.take(key);
    if (n == nullptr) return false;
    std::vector<const toml::node*> nodes;
    if (const toml::array* list = n->as_array())
      for (const toml::node& one : *list) nodes.push_back(&one);
    else
      nodes.push_back(n);
    bool good = !nodes.empty() && nodes.size() <= 3;
    for (size_t i = 0; good && i < nodes.size(); ++i) {
      const auto v = nodes[i]->value_exact<int64_t>();
      good = v && *v >= 1 && *v <= 0x7fffffff;
      if (good) out[i] = static_cast<uint32_t>(*v);
    }
    if (!good)
      context_.error(*n, "wrong-type", fmt::format("`{}` must be up to three extents", key));
    return true;
  }

  void waiver(const toml::table& table) {
    TomlTable t(context_, table, "[[waive]]");
    Waiver w;
    w.line = table.source().begin.line;
    w.where = selector(t);
    w.rule = t.text("rule").value_or("*");
    w.reason = t.text("reason").value_or("");
    if (const toml::node* n = t.take("expires")) {
      if (auto d = n->value<toml::date>()) {
        w.expires = fmt::format("{:04}-{:02}-{:02}", d->year, d->month, d->day);
      } else if (auto s = n->value<std::string>(); s && is_date(*s)) {
        w.expires = *s;
      } else {
        context_.error(*n, "wrong-type", "`expires` must be a date such as 2026-03-01");
      }
    }
    t.done();
    if (w.reason.empty())
      context_.error(table, "missing-key", "a waiver needs a `reason`",
                     "say why the finding is accepted, for whoever reads this next");
    if (w.expires.empty())
      context_.error(table, "missing-key", "a waiver needs a day on which it `expires`",
                     "expires = 2026-03-01");
    if (!w.reason.empty() && !w.expires.empty()) out_.waivers.push_back(std::move(w));
  }

  static bool is_date(std::string_view s) {
    if (s.size() != 10 || s[4] != '-' || s[7] != '-') return false;
    for (size_t i : {0, 1, 2, 3, 5, 6, 8, 9})
      if (s[i] < '0' || s[i] > '9') return false;
    return true;
  }

  void acknowledgement(const toml::table& table) {
    TomlTable t(context_, table, "[[acknowledge]]");
    Acknowledgement a;
    a.where = selector(t);
    a.program = t.text("program").value_or("");
    a.reason = t.text("reason").value_or("");
    t.done();
    const bool hex = std::all_of(a.program.begin(), a.program.end(), [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
    if (a.program.size() < 8 || !hex) {
      context_.error(table, "missing-key",
                     "an acknowledgement needs `program`: at least 8 digits of the program hash "
                     "that the finding names");
    } else if (a.reason.empty()) {
      context_.error(table, "missing-key", "an acknowledgement needs a `reason`");
    } else {
      out_.acknowledgements.push_back(std::move(a));
    }
  }

  TomlContext& context_;
  RuleSet& out_;
};

}  // namespace

RuleSet read_rules(const SourceText& source, Diagnostics& out) {
  RuleSet rules;
  TomlContext context(source, out);
  toml::table root = context.parse();
  RulesReader(context, rules).document(root);
  return rules;
}

}  // namespace pitot::gate
