#include "variants/entry.h"

#include <fmt/format.h>

#include <vector>

#include "support/demangle.h"
#include "support/text.h"

namespace pitot::variants {
namespace {

std::string without_blanks(std::string_view text) {
  std::string out;
  for (char c : text)
    if (c != ' ') out += c;
  return out;
}

// "void ns::gemm<64, float>(float*, int)" → "ns::gemm<64,float>": the parameters are the last
// parentheses, and what is before the name is a type.
std::string plain_name(std::string demangled) {
  if (demangled.ends_with(')')) {
    int depth = 0;
    for (size_t i = demangled.size(); i-- > 0;) {
      depth += demangled[i] == ')' ? 1 : demangled[i] == '(' ? -1 : 0;
      if (depth == 0) {
        demangled.resize(i);
        break;
      }
    }
  }
  int depth = 0;
  for (size_t i = demangled.size(); i-- > 0;) {
    const char c = demangled[i];
    depth += c == '>' || c == ')' ? 1 : c == '<' || c == '(' ? -1 : 0;
    if (c == ' ' && depth == 0) {
      demangled.erase(0, i + 1);
      break;
    }
  }
  return without_blanks(demangled);
}

std::string without_arguments(const std::string& name) {
  if (!name.ends_with('>')) return name;
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    depth += name[i] == '>' ? 1 : name[i] == '<' ? -1 : 0;
    if (depth == 0) return name.substr(0, i);
  }
  return name;
}

std::string without_namespaces(const std::string& name) {
  int depth = 0;
  for (size_t i = name.size(); i-- > 1;) {
    depth += name[i] == '>' || name[i] == ')' ? 1 : name[i] == '<' || name[i] == '(' ? -1 : 0;
    if (depth == 0 && name[i] == ':' && name[i - 1] == ':') return name.substr(i + 1);
  }
  return name;
}

bool matches(const std::string& mangled, const std::string& wanted) {
  const std::string whole = demangle(mangled), name = plain_name(whole);
  const std::string bare = without_arguments(name);
  for (const std::string& form :
       {without_blanks(whole), name, bare, without_namespaces(name), without_namespaces(bare)})
    if (form == wanted) return true;
  return false;
}

}  // namespace

Result<uint32_t> find_entry(const ptx::Module& m, const std::string& entry) {
  std::vector<uint32_t> kernels, found;
  for (uint32_t f = 0; f < m.functions.size(); ++f)
    if (m.functions[f].is_entry && m.functions[f].has_body) kernels.push_back(f);
  const std::string wanted = without_blanks(entry);
  for (uint32_t f : kernels) {
    const std::string name(m.functions[f].name);
    if (!entry.empty() && name == entry) return f;
    if (entry.empty() || matches(name, wanted)) found.push_back(f);
  }
  if (found.size() == 1) return found[0];
  std::string names;
  for (uint32_t f : found.empty() ? kernels : found) {
    if (names.size() > 300) {
      names += ", …";
      break;
    }
    names += (names.empty() ? "" : ", ") + plain_name(demangle(m.functions[f].name));
  }
  if (kernels.empty())
    return input_error(
        "no kernel in the PTX; a template's kernel must be instantiated, a static one used");
  if (found.empty()) return input_error(fmt::format("no kernel '{}'; there are: {}", entry, names));
  return input_error(entry.empty()
                         ? fmt::format("several kernels: {}; `entry` must name one", names)
                         : fmt::format("'{}' names several kernels: {}", entry, names));
}

}  // namespace pitot::variants
