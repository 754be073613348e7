// The instruction table as JSON, for tools that compare it with other assemblers.
#include "table.h"

namespace pitot::isagen {
namespace {

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

std::string json(const Requirement& any) {
  std::string text = "[";
  for (const Need& need : any) {
    if (text.size() > 1) text += ", ";
    text += "{\"ptx\": " + std::to_string(need.ptx) + ", \"sm\": " + std::to_string(need.sm) +
            ", \"suffix\": \"" + (need.suffix ? std::string(1, need.suffix) : "") + "\"}";
  }
  return text + "]";
}

std::string json(const Slot& slot) {
  std::string text = "{\"optional\": ";
  text += slot.optional ? "true" : "false";
  text += ", \"variable\": " + std::to_string(slot.variable) + ", \"alternatives\": [";
  for (size_t i = 0; i < slot.alternatives.size(); ++i) {
    const Alternative& a = slot.alternatives[i];
    text += std::string(i ? ", " : "") + "[" + quoted(a.mod) + ", " + json(a.requirement) + "]";
  }
  return text + "]}";
}

std::string json(const Operand& o) {
  std::string text = "{\"class\": " + quoted(o.cls) + ", \"access\": " + quoted(o.access) +
                     ", \"type\": " + quoted(o.type) +
                     ", \"variable\": " + std::to_string(o.variable) + ", \"count\": [" +
                     std::to_string(o.count_min) + ", " + std::to_string(o.count_max) +
                     "], \"when\": " + quoted(o.when) + ", \"special\": " + quoted(o.special) +
                     ", \"values\": " + quoted(o.values) + ", \"flags\": [";
  const std::pair<bool, const char*> flags[] = {{o.doubled, "doubled"},
                                                {o.optional, "optional"},
                                                {o.may_be_wider, "wide"},
                                                {o.may_negate, "neg"},
                                                {o.may_sink, "sink"},
                                                {o.second_pred, "pred"},
                                                {o.second_required, "pred_required"},
                                                {o.by_vector, "by_vector"},
                                                {o.may_select, "sel"},
                                                {o.may_minus, "minus"},
                                                {o.may_pack, "pack"},
                                                {o.may_be_symbol, "sym"},
                                                {o.braced, "braced"}};
  bool first = true;
  for (auto [set, name] : flags) {
    if (!set) continue;
    text += (first ? "" : ", ") + quoted(name);
    first = false;
  }
  return text + "]}";
}

std::string json(const Clause& clause) {
  std::string text = "{\"variable\": " + std::to_string(clause.variable) +
                     ", \"negated\": " + (clause.negated ? "true" : "false") + ", \"mods\": [";
  for (size_t i = 0; i < clause.mods.size(); ++i) text += (i ? ", " : "") + quoted(clause.mods[i]);
  return text + "]}";
}

std::string json(const Exclusion& exclusion);

template <class T>
std::string json_list(const std::vector<T>& items) {
  std::string text = "[";
  for (const T& item : items) text += (text.size() > 1 ? ", " : "") + json(item);
  return text + "]";
}

std::string json(const Exclusion& exclusion) {
  return "{\"clauses\": " + json_list(exclusion.clauses) +
         ", \"requirement\": " + json(exclusion.requirement) + "}";
}

}  // namespace

std::string dump(const Table& table) {
  std::string text = "[";
  const char* separator = "\n";
  for (const auto& [name, forms] : table.instructions)
    for (const Form& form : forms) {
      text += separator;
      text += " {\"mnemonic\": " + quoted(name) + ", \"file\": " + quoted(form.file) +
              ", \"line\": " + std::to_string(form.line) +
              ", \"leading\": " + std::to_string(form.leading) +
              ", \"slots\": " + json_list(form.slots) +
              ", \"operands\": " + json_list(form.operands) +
              ", \"exclusions\": " + json_list(form.exclusions) +
              ", \"requirement\": " + json(form.requirement) +
              ", \"unless\": " + json(form.unless) + "}";
      separator = ",\n";
    }
  return text + "\n]\n";
}

}  // namespace pitot::isagen
