// The parser's state, shared by its files: parser.cpp (module), parser_function.cpp (headers),
// parser_body.cpp, parser_declaration.cpp (variables, registers, parameters), parser_operand.cpp
// (operands).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/lexer.h"
#include "ptx/module.h"
#include "ptx/names.h"

namespace pitot::ptx {

// Distinct opcode spellings of a module → their decoded form.
class OpcodeTable {
 public:
  OpcodeTable() : slots_(256) {}
  // Null when the spelling has not been seen.
  const Opcode* find(std::string_view spelling, uint64_t hash) const;
  void insert(const Opcode* opcode, uint64_t hash);
  static uint64_t hash(std::string_view spelling);

 private:
  struct Slot {
    uint64_t hash = 0;
    const Opcode* opcode = nullptr;
  };
  std::vector<Slot> slots_;
  size_t used_ = 0;
};

class Parser {
 public:
  explicit Parser(Module& module);
  void run();

 private:
  // parser.cpp
  void find_preamble();
  void parse_header_directive(std::string_view name, uint32_t begin);
  void parse_top_level();
  void parse_section(uint32_t begin, std::string_view name);
  // After the name: quoted pragmas and the semicolon.
  void parse_pragma();
  void parse_file_directive(uint32_t begin);
  void parse_alias(uint32_t begin);
  void recover_top_level();

  // parser_function.cpp
  void parse_function(bool is_entry, Linkage linkage, uint32_t begin);
  void parse_performance_directives(Function& f);
  bool parse_performance_directive(Function& f, std::string_view name, uint32_t begin);
  void parse_body(Function& f);
  void parse_statement_directive(Function& f);
  void parse_loc(Function& f, uint32_t begin);
  void parse_label_table(Function& f, std::string_view label, uint32_t label_begin);
  void parse_prototype(Function& f, std::string_view label, uint32_t label_begin);
  void parse_instruction(Function& f);
  const Opcode* intern_opcode(std::string_view spelling, SourceRange range);
  void report_opcode(const Opcode& opcode, SourceRange range);
  void finish_statement(const char* after);
  void resolve_pending(Function& f);
  void enter_scope(Function& f, uint32_t begin);
  void leave_scope(Function& f);

  // parser_declaration.cpp
  struct Declared {
    Linkage linkage = Linkage::kNone;
    Space space = Space::kNone;
    Type type = Type::kNone;
    uint8_t vector = 1;
    uint32_t alignment = 0;
    bool is_pointer = false;
    Space pointer_space = Space::kNone;
    uint32_t pointer_alignment = 0;
    uint32_t begin = 0;
  };
  // Reads `.space .align N .v2 .type …` up to the name. False after a diagnostic.
  bool parse_declaration_head(Declared& head);
  void parse_variables(const Declared& head, Function* f);
  bool parse_declarator(const Declared& head, SymbolKind kind, Function* f, Symbol& out);
  void parse_initialiser(Symbol& symbol);
  void parse_registers(Function* f, uint32_t begin);
  void parse_parameter_list(Function& f, bool returns);
  SymbolId add_symbol(Symbol symbol, bool local);
  Linkage parse_linkage(std::string_view name) const;

  // parser_operand.cpp
  bool parse_operand(Function& f, Operand& out, const Opcode* opcode, unsigned depth);
  bool parse_name_operand(Function& f, Operand& out, const Opcode* opcode);
  bool parse_address(Function& f, Operand& out, const Opcode* opcode, unsigned depth);
  bool parse_second_destination(Function& f, Operand& out, const Opcode* opcode);
  bool parse_braced(Function& f, Operand& out, const Opcode* opcode, char close, unsigned depth);
  void resolve_name(Function& f, Operand& out, std::string_view name, const Opcode* opcode);
  bool parse_constant(Operand& out);
  bool parse_number(Operand& out);
  // Constant integer expression with C's precedence; false after a diagnostic.
  bool parse_expression(Operand& out, int min_precedence, unsigned depth);
  bool parse_expression_unary(Operand& out, unsigned depth);
  bool parse_unsigned(uint64_t& value, std::string_view what);
  void store_children(Operand& parent, size_t first);
  // `digits`: see Selector; 0 for one element.
  Selector parse_selector(int64_t& digits);

  // shared
  bool accept(char c) {
    cur_.skip_trivia();
    if (cur_.peek() != c || cur_.at_end()) return false;
    cur_.advance();
    return true;
  }
  bool expect(char c, std::string_view where);
  // The token at the cursor, for a message: a name, a number or one character.
  SourceRange token_range();
  std::string quoted_token();
  // `.name` at the cursor: returns it with the dot and moves past; empty if there is none.
  std::string_view directive_name();
  void error(std::string code, SourceRange range, std::string message, std::string hint = {}) {
    range.end = std::min(range.end, cur_.size());  // "at least a byte", where the text ends
    range.begin = std::min(range.begin, range.end);
    m_.diagnostics.error(std::move(code), range, std::move(message), std::move(hint));
  }

  Module& m_;
  Cursor cur_;
  NameTable module_names_;
  NameTable local_names_;
  RegisterNames registers_;
  OpcodeTable opcode_table_;
  std::unordered_map<const Opcode*, uint32_t> bad_opcodes_;  // → index of its diagnostic
  std::vector<RegisterDeclaration> module_registers_;
  std::vector<std::string_view> module_register_names_;

  struct Pending {
    bool is_child = false;
    uint32_t index = 0;  // into operands or children
    uint32_t scope = 0;
    std::string_view name;
    bool branch = false;  // the opcode takes labels
  };
  std::vector<Pending> pending_;
  std::vector<Operand> scratch_;  // children under construction, innermost last
  uint32_t scope_ = 0;
  // Labels by name: the table has the latest, each entry of the chain the one before it.
  NameTable label_names_;
  std::vector<LabelId> label_chain_;
};

}  // namespace pitot::ptx
