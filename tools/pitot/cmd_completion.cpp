// pitot completion: shell completion and manual pages, generated from the verbs' own declarations.
#include <algorithm>

#include "cli.h"

namespace pitot::cli {
namespace {

struct OptionText {
  std::vector<std::string> names;  // "--format", "-f"
  std::string value;               // "TEXT" or empty for a flag
  std::string help;
};

std::vector<OptionText> options_of(const CLI::App& app) {
  std::vector<OptionText> out;
  for (const CLI::Option* o : app.get_options()) {
    OptionText text;
    for (const auto& name : o->get_lnames()) text.names.push_back("--" + name);
    for (const auto& name : o->get_snames()) text.names.push_back("-" + name);
    if (text.names.empty()) continue;
    text.help = o->get_description();
    if (o->get_items_expected_max() > 0) text.value = o->get_type_name();
    out.push_back(std::move(text));
  }
  return out;
}

std::string joined(const std::vector<OptionText>& options) {
  std::string out;
  for (const auto& o : options)
    for (const auto& name : o.names) out += (out.empty() ? "" : " ") + name;
  return out;
}

std::string bash(const CLI::App& app) {
  std::string out =
      "# bash completion of pitot; put it where bash-completion looks, or source it.\n"
      "_pitot() {\n  local cur=${COMP_WORDS[COMP_CWORD]} verb= word\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case $word in -*) ;; *) verb=$word; break ;; esac\n  done\n  local words=\n  case $verb "
      "in\n";
  std::string verbs;
  for (const CLI::App* verb : app.get_subcommands({})) {
    verbs += (verbs.empty() ? "" : " ") + verb->get_name();
    out += "    " + verb->get_name() + ") words='" + joined(options_of(*verb)) + "' ;;\n";
  }
  out += "    *) words='" + verbs + " " + joined(options_of(app)) + "' ;;\n  esac\n";
  out +=
      "  if [[ $cur == -* || -z $verb ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"));\n"
      "  else COMPREPLY=($(compgen -f -- \"$cur\")); fi\n}\n"
      "complete -o filenames -F _pitot pitot\n";
  return out;
}

std::string zsh(const CLI::App& app) {
  std::string out = "#compdef pitot\n_pitot() {\n  local -a verbs=(\n";
  auto quote = [](std::string s) {
    for (size_t at = 0; (at = s.find('\'', at)) != std::string::npos; at += 4)
      s.replace(at, 1, "'\\''");
    return s;
  };
  auto colon = [](std::string s) {
    for (size_t at = 0; (at = s.find(':', at)) != std::string::npos; at += 2)
      s.replace(at, 1, "\\:");
    return s;
  };
  for (const CLI::App* verb : app.get_subcommands({}))
    out += "    '" + verb->get_name() + ":" + quote(colon(verb->get_description())) + "'\n";
  out +=
      "  )\n  if (( CURRENT == 2 )); then _describe verb verbs; return; fi\n  case $words[2] in\n";
  for (const CLI::App* verb : app.get_subcommands({})) {
    out += "    " + verb->get_name() + ") _arguments";
    for (const auto& o : options_of(*verb)) {
      std::string help = quote(o.help);
      std::replace(help.begin(), help.end(), '[', '(');
      std::replace(help.begin(), help.end(), ']', ')');
      for (const auto& name : o.names)
        out += " '" + name + "[" + help + "]" + (o.value.empty() ? "" : ":value:_files") + "'";
    }
    out += " '*:file:_files' ;;\n";
  }
  return out + "  esac\n}\n_pitot \"$@\"\n";
}

std::string fish(const CLI::App& app) {
  std::string out;
  auto quote = [](std::string s) {
    for (size_t at = 0; (at = s.find('\'', at)) != std::string::npos; at += 2)
      s.replace(at, 1, "\\'");
    return s;
  };
  for (const CLI::App* verb : app.get_subcommands({})) {
    out += "complete -c pitot -n __fish_use_subcommand -a " + verb->get_name() + " -d '" +
           quote(verb->get_description()) + "'\n";
    for (const auto& o : options_of(*verb)) {
      out += "complete -c pitot -n '__fish_seen_subcommand_from " + verb->get_name() + "'";
      for (const auto& name : o.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      out += (o.value.empty() ? "" : std::string(" -r")) + " -d '" + quote(o.help) + "'\n";
    }
  }
  return out;
}

std::string roff(std::string s) {
  std::string out;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '\\')
      out += "\\e";
    else if (s[i] == '-')
      out += "\\-";
    else if ((s[i] == '.' || s[i] == '\'') && (i == 0 || s[i - 1] == '\n'))
      out += std::string("\\&") + s[i];
    else
      out += s[i];
  }
  return out;
}

std::string manual_options(const CLI::App& app) {
  std::string out;
  for (const auto& o : options_of(app)) {
    out += ".TP\n";
    for (size_t i = 0; i < o.names.size(); ++i)
      out += (i > 0 ? ", " : "") + std::string("\\fB") + roff(o.names[i]) + "\\fR";
    if (!o.value.empty()) out += " \\fI" + roff(o.value) + "\\fR";
    out += "\n" + roff(o.help) + "\n";
  }
  return out;
}

std::string manual(const CLI::App& app) {
  std::string out = ".TH PITOT 1 \"\" \"pitot " PITOT_VERSION
                    "\"\n.SH NAME\npitot \\- what a change did to a GPU kernel\n"
                    ".SH SYNOPSIS\n\\fBpitot\\fR \\fIVERB\\fR [\\fIoptions\\fR] "
                    "\\fIPATH\\fR...\n.SH DESCRIPTION\n" +
                    roff(app.get_description()) + "\n.SH OPTIONS\n" + manual_options(app);
  for (const CLI::App* verb : app.get_subcommands({})) {
    out += ".SH \"PITOT " + roff(verb->get_name()) + "\"\n" + roff(verb->get_description()) + "\n" +
           manual_options(*verb);
    if (!verb->get_footer().empty()) out += ".PP\n.nf\n" + roff(verb->get_footer()) + "\n.fi\n";
  }
  out +=
      ".SH EXIT STATUS\n0 fine; 1 findings; 2 wrong usage or unreadable input; 3 what was asked "
      "needs something "
      "that is not here.\n";
  return out;
}

}  // namespace

void add_completion(CLI::App& app, Options&) {
  auto kind = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("completion", "print shell completion or the manual page");
  verb->add_option("KIND", *kind, "bash, zsh, fish or man")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "man"}));
  add_examples(*verb,
               "  source <(pitot completion bash)\n"
               "  pitot completion man > ~/.local/share/man/man1/pitot.1");
  verb->callback([kind, &app] {
    if (*kind == "bash") print(bash(app));
    if (*kind == "zsh") print(zsh(app));
    if (*kind == "fish") print(fish(app));
    if (*kind == "man") print(manual(app));
  });
}

}  // namespace pitot::cli
