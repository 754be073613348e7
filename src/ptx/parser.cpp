// Parser, module level: preamble, header directives, functions and variables, debug sections.
#include "ptx/parser.h"

#include <algorithm>
#include <cstring>

#include "ptx/parser_impl.h"
#include "support/file.h"
#include "support/text.h"

namespace pitot::ptx {
namespace {

// Upper bounds for the pools, so that they are allocated once: a statement ends with ';', an
// operand is followed by ',' or ends a statement. Pages that stay untouched cost no memory.
size_t count_char(std::string_view text, char wanted) {
  // Blocks short enough for an 8-bit sum, which compilers turn into vector code.
  size_t total = 0;
  while (!text.empty()) {
    size_t n = std::min<size_t>(text.size(), 255);
    uint8_t sum = 0;
    for (size_t k = 0; k < n; ++k) sum = static_cast<uint8_t>(sum + (text[k] == wanted));
    total += sum;
    text.remove_prefix(n);
  }
  return total;
}

void reserve_pools(Module& m) {
  size_t semicolons = count_char(m.text(), ';');
  m.instructions.reserve(semicolons + 1);
  m.operands.reserve(semicolons + count_char(m.text(), ',') + 1);
}

}  // namespace

const Function* Module::find_function(std::string_view name) const {
  for (const auto& f : functions)
    if (f.has_body && f.name == name) return &f;
  return nullptr;
}

std::optional<uint64_t> LaunchBounds::threads() const {
  const auto& dims = reqntid ? reqntid : maxntid;
  if (!dims) return std::nullopt;
  return uint64_t{(*dims)[0]} * (*dims)[1] * (*dims)[2];
}

Module parse(SourceText source) {
  Module m;
  m.source = std::make_shared<const SourceText>(std::move(source));
  if (m.text().size() >= UINT32_MAX) {
    m.source = std::make_shared<const SourceText>(m.source->path(), std::string());
    m.diagnostics.error("too-large", {}, "the text is 4 GiB or longer",
                        "split the module; offsets are 32 bits wide");
    return m;
  }
  reserve_pools(m);
  Parser(m).run();
  m.diagnostics.sort();
  return m;
}

Module parse(std::string path, std::string text) {
  return parse(SourceText(std::move(path), std::move(text)));
}

Result<Module> parse_file(const std::string& path) {
  auto text = read_file(path);
  if (!text) return text.error();
  return parse(path == "-" ? "<stdin>" : path, std::move(*text));
}

Parser::Parser(Module& module) : m_(module), cur_(module.text()), registers_(local_names_) {}

bool Parser::expect(char c, std::string_view where) {
  if (accept(c)) return true;
  error("syntax", token_range(),
        "expected '" + std::string(1, c) + "' " + std::string(where) + ", found " + quoted_token());
  return false;
}

SourceRange Parser::token_range() {
  cur_.skip_trivia();
  uint32_t begin = cur_.offset();
  if (cur_.at_end()) return {begin, begin};
  uint32_t end = begin;
  while (end < cur_.size() && end - begin < 200 &&
         (chars::is(cur_.peek(end - begin), chars::kIdent | chars::kIdentStart) ||
          (end == begin && cur_.peek() == '.')))
    ++end;
  return {begin, std::max(end, begin + 1)};
}

std::string Parser::quoted_token() {
  SourceRange r = token_range();
  if (r.empty()) return "the end of the file";
  std::string text(m_.slice(r));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 32) c = '?';
  return "'" + text + "'";
}

std::string_view Parser::directive_name() {
  uint32_t begin = cur_.offset();
  if (cur_.peek() != '.') return {};
  cur_.advance();
  while (chars::is(cur_.peek(), chars::kIdent) || (cur_.peek() == ':' && cur_.peek(1) == ':')) {
    if (cur_.peek() == ':') cur_.advance();
    cur_.advance();
  }
  return cur_.slice(begin, cur_.offset());
}

Linkage Parser::parse_linkage(std::string_view name) const {
  if (name == ".visible") return Linkage::kVisible;
  if (name == ".extern") return Linkage::kExtern;
  if (name == ".weak") return Linkage::kWeak;
  if (name == ".common") return Linkage::kCommon;
  return Linkage::kNone;
}

// cuobjdump prints a header before the PTX, editors a byte-order mark: neither is PTX.
void Parser::find_preamble() {
  std::string_view text = m_.text();
  if (text.starts_with("\xEF\xBB\xBF")) cur_.seek(3);
  cur_.skip_trivia();
  if (cur_.at_end() || cur_.peek() == '.') {
    m_.preamble = {0, text.starts_with("\xEF\xBB\xBF") ? 3u : 0u};
    return;
  }
  for (size_t at = text.find(".version"); at != std::string_view::npos;
       at = text.find(".version", at + 1)) {
    size_t line = at;
    while (line > 0 && (text[line - 1] == ' ' || text[line - 1] == '\t')) --line;
    if (line == 0 || text[line - 1] == '\n' || text[line - 1] == '\r') {
      m_.preamble = {0, static_cast<uint32_t>(at)};
      cur_.seek(static_cast<uint32_t>(at));
      return;
    }
  }
}

void Parser::run() {
  find_preamble();
  for (;;) {
    cur_.skip_trivia();
    if (cur_.at_end()) break;
    uint32_t before = cur_.offset();
    parse_top_level();
    if (cur_.offset() == before) cur_.advance();  // always forward, whatever the text
  }
  if (m_.version == 0 && m_.diagnostics.errors() == 0)
    error("missing-version", {0, 0}, "no .version directive",
          "PTX begins with .version, .target and .address_size");
}

void Parser::parse_top_level() {
  uint32_t begin = cur_.offset();
  char c = cur_.peek();
  if (c == ';') {  // ptxas lets empty statements pass
    cur_.advance();
    return;
  }
  if (c == '@' && cur_.slice(begin, cur_.size()).starts_with("@@DWARF")) {
    cur_.skip_line();
    m_.others.push_back({"@@DWARF", {begin, cur_.offset()}});
    return;
  }
  if (c != '.') {
    error("syntax", token_range(), "expected a directive, found " + quoted_token());
    recover_top_level();
    return;
  }
  std::string_view name = directive_name();
  if (name == ".version" || name == ".target" || name == ".address_size") {
    parse_header_directive(name, begin);
    return;
  }
  if (name == ".section") return parse_section(begin, name);
  if (name == ".file") return parse_file_directive(begin);
  if (name == ".loc") {
    Function none;
    parse_loc(none, begin);
    m_.others.push_back({name, {begin, cur_.offset()}});
    return;
  }
  if (name == ".pragma") {
    parse_pragma();
    m_.others.push_back({name, {begin, cur_.offset()}});
    return;
  }
  if (name == ".alias") return parse_alias(begin);

  Linkage linkage = parse_linkage(name);
  if (linkage != Linkage::kNone) {
    cur_.skip_trivia();
    uint32_t at = cur_.offset();
    name = directive_name();
    if (name.empty()) {
      error("syntax", token_range(),
            "expected a directive after the linkage, found " + quoted_token());
      recover_top_level();
      return;
    }
    if (name != ".entry" && name != ".func") cur_.seek(at);
  }
  if (name == ".entry" || name == ".func") return parse_function(name == ".entry", linkage, begin);

  if (linkage == Linkage::kNone) cur_.seek(begin);
  if (name == ".reg") {
    directive_name();
    return parse_registers(nullptr, begin);
  }
  Space space = space_from_name(name.substr(1));
  if (space == Space::kNone) {
    static constexpr std::string_view kNames[] = {
        ".version", ".target", ".address_size", ".entry", ".func",   ".visible", ".extern",
        ".weak",    ".common", ".global",       ".const", ".shared", ".section", ".file",
        ".alias",   ".pragma", ".param",        ".local", ".tex"};
    uint32_t at = cur_.offset();
    std::string hint;
    if (auto near = nearest(name, kNames); !near.empty())
      hint = "did you mean '" + std::string(near) + "'?";
    error("unknown-directive", {at, at + static_cast<uint32_t>(name.size())},
          "unknown directive '" + std::string(name) + "'", hint);
    cur_.advance();
    recover_top_level();
    return;
  }
  Declared head;
  head.linkage = linkage;
  head.begin = begin;
  if (!parse_declaration_head(head)) return recover_top_level();
  parse_variables(head, nullptr);
}

// To the end of the broken declaration: a semicolon, a whole braced body, or the next directive
// that begins a line.
void Parser::recover_top_level() {
  for (;;) {
    cur_.skip_until(";{\n\r");
    if (cur_.at_end()) return;
    char c = cur_.peek();
    if (c == ';') {
      cur_.advance();
      return;
    }
    if (c == '{') {
      unsigned depth = 0;
      do {
        cur_.skip_until("{}");
        if (cur_.at_end()) return;
        depth += cur_.peek() == '{' ? 1u : static_cast<unsigned>(-1);
        cur_.advance();
      } while (depth != 0);
      return;
    }
    cur_.skip_trivia();
    if (cur_.peek() == '.') {
      std::string_view rest = cur_.slice(cur_.offset(), cur_.size());
      for (std::string_view start : {".visible", ".entry", ".func", ".extern", ".weak", ".global",
                                     ".const", ".version", ".target", ".address_size", ".section"})
        if (rest.starts_with(start)) return;
      cur_.advance();
    }
  }
}

void Parser::parse_header_directive(std::string_view name, uint32_t begin) {
  cur_.skip_trivia();
  uint32_t at = cur_.offset();
  if (name == ".version") {
    uint64_t major = 0, minor = 0;
    if (!parse_unsigned(major, "a version such as 8.4")) return recover_top_level();
    bool dot = cur_.peek() == '.';
    if (dot) cur_.advance();
    if (!dot || !chars::is(cur_.peek(), chars::kDigit)) {
      error("syntax", token_range(), "expected a version such as 8.4, found " + quoted_token());
      return recover_top_level();
    }
    // The minor number may have a leading zero nowhere in practice; decimal digits only.
    while (chars::is(cur_.peek(), chars::kDigit)) {
      minor = std::min<uint64_t>(minor * 10 + static_cast<uint64_t>(cur_.peek() - '0'), 1000);
      cur_.advance();
    }
    SourceRange range{at, cur_.offset()};
    if (major > 99 || minor > 9) {
      error("bad-version", range,
            "PTX ISA version " + std::string(m_.slice(range)) + " does not exist");
    }
    if (m_.version != 0)
      error("redefined-directive", {begin, cur_.offset()}, "a second .version directive");
    m_.version =
        static_cast<uint16_t>(std::min<uint64_t>(major, 99) * 10 + std::min<uint64_t>(minor, 9));
    m_.version_range = range;
    return;
  }
  // ptxas reads .version, any number of .target, then at most one .address_size.
  const bool body_begun = !m_.functions.empty() || !m_.symbols.empty() || !m_.others.empty();
  if (body_begun || !m_.address_size_range.empty())
    error(body_begun ? "misplaced-directive" : "redefined-directive", {begin, at},
          body_begun          ? std::string(name) + " stands before everything but .version"
          : name == ".target" ? "a .target behind .address_size"
                              : "a second .address_size directive");
  if (name == ".address_size") {
    uint64_t size = 0;
    if (!parse_unsigned(size, "32 or 64")) return recover_top_level();
    m_.address_size_range = {at, cur_.offset()};
    if (size != 32 && size != 64) {
      error("bad-address-size", m_.address_size_range,
            "address size is 32 or 64, not " + std::to_string(size));
    } else {
      m_.address_size = static_cast<unsigned>(size);
    }
    return;
  }
  // Of several directives the last architecture counts; options add up.
  bool first = true;
  do {
    cur_.skip_trivia();
    uint32_t start = cur_.offset();
    std::string_view id = cur_.identifier();
    if (id.empty()) {
      error("syntax", token_range(), "expected a target such as sm_90, found " + quoted_token());
      return recover_top_level();
    }
    Target t = target_from_name(id);
    if (t.sm != 0 && first) {
      std::erase_if(m_.targets, [](std::string_view o) { return target_from_name(o).sm != 0; });
      m_.target = t;
      m_.target_range = {start, cur_.offset()};
      first = false;
    }
    m_.targets.push_back(id);
    if (m_.target_range.empty()) m_.target_range = {start, cur_.offset()};
  } while (accept(','));
}

void Parser::parse_section(uint32_t begin, std::string_view name) {
  cur_.skip_until("{;\n\r");
  cur_.skip_trivia();
  if (cur_.peek() == '{') {
    cur_.skip_until("}");
    if (!accept('}'))
      error("unterminated", {begin, begin + static_cast<uint32_t>(name.size())},
            "the section's '{' is never closed");
  }
  m_.others.push_back({name, {begin, cur_.offset()}});
}

void Parser::parse_pragma() {
  do {
    cur_.skip_trivia();
    const uint32_t at = cur_.offset();
    if (cur_.peek() != '"')
      error("syntax", token_range(), "expected a quoted pragma, found " + quoted_token());
    else if (!cur_.skip_string())
      error("unterminated", {at, at + 1}, "the string is never closed by a '\"'");
    else
      continue;
    cur_.skip_until(";{}\n\r");
    accept(';');
    return;
  } while (accept(','));
  expect(';', "after .pragma");
}

void Parser::parse_file_directive(uint32_t begin) {
  uint64_t number = 0;
  cur_.skip_trivia();
  if (!parse_unsigned(number, "a file number")) return recover_top_level();
  cur_.skip_trivia();
  if (cur_.peek() != '"' || !cur_.skip_string()) {
    error("syntax", token_range(), "expected a quoted file name, found " + quoted_token());
    return recover_top_level();
  }
  for (int i = 0; i < 2 && accept(','); ++i) {
    cur_.skip_trivia();
    if (!parse_unsigned(number, "a time stamp or size")) return recover_top_level();
  }
  m_.others.push_back({".file", {begin, cur_.offset()}});
}

void Parser::parse_alias(uint32_t begin) {
  std::string_view names[2];
  SourceRange ranges[2];
  for (int i = 0; i < 2; ++i) {
    cur_.skip_trivia();
    ranges[i].begin = cur_.offset();
    names[i] = cur_.identifier();
    ranges[i].end = cur_.offset();
    if (names[i].empty()) {
      error("syntax", token_range(), "expected a function name, found " + quoted_token());
      return recover_top_level();
    }
    if (i == 0 && !expect(',', "between alias and aliasee")) return recover_top_level();
  }
  expect(';', "after .alias");
  const NameBinding* aliasee = module_names_.find(names[1]);
  if (aliasee == nullptr || m_.symbols[aliasee->id].kind != SymbolKind::kFunction) {
    error("undeclared-name", ranges[1], "no function '" + std::string(names[1]) + "' to alias");
    return;
  }
  if (const NameBinding* known = module_names_.find(names[0])) {
    // The alias is declared as a function prototype first; it now means the aliasee.
    m_.symbols[known->id].function = m_.symbols[aliasee->id].function;
  } else {
    error("undeclared-name", ranges[0],
          "the alias '" + std::string(names[0]) + "' needs a .func declaration before it");
  }
  m_.others.push_back({".alias", {begin, cur_.offset()}});
}

}  // namespace pitot::ptx
