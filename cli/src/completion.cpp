#include "completion.hpp"

#include <CLI/Option.hpp>
#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <vector>

#include "completion_words.hpp"
#include "failure.hpp"

namespace evencube::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

/// Of a command: its options, those that take a value, how many arguments without a name there may
/// be, and what those are.
struct command_words {
  std::vector<std::string> options;
  std::vector<std::string> valued;
  int arguments = 0;
  completion_words argument;
};

command_words words_of(const CLI::App& program, const CLI::App& command) {
  command_words all;
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_positional()) {
      all.arguments = option->get_items_expected_max();
      all.argument = words_for(program, command, *option);
    }
    for (const std::string& name : option->get_lnames()) {
      all.options.push_back("--" + name);
      if (takes_value(*option)) all.valued.push_back("--" + name);
    }
  }
  return all;
}

/// For each of what options take: the places that take it, such as 'run --balancer'.
using shared_words = std::map<std::pair<std::string, bool>, std::vector<std::string>>;

shared_words words_of_options(const CLI::App& program) {
  shared_words all;
  for (const CLI::App* const command : listed_commands(program)) {
    for (const CLI::Option* const option : command->get_options()) {
      if (option->get_positional()) continue;
      const completion_words known = words_for(program, *command, *option);
      if (known.words.empty()) continue;
      for (const std::string& name : option->get_lnames()) {
        all[{joined(known.words), known.list}].push_back("'" + command->get_name() + " --" + name +
                                                         "'");
      }
    }
  }
  return all;
}

/// What bash and zsh find out in the same words, from the command and the word before the current
/// one: which options take a value, which words are arguments, and which the current one may be.
std::string cases(const CLI::App& program) {
  std::ostringstream out;
  out << "  case $command in\n";
  for (const CLI::App* const command : listed_commands(program)) {
    const command_words known = words_of(program, *command);
    out << "    " << command->get_name() << ")\n      valued=' " << joined(known.valued) << " '\n";
    if (!known.argument.words.empty()) {
      out << "      arguments=" << known.arguments << "\n      argument='"
          << joined(known.argument.words) << "'\n";
    }
    out << "      ;;\n";
  }
  out << "  esac\n  case \"$command $previous\" in\n";
  for (const auto& [words, places] : words_of_options(program)) {
    out << "    ";
    for (std::size_t i = 0; i < places.size(); ++i) out << (i == 0 ? "" : " | ") << places[i];
    out << ")\n      known='" << words.first << "'\n";
    if (words.second) out << "      list=,\n";
    out << "      ;;\n";
  }
  out << "  esac\n";
  return out.str();
}

std::string bash_script(const CLI::App& program) {
  std::string names;
  std::ostringstream options;
  for (const CLI::App* const command : listed_commands(program)) {
    names += command->get_name() + " ";
    options << "      " << command->get_name() << ") known='"
            << joined(words_of(program, *command).options) << "' ;;\n";
  }
  std::ostringstream out;
  out << R"(# Completion of evencube's command line.
_evencube() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} valued='' arguments=0 argument='' known='' list='' before='' given=0 i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W ')"
      << names << R"(--help --version' -- "$current")
    return
  fi
  # --name=value comes in three words.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
)" << cases(program)
      << R"(  if [[ -n $known ]]; then
    if [[ -n $list && $current == *,* ]]; then
      before=${current%,*},
      current=${current##*,}
    fi
  elif [[ $current == -* ]]; then
    case $command in
)" << options.str()
      << R"(    esac
  elif [[ $valued != *" $previous "* ]]; then
    for ((i = 2; i < COMP_CWORD; ++i)); do
      case ${COMP_WORDS[i]} in
        = | :) ((i += 1)) ;;
        -*)
          if [[ ${COMP_WORDS[i + 1]} == '=' ]]; then
            ((i += 2))
          elif [[ $valued == *" ${COMP_WORDS[i]} "* ]]; then
            ((i += 1))
          fi
          ;;
        *) ((given += 1)) ;;
      esac
    done
    ((given >= arguments)) || known=$argument
  fi
  [[ -n $known ]] || return
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$known" -- "$current")
  # What ends so goes on. Where nothing is being completed there is no compopt.
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *[:=] ]] || compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _evencube evencube
)";
  return out.str();
}

/// In single quotes, in a line; what has a meaning there, which `escape` knows, as what it is.
std::string quoted(const std::string& text, const std::function<std::string(char)>& escape) {
  std::string out = "'";
  for (const char c : text) out += c == '\n' ? " " : escape(c);
  return out + "'";
}

std::string zsh_text(const std::string& word, const std::string& about) {
  return quoted(word + ":" + about,
                [](char c) { return c == '\'' ? std::string("'\\''") : std::string(1, c); });
}

std::string zsh_script(const CLI::App& program) {
  std::ostringstream commands;
  std::ostringstream options;
  for (const CLI::App* const command : listed_commands(program)) {
    commands << "      " << zsh_text(command->get_name(), command->get_description()) << '\n';
    options << "      " << command->get_name() << ")\n        described=(\n";
    for (const CLI::Option* const option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        options << "          " << zsh_text("--" + name, option->get_description()) << '\n';
      }
    }
    options << "        )\n        ;;\n";
  }
  std::ostringstream out;
  out << R"(#compdef evencube
# Completion of evencube's command line.
_evencube() {
  local previous=${words[CURRENT - 1]} command=${words[2]}
  local valued='' arguments=0 argument='' known='' list='' given=0 i
  local -a described
  if ((CURRENT == 2)); then
    described=(
)" << commands.str()
      << R"(    )
    _describe -t commands command described
    return
  fi
  if [[ $PREFIX == --*=* ]]; then
    previous=${PREFIX%%=*}
    compset -P '*='
  fi
)" << cases(program)
      << R"(  if [[ -n $known ]]; then
    [[ -z $list ]] || compset -P '*,'
  elif [[ $PREFIX == -* ]]; then
    case $command in
)" << options.str()
      << R"(    esac
    _describe -t options option described
    return
  elif [[ $valued != *" $previous "* ]]; then
    for ((i = 3; i < CURRENT; ++i)); do
      case ${words[i]} in
        -*=*) ;;
        -*) [[ $valued != *" ${words[i]} "* ]] || ((i += 1)) ;;
        *) ((given += 1)) ;;
      esac
    done
    ((given >= arguments)) || known=$argument
  fi
  local -a all=(${=known})
  local some=1
  # What ends so goes on.
  compadd -S '' -- ${(M)all:#*[:=]} && some=0
  compadd -- ${all:#*[:=]} && some=0
  ((some == 0)) || _files
}
# Read by the completion system when it is first wanted, or sourced.
if [[ ${funcstack[1]} == _evencube ]]; then
  _evencube "$@"
else
  compdef _evencube evencube
fi
)";
  return out.str();
}

std::string fish_text(const std::string& text) {
  return quoted(text, [](char c) {
    return c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  });
}

/// What fish offers, as the last part of a line.
std::string fish_words(const completion_words& known) {
  if (known.words.empty()) return "";
  const std::string words = joined(known.words);
  return (known.files ? "" : " -f") + std::string(" -a ") +
         fish_text(known.list ? "(__evencube_list " + words + ")" : words);
}

std::string fish_script(const CLI::App& program) {
  std::ostringstream out;
  out << R"(# Completion of evencube's command line.
function __evencube_is
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]
end
# Words after those that a list already has.
function __evencube_list
    set -l before (commandline -ct | string replace -r -- '^--[^=]*=' '' | string match -r -- '.*,')
    printf '%s\n' "$before"$argv
end
)";
  for (const CLI::App* const command : listed_commands(program)) {
    const std::string& name = command->get_name();
    out << "complete -c evencube -n __fish_use_subcommand -f -a " << name << " -d "
        << fish_text(command->get_description()) << '\n';
    for (const CLI::Option* const option : command->get_options()) {
      const completion_words known = words_for(program, *command, *option);
      if (option->get_positional() && !known.words.empty()) {
        // Where one is enough, until it is there.
        const std::string not_yet =
            option->get_items_expected_max() == 1
                ? "; and not __fish_seen_subcommand_from " + joined(known.words)
                : "";
        out << "complete -c evencube -n '__evencube_is " << name << not_yet << "'"
            << fish_words(known) << '\n';
      }
      for (const std::string& word : option->get_lnames()) {
        out << "complete -c evencube -n '__evencube_is " << name << "' -l " << word << " -d "
            << fish_text(option->get_description());
        if (takes_value(*option)) out << " -r" << fish_words(known);
        out << '\n';
      }
    }
  }
  return out.str();
}

}  // namespace

std::string completion_script(const CLI::App& program, const std::string& shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "fish") return fish_script(program);
  if (shell == "zsh") return zsh_script(program);
  throw usage_error("there is no completion for '" + shell + "'; bash, zsh and fish have one");
}

}  // namespace evencube::cli
