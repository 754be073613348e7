// Asks the instruction table what it makes of spellings; the other side of probe_isa.py.
// Standard input: `SPELLING CONFIG…`, a config being ptx:target such as 90:sm_100a. Standard
// output, for each line: the spelling, then for every candidate form its index and one letter a
// config (y supported, d deprecated, n needs more, r removed).
#include <iostream>
#include <sstream>
#include <string>

#include "ptx/isa.h"

int main() {
  using namespace pitot::ptx;
  const Form* first = nullptr;
  for (uint16_t m = 1; !first; ++m)
    if (auto forms = forms_of(static_cast<Mnemonic>(m)); !forms.empty()) first = forms.data();
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string spelling;
    in >> spelling;
    Opcode opcode = decode(spelling);
    std::cout << spelling;
    std::vector<std::pair<uint16_t, Target>> configs;
    for (std::string config; in >> config;) {
      size_t colon = config.find(':');
      configs.emplace_back(static_cast<uint16_t>(std::stoi(config.substr(0, colon))),
                           target_from_name(config.substr(colon + 1)));
    }
    for (const Form* form : opcode.candidates) {
      std::cout << ' ' << form - first << ':';
      for (auto [ptx, target] : configs)
        std::cout << "ydnr"[static_cast<size_t>(support(opcode, *form, ptx, target))];
    }
    std::cout << '\n';
  }
}
