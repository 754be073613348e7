// Reads *.isa rows (the language of isa/README.md) with located errors.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

#include "expand.h"
#include "table.h"

namespace pitot::isagen {
namespace {

struct RowError {
  size_t column;
  std::string message;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':'; }

// A cursor over one line; columns are counted from the start of the line.
class Cursor {
 public:
  Cursor(std::string_view text, size_t begin, size_t end) : text_(text), at_(begin), end_(end) {}

  size_t column() const { return at_; }
  void skip() {
    while (at_ < end_ && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool done() {
    skip();
    return at_ >= end_;
  }
  char peek() const { return at_ < end_ ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("expected '") + c + "'");
  }
  std::string word(const char* what) {
    size_t begin = at_;
    while (at_ < end_ && is_word(text_[at_])) ++at_;
    if (begin == at_) fail(std::string("expected ") + what);
    return std::string(text_.substr(begin, at_ - begin));
  }
  [[noreturn]] void fail(std::string message) const { throw RowError{at_, std::move(message)}; }

 private:
  std::string_view text_;
  size_t at_;
  size_t end_;
};

int number(const Cursor& at, std::string_view digits, const char* what) {
  if (digits.empty() || digits.size() > 4 ||
      !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
    at.fail(std::string("expected ") + what);
  return std::stoi(std::string(digits));
}

// Both must hold: the stronger of each part. False when no target can satisfy both.
bool merge(const Need& a, const Need& b, Need& out) {
  out = a;
  out.ptx = std::max(a.ptx, b.ptx);
  if (a.suffix && b.suffix && (a.sm != b.sm || a.suffix != b.suffix)) return false;
  if (!a.suffix && (b.suffix || b.sm > a.sm)) {
    out.sm = b.sm;
    out.suffix = b.suffix;
  }
  return true;
}

Requirement conjunction(const Cursor& at, const Requirement& a, const Requirement& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  Requirement all;
  for (const Need& x : a)
    for (const Need& y : b)
      if (Need both; merge(x, y, both)) all.push_back(both);
  if (all.empty()) at.fail("no target can satisfy this requirement");
  return all;
}

Requirement read_requirement(Cursor& at);

Requirement read_requirement_atom(Cursor& at) {
  if (at.take('(')) {
    Requirement inner = read_requirement(at);
    at.skip();
    at.expect(')');
    return inner;
  }
  std::string word = at.word("a requirement such as sm80 or ptx70");
  Need need;
  if (word.starts_with("ptx")) {
    need.ptx = number(at, std::string_view(word).substr(3), "ptx and a version times ten");
  } else if (word.starts_with("sm")) {
    if (word.ends_with('a') || word.ends_with('f')) {
      need.suffix = word.back();
      word.pop_back();
    }
    need.sm = number(at, std::string_view(word).substr(2), "sm and a number");
  } else {
    at.fail("unknown requirement '" + word + "'");
  }
  return {need};
}

Requirement read_requirement(Cursor& at) {
  Requirement any;
  do {
    at.skip();
    Requirement all = read_requirement_atom(at);
    for (at.skip(); at.peek() == '(' || is_word(at.peek()); at.skip())
      all = conjunction(at, all, read_requirement_atom(at));
    any.insert(any.end(), all.begin(), all.end());
  } while (at.take('|'));
  return any;
}

// After '@': one atom, which may be parenthesised.
Requirement read_suffix_requirement(Cursor& at) {
  return at.take('@') ? read_requirement_atom(at) : Requirement{};
}

using Lists = std::map<std::string, std::vector<Alternative>>;

std::vector<Alternative> read_alternatives(Cursor& at, const Lists& lists) {
  std::vector<Alternative> result;
  do {
    at.skip();
    if (at.take('$')) {
      std::string name = at.word("a list name");
      auto found = lists.find(name);
      if (found == lists.end()) at.fail("no list named '" + name + "'");
      Requirement extra = read_suffix_requirement(at);
      for (Alternative alternative : found->second) {
        alternative.requirement = conjunction(at, alternative.requirement, extra);
        result.push_back(std::move(alternative));
      }
    } else {
      Alternative alternative;
      alternative.mod = at.word("a modifier");
      alternative.requirement = read_suffix_requirement(at);
      result.push_back(std::move(alternative));
    }
    at.skip();
  } while (at.take(','));
  std::set<std::string> seen;
  for (const Alternative& a : result)
    if (!seen.insert(a.mod).second) at.fail("'" + a.mod + "' is listed twice");
  return result;
}

int variable_index(std::string_view name) {
  if (name.size() != 1) return -1;
  size_t index = std::string_view("TUVW").find(name[0]);
  return index == std::string_view::npos ? -1 : static_cast<int>(index);
}

void read_slots(Cursor at, const Lists& lists, Form& form) {
  std::vector<Slot>& slots = form.slots;
  while (!at.done()) {
    if (at.take('|')) {
      if (form.leading) at.fail("a second '|'");
      form.leading = slots.size();
      continue;
    }
    Slot slot;
    if (at.take('.')) {
      Alternative only;
      only.mod = at.word("a modifier");
      only.requirement = read_suffix_requirement(at);
      slot.alternatives.push_back(std::move(only));
    } else if (at.take('{')) {
      slot.alternatives = read_alternatives(at, lists);
      at.expect('}');
    } else {
      at.fail("expected '.modifier' or '{alternatives}'");
    }
    while (at.peek() == '?' || at.peek() == '=' || at.peek() == '@') {
      if (at.take('?')) {
        slot.optional = true;
      } else if (at.peek() == '@') {
        Requirement extra = read_suffix_requirement(at);
        for (Alternative& a : slot.alternatives)
          a.requirement = conjunction(at, a.requirement, extra);
      } else {
        at.expect('=');
        slot.variable = variable_index(at.word("T, U, V or W"));
        if (slot.variable < 0) at.fail("expected T, U, V or W");
      }
    }
    slots.push_back(std::move(slot));
  }
}

Exclusion read_exclusion(Cursor& at, const Lists& lists) {
  Exclusion exclusion;
  for (at.skip(); !at.done() && at.peek() != ':'; at.skip()) {
    Clause clause;
    clause.negated = at.take('!');
    if (std::isupper(static_cast<unsigned char>(at.peek()))) {
      clause.variable = variable_index(at.word("T, U, V or W"));
      if (clause.variable < 0) at.fail("expected T, U, V or W");
    }
    if (at.take('.')) {
      clause.mods.push_back(at.word("a modifier"));
    } else {
      at.expect('{');
      for (const Alternative& a : read_alternatives(at, lists)) clause.mods.push_back(a.mod);
      at.expect('}');
    }
    exclusion.clauses.push_back(std::move(clause));
  }
  if (exclusion.clauses.empty()) at.fail("expected '.modifier' or '{alternatives}'");
  if (at.take(':')) exclusion.requirement = read_requirement(at);
  return exclusion;
}

void read_count(Cursor& at, Operand& operand) {
  if (!at.take('{')) return;
  std::string word = at.word("a count");
  if (word == "V") {
    operand.by_vector = true;
  } else {
    operand.braced = true;
    operand.count_min = operand.count_max = number(at, word, "a count");
    if (at.take('|')) operand.count_max = number(at, at.word("a count"), "a count");
  }
  at.expect('}');
}

Operand read_operand(Cursor& at) {
  static const std::map<std::string, std::pair<const char*, const char*>> kAccess = {
      {"w", {"kRegister", "kWrite"}}, {"r", {"kSource", "kRead"}},
      {"rr", {"kRegister", "kRead"}}, {"rw", {"kRegister", "kReadWrite"}},
      {"i", {"kConstant", "kRead"}},  {"a", {"kAddress", "kRead"}},
      {"l", {"kLabel", "kRead"}},     {"f", {"kFunction", "kRead"}},
      {"s", {"kSymbol", "kRead"}},    {"x", {"kSpecial", "kRead"}}};
  Operand operand;
  at.skip();
  // The colon separates access from type, so the word must stop before it.
  std::string access;
  while (std::isalpha(static_cast<unsigned char>(at.peek()))) {
    access += at.peek();
    at.take(at.peek());
  }
  auto found = kAccess.find(access);
  if (found == kAccess.end()) at.fail("unknown operand access '" + access + "'");
  operand.cls = found->second.first;
  operand.access = found->second.second;
  if (at.take(':')) {
    read_count(at, operand);
    if (!at.take('*')) {
      std::string type = at.word("a type");
      if (access == "x") {
        operand.special = type;
        if (at.take('<')) {
          std::string element = at.word("an element type");
          if (operand.variable = variable_index(element); operand.variable < 0)
            operand.type = element;
          at.expect('>');
        }
      } else if (operand.variable = variable_index(type); operand.variable < 0) {
        operand.type = type;
      } else if (at.take('*')) {
        at.expect('2');
        operand.doubled = true;
      }
    }
  }
  for (;;) {
    at.skip();
    if (at.take('?')) {
      operand.optional = true;
    } else if (at.take('|')) {
      if (at.word("pred") != "pred") at.fail("only '|pred' may follow");
      operand.second_pred = true;
      operand.second_required = at.take('!');
    } else if (is_word(at.peek())) {
      std::string flag = at.word("a flag");
      if (flag == "wide") {
        operand.may_be_wider = true;
      } else if (flag == "neg") {
        operand.may_negate = true;
      } else if (flag == "sel") {
        operand.may_select = true;
      } else if (flag == "minus") {
        operand.may_minus = true;
      } else if (flag == "pack") {
        operand.may_pack = true;
      } else if (flag == "sym") {
        operand.may_be_symbol = true;
      } else if (flag == "_") {
        operand.may_sink = true;
      } else if (flag == "in") {
        at.skip();
        while (is_word(at.peek()) || (at.peek() != '\0' && std::strchr(".|/-", at.peek()))) {
          operand.values += at.peek();
          at.take(at.peek());
        }
        if (operand.values.empty()) at.fail("expected values such as 0..7 or 4|8|16");
      } else if (flag == "when") {
        at.skip();
        at.take('.');
        operand.when = at.word("a modifier");
      } else {
        at.fail("unknown operand flag '" + flag + "'");
      }
    } else {
      return operand;
    }
  }
}

std::vector<Operand> read_operands(Cursor at) {
  std::vector<Operand> operands;
  if (at.done()) return operands;
  do operands.push_back(read_operand(at));
  while (at.take(','));
  if (!at.done()) at.fail("expected ',' or the end of the operands");
  return operands;
}

void read_options(Cursor at, Form& form) {
  static const std::map<std::string, const char*> kEffects = {{"load", "kLoad"},
                                                              {"store", "kStore"},
                                                              {"atomic", "kAtomic"},
                                                              {"red", "kRed"},
                                                              {"fence", "kFence"},
                                                              {"barrier", "kBarrier"},
                                                              {"async", "kAsync"},
                                                              {"branch", "kBranch"},
                                                              {"call", "kCall"},
                                                              {"ret", "kRet"},
                                                              {"exit", "kExit"},
                                                              {"trap", "kTrap"},
                                                              {"rcc", "kReadsCC"},
                                                              {"wcc", "kWritesCC"},
                                                              {"convergent", "kConvergent"},
                                                              {"volatile", "kVolatile"},
                                                              {"prefetch", "kPrefetch"},
                                                              {"shuffle", "kShuffle"},
                                                              {"vote", "kVote"},
                                                              {"mma", "kMma"},
                                                              {"sfu", "kSfu"},
                                                              {"special", "kSpecial"},
                                                              {"commutative", "kCommutative"},
                                                              {"nop", "kNop"}};
  static const std::map<std::string, const char*> kGroups = {
      {"other", "kOther"},         {"arith", "kArith"},       {"logic", "kLogic"},
      {"shift", "kShift"},         {"compare", "kCompare"},   {"select", "kSelect"},
      {"move", "kMove"},           {"convert", "kConvert"},   {"fma", "kFma"},
      {"sfu", "kSpecialFunction"}, {"load", "kLoad"},         {"store", "kStore"},
      {"atomic", "kAtomic"},       {"prefetch", "kPrefetch"}, {"async", "kAsyncCopy"},
      {"barrier", "kBarrier"},     {"fence", "kFence"},       {"mbarrier", "kMbarrier"},
      {"warp", "kWarp"},           {"branch", "kBranch"},     {"call", "kCall"},
      {"return", "kReturn"},       {"tensor", "kTensor"},     {"texture", "kTexture"},
      {"surface", "kSurface"},     {"video", "kVideo"},       {"address", "kAddress"},
      {"stack", "kStack"},         {"control", "kControl"}};
  static const std::map<std::string, const char*> kPipes = {
      {"none", "kNone"},     {"int", "kInt"},         {"fp32", "kFp32"},
      {"fp64", "kFp64"},     {"half", "kHalf"},       {"sfu", "kSfu"},
      {"lsu", "kLsu"},       {"tex", "kTex"},         {"tensor", "kTensor"},
      {"branch", "kBranch"}, {"uniform", "kUniform"}, {"convert", "kConvert"},
      {"async", "kAsync"}};
  auto lookup = [&at](const std::map<std::string, const char*>& names, const std::string& name,
                      const char* what) {
    auto found = names.find(name);
    if (found == names.end()) at.fail(std::string("unknown ") + what + " '" + name + "'");
    return found->second;
  };
  while (!at.done()) {
    std::string option = at.word("an option");
    if (!at.take('=')) {
      form.effects.push_back(lookup(kEffects, option, "option"));
    } else if (option == "group") {
      form.group = lookup(kGroups, at.word("a group"), "group");
    } else if (option == "pipe") {
      form.pipe = lookup(kPipes, at.word("a pipe"), "pipe");
    } else if (option == "lat") {
      form.latency = number(at, at.word("cycles"), "cycles below 256");
      if (form.latency > 255) at.fail("expected cycles below 256");
    } else if (option == "unless") {
      form.unless = read_requirement_atom(at);
    } else if (option == "deprecated") {
      form.deprecated = read_requirement_atom(at);
    } else {
      at.fail("unknown option '" + option + "'");
    }
  }
}

// The parts of a form row, separated by ';'.
std::vector<Cursor> split_parts(std::string_view line, size_t begin) {
  std::vector<Cursor> parts;
  for (;;) {
    size_t end = std::min(line.find(';', begin), line.size());
    parts.emplace_back(line, begin, end);
    if (end == line.size()) return parts;
    begin = end + 1;
  }
}

void check_form(const Cursor& at, const Form& form) {
  bool bound[4] = {};
  std::set<std::string> mods;
  if (form.slots.size() > 32) at.fail("more than 32 slots");
  for (const Slot& slot : form.slots) {
    if (slot.variable >= 0) bound[slot.variable] = true;
    for (const Alternative& a : slot.alternatives) mods.insert(a.mod);
  }
  for (const Operand& operand : form.operands) {
    if (operand.variable >= 0 && !bound[operand.variable])
      at.fail(std::string("no slot binds ") + "TUVW"[operand.variable]);
    if (!operand.when.empty() && !mods.count(operand.when))
      at.fail("no slot has the modifier '" + operand.when + "'");
  }
}

class Reader {
 public:
  Reader(std::string path, Table& table) : path_(std::move(path)), table_(table) {}

  void row(std::string_view line, int number) {
    line = line.substr(0, line.find('#'));
    Cursor at(line, 0, line.size());
    if (at.done()) return;
    std::string keyword =
        at.word("def, inst, form, except, for, types, spaces, names or repeatable");
    at.skip();
    if (keyword == "def") {
      std::string name = at.word("a list name");
      at.skip();
      at.expect('=');
      lists_[name] = read_alternatives(at, lists_);
      if (!at.done()) at.fail("unexpected text");
    } else if (keyword == "inst") {
      current_.clear();
      block_row_ = number;
      last_row_ = 0;
      do {
        at.skip();
        current_.push_back(at.word("a mnemonic"));
        at.skip();
      } while (at.take(','));
      defaults_ = Form{};
      read_options(at, defaults_);
    } else if (keyword == "form") {
      read_form(line, at, number);
    } else if (keyword == "except") {
      add_exclusion(at);
    } else if (keyword == "for") {
      std::vector<std::string> rows;
      std::string error = expand_loop(line.substr(at.column()), rows);
      if (!error.empty()) at.fail(error);
      for (const std::string& repeated : rows) row(repeated, number);
    } else if (keyword == "types" || keyword == "spaces" || keyword == "names" ||
               keyword == "repeatable") {
      auto& to = keyword == "types"    ? table_.types
                 : keyword == "spaces" ? table_.spaces
                 : keyword == "names"  ? table_.names
                                       : table_.repeatable;
      while (!at.done()) to.push_back(at.word("a name"));
    } else {
      at.fail("unknown row '" + keyword + "'");
    }
  }

 private:
  // Applies to all forms that the last form row made; `except all` to all since the inst row.
  void add_exclusion(Cursor at) {
    if (last_row_ == 0) at.fail("an except before any form");
    at.skip();
    int first_row = last_row_;
    if (std::islower(static_cast<unsigned char>(at.peek()))) {
      if (at.word("'all', '.modifier' or '{alternatives}'") != "all") at.fail("expected 'all'");
      first_row = block_row_;
    }
    Exclusion exclusion = read_exclusion(at, lists_);
    if (!at.done()) at.fail("unexpected text");
    for (const std::string& name : current_)
      for (Form& form : table_.instructions[name])
        if (form.line >= first_row && form.file == file_) form.exclusions.push_back(exclusion);
  }

  void read_form(std::string_view line, const Cursor& at, int number) {
    if (current_.empty()) at.fail("a form before any inst");
    std::vector<Cursor> parts = split_parts(line, at.column());
    if (parts.size() > 4) parts[4].fail("too many parts");
    Form form = defaults_;
    form.file = file_;
    form.line = last_row_ = number;
    read_slots(parts[0], lists_, form);
    if (parts.size() > 1) form.operands = read_operands(parts[1]);
    if (parts.size() > 2 && !parts[2].done()) {
      form.requirement = read_requirement(parts[2]);
      if (!parts[2].done()) parts[2].fail("unexpected text after the requirement");
    }
    if (parts.size() > 3) read_options(parts[3], form);
    check_form(at, form);
    for (const std::string& name : current_) table_.instructions[name].push_back(form);
  }

  std::string path_;
  std::string file_ = path_.substr(path_.find_last_of('/') + 1);
  int block_row_ = 0;  // line of the inst row
  int last_row_ = 0;   // line of the last form row, 0 if none since then
  Table& table_;
  Lists lists_;
  std::vector<std::string> current_;  // mnemonics that the forms belong to
  Form defaults_;
};

}  // namespace

bool read_table(const std::string& path, Table& table) {
  std::ifstream in(path);
  if (!in) {
    std::fprintf(stderr, "%s: error: cannot be read\n", path.c_str());
    return false;
  }
  Reader reader(path, table);
  bool ok = true;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    try {
      reader.row(line, number);
    } catch (const RowError& e) {
      std::fprintf(stderr, "%s:%d:%zu: error: %s\n", path.c_str(), number, e.column + 1,
                   e.message.c_str());
      ok = false;
    }
  }
  return ok;
}

std::string enumerator(std::string_view name) {
  std::string result = "k";
  bool upper = true;
  for (size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    if (c == '_' || c == ':') {
      while (i + 1 < name.size() && (name[i + 1] == ':' || name[i + 1] == '_')) ++i;
      if (i + 1 < name.size() && std::isdigit(static_cast<unsigned char>(name[i + 1])))
        result += '_';
      upper = true;
      continue;
    }
    result += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return result;
}

}  // namespace pitot::isagen
