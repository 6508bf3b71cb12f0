#include "completion.hpp"

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <algorithm>
#include <evencube/balancers/registry.hpp>
#include <evencube/workloads/workload.hpp>
#include <memory>
#include <set>

#include "commands.hpp"
#include "console.hpp"
#include "failure.hpp"

namespace evencube::cli {
namespace {

constexpr const char* offered = "offered";

/// Words of an option, a ',' first where several may stand there; empty if none are known.
std::string words_of(CLI::Option& option) {
  try {
    CLI::Validator& holder = *option.get_validator(offered);
    holder.active(true);
    std::string words = holder.get_description();
    holder.active(false);
    return words;
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

/// Those candidates that begin as the current word does.
class candidates {
 public:
  explicit candidates(std::string_view current) : current_{current} {}

  void add(const std::string& word, std::string about = {}) {
    // One that goes on and is there already has nothing to add.
    if (!word.starts_with(current_) || (word == current_ && word.ends_with(':'))) return;
    std::ranges::replace(about, '\n', ' ');
    lines_ += word + (about.empty() ? "" : "\t") + about + "\n";
  }

  /// The words of an option, each after what the current word has before it.
  void add_words(CLI::Option& option, std::string before = {}) {
    std::string words = words_of(option);
    const bool list = option.get_delimiter() == ',' || words.starts_with(",");
    if (const auto comma = current_.rfind(','); list && comma != std::string_view::npos) {
      before = current_.substr(0, comma + 1);
    }
    if (words.starts_with(",")) words.erase(0, 1);
    for (const std::string& word : CLI::detail::split_up(words)) add(before + word);
  }

  [[nodiscard]] const std::string& lines() const { return lines_; }

 private:
  std::string_view current_;
  std::string lines_;
};

/// bash makes words of "--name=value" and "kind:value" by taking them apart: = is left out, what
/// stands around a colon is one word again.
std::vector<std::string> joined(const std::vector<std::string>& words) {
  std::vector<std::string> made;
  bool goes_on = false;
  for (const std::string& word : words) {
    if (word == "=") {
      if (&word == &words.back()) made.emplace_back();
    } else if (!made.empty() && (word == ":" || goes_on)) {
      made.back() += word;
    } else {
      made.push_back(word);
    }
    goes_on = word == ":";
  }
  return made;
}

/// A script by which a shell asks `evencube __complete`. Throws usage_error where it has none.
std::string completion_script(const std::string& shell) {
  if (shell == "bash") {
    return R"(_evencube() {
  local word about
  COMPREPLY=()
  while IFS=$'\t' read -r word about; do
    COMPREPLY+=("$word")
  done < <(command evencube __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # What ends so goes on.
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *[:=] ]] || compopt -o nospace 2>/dev/null
}
complete -o default -F _evencube evencube
)";
  }
  if (shell == "zsh") {
    return R"(#compdef evencube
_evencube() {
  local line some=1
  local -a whole begun
  for line in "${(@f)$(command evencube __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    local word=${line%%$'\t'*}
    # What ends so goes on.
    [[ $word == *[:=] ]] && begun+=("$word") || whole+=("${word//:/\\:}:${line#*$'\t'}")
  done
  (($#begun)) && compadd -S '' -- $begun && some=0
  (($#whole)) && _describe -t words word whole && some=0
  ((some == 0)) || _files
}
# Read by the completion system when it is first wanted, or sourced.
if [[ ${funcstack[1]} == _evencube ]]; then _evencube "$@"; else compdef _evencube evencube; fi
)";
  }
  if (shell == "fish") {
    return R"(function __evencube_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found (command evencube __complete $words[2..] "$current" 2>/dev/null)
    test (count $found) -gt 0; and printf '%s\n' $found; or __fish_complete_path "$current"
end
complete -c evencube -f -a '(__evencube_complete)'
)";
  }
  throw usage_error("completion is not available for '" + shell +
                    "'; it is for bash, zsh and fish");
}

}  // namespace

void offer(CLI::Option* option, const std::vector<std::string>& words, bool list) {
  // A validator that is never active is where CLI11 keeps what it does not look at.
  CLI::Validator holder{(list ? "," : "") + CLI::detail::join(words, " ")};
  option->check(holder.name(offered).active(false));
}

std::vector<std::string> names_of_balancers() {
  std::vector<std::string> names;
  for (const auto& known : registered_balancers()) names.push_back(known.name);
  return names;
}

void offer_balancers(CLI::Option* option, bool only_planning) {
  std::vector<std::string> names = names_of_balancers();
  if (!only_planning) names.insert(names.begin(), "random_stealing");
  offer(option, names);
}

void offer_balancer_options(CLI::Option* option) {
  std::set<std::string> keys;
  for (const auto& known : registered_balancers()) {
    for (const auto& one : known.options) keys.insert(one.name + "=");
  }
  offer(option, {keys.begin(), keys.end()});
}

void offer_topologies(CLI::Option* option) {
  offer(option, {"hypercube:", "cube:", "mesh:", "torus:", "ring:", "linear:", "complete:", "star:",
                 "fibonacci:", "fibonacci-composite:", "edges:"});
}

void offer_workloads(CLI::Option* option) {
  std::vector<std::string> names;
  for (const auto& known : workloads::registered_workloads()) names.push_back(known.name);
  offer(option, names);
}

std::string completions(CLI::App& program, std::vector<std::string> words) {
  words = joined(words);
  if (words.empty()) words.emplace_back();
  const std::string current = words.back();
  candidates found{current};
  const auto commands = program.get_subcommands({});
  const auto add_commands = [&] {
    for (const CLI::App* one : commands) found.add(one->get_name(), one->get_description());
  };
  if (words.size() == 1) {
    add_commands();
    for (const char* const option : {"--help", "--version"}) found.add(option);
    return found.lines();
  }
  const auto command =
      std::ranges::find(commands, words[0], [](auto* one) { return one->get_name(); });
  if (command == commands.end()) return {};
  CLI::Option* of_value = nullptr;
  int given = 0;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (of_value != nullptr) {
      of_value = nullptr;
    } else if (words[i].starts_with("-")) {
      of_value = (*command)->get_option_no_throw(words[i]);
      if (of_value != nullptr && !takes_value(*of_value)) of_value = nullptr;
    } else {
      ++given;
    }
  }
  const auto equals = current.find('=');
  if (of_value != nullptr) {
    found.add_words(*of_value);
  } else if (current.starts_with("--") && equals != std::string::npos) {
    auto* const option = (*command)->get_option_no_throw(current.substr(0, equals));
    if (option != nullptr) found.add_words(*option, current.substr(0, equals + 1));
  } else if (current.starts_with("-")) {
    for (const CLI::Option* option : (*command)->get_options()) {
      for (const auto& name : option->get_lnames()) {
        found.add("--" + name, option->get_description());
      }
    }
  } else if (words[0] == "help") {
    if (given == 0) add_commands();
  } else {
    for (CLI::Option* option : (*command)->get_options()) {
      if (option->get_positional() && given < option->get_items_expected_max()) {
        found.add_words(*option);
      }
    }
  }
  return found.lines();
}

void add_completion_command(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* const command = app.add_subcommand(
      "completion", "Print a shell script that completes evencube's command lines");
  offer(command->add_option("SHELL", *shell, "bash, zsh or fish")->required(),
        {"bash", "zsh", "fish"});
  command->footer("Examples:\n  source <(evencube completion bash)");
  command->callback([shell] { print(completion_script(*shell)); });
}

}  // namespace evencube::cli
