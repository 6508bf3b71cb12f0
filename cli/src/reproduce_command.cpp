#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <evencube/papers/results.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "completion.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "interruption.hpp"
#include "options.hpp"
#include "plotting.hpp"
#include "progress_bar.hpp"
#include "runtime_arguments.hpp"
#include "text_table.hpp"

namespace evencube::cli {
namespace {

using namespace evencube::papers;

struct reproduce_arguments {
  std::vector<std::string> ids;
  std::string output = "reproduction";
  std::optional<std::string> page;
  std::uint64_t seed = 1;
  unsigned threads = 0;
  bool long_form = false;
  bool without_plots = false;
  bool as_json = false;
};

std::string table_of(const reproduction& done) {
  const bool two = !done.best_reading.empty();
  text_table table{two ? std::vector<std::string>{"<agreement", "<best", "<what", "<paper",
                                                  "<as printed", "<best reading"}
                       : std::vector<std::string>{"<agreement", "<what", "<paper", "<ours"}};
  for (const verdict& v : done.verdicts) {
    if (two) {
      table.add_row(to_string(v.how), to_string(v.best_how()), v.what, v.paper, v.ours,
                    v.best_ours());
    } else {
      table.add_row(to_string(v.how), v.what, v.paper, v.ours);
    }
  }
  return fmt::format("{}: {}{}\n{}\n", done.id, done.title, done.partial ? " (partial)" : "",
                     table.to_string());
}

json json_of(const reproduction& done, const std::string& directory) {
  json verdicts = json::array();
  for (const verdict& v : done.verdicts) {
    verdicts.push_back({{"what", v.what},
                        {"paper", v.paper},
                        {"ours", v.ours},
                        {"agreement", to_string(v.how)},
                        {"why", v.why},
                        {"best",
                         {{"ours", v.best_ours()},
                          {"agreement", to_string(v.best_how())},
                          {"why", v.best ? v.best->why : ""}}}});
  }
  return {{"id", done.id},
          {"title", done.title},
          {"source", done.source},
          {"best_reading", done.best_reading},
          {"partial", done.partial},
          {"directory", directory},
          {"verdicts", std::move(verdicts)}};
}

json json_of(const std::array<std::size_t, 5>& counts) {
  json made = json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    made[std::string(to_string(static_cast<agreement>(i)))] = counts[i];
  }
  return made;
}

/// Runs an experiment while `bar` shows how far it is.
reproduction run_shown(const experiment& one, const std::string& label,
                       const reproduce_arguments& arguments, const interruption& stop,
                       progress_bar& bar) {
  // The bar's thread reads the share while those of the experiment write it.
  auto share = std::make_shared<std::atomic<double>>(0.0);
  bar.show(label, [share] { return share->load(std::memory_order_relaxed); });
  reproduce_options options;
  options.seed = arguments.seed;
  options.long_form = arguments.long_form;
  options.executor = [&](std::size_t count, const auto& body) {
    run_in_parallel(arguments.threads, count, body);
  };
  options.progress = [&](double done) {
    share->store(done, std::memory_order_relaxed);  // relaxed: a number to look at
    return !stop.requested();
  };
  return with_memory_for(std::string{one.id}, [&] { return one.run(options); });
}

/// What was done and where it was written.
struct outcome {
  std::vector<reproduction> all;
  std::vector<std::filesystem::path> folders;
  bool partial = false;
  std::string pictures;
};

void print_outcome(const outcome& done, const reproduce_arguments& arguments) {
  const std::string hash = fmt::format("{:016x}", hash_of(done.all));
  const verdict_counts counts = count_verdicts(done.all);
  if (!arguments.as_json) {
    for (const reproduction& r : done.all) print(table_of(r));
    print(fmt::format("as printed: {}\nbest reading: {}\n", to_string(counts.printed),
                      to_string(counts.best)));
    print(fmt::format("pictures {}; hash {}\nwritten to {}{}\n", done.pictures, hash,
                      arguments.output,
                      done.partial ? "; partial, because it was interrupted" : ""));
    return;
  }
  json items = json::array();
  for (std::size_t i = 0; i < done.all.size(); ++i) {
    items.push_back(json_of(done.all[i], done.folders[i].string()));
  }
  print_json({{"partial", done.partial},
              {"hash", hash},
              {"verdicts", {{"printed", json_of(counts.printed)}, {"best", json_of(counts.best)}}},
              {"pictures", done.pictures},
              {"reproductions", std::move(items)}});
}

void reproduce(const reproduce_arguments& arguments) {
  const auto list = refusals_as_usage_errors([&] { return choose(arguments.ids); });
  const auto output =
      refusals_as_usage_errors([&] { return results{arguments.output, arguments.page, list}; });
  check_environment();
  const interruption stop;
  outcome done;
  {
    progress_bar bar(stderr_is_terminal() && !arguments.as_json);
    for (std::size_t i = 0; i < list.size() && !stop.requested(); ++i) {
      const auto label = fmt::format("{} ({} of {})", list[i]->id, i + 1, list.size());
      done.all.push_back(run_shown(*list[i], label, arguments, stop, bar));
      done.folders.push_back(output.keep(done.all.back()));
    }
  }
  done.pictures =
      arguments.without_plots ? "not asked for" : draw_plots(plot_script(), done.folders);
  done.partial = done.all.size() < list.size() ||
                 std::any_of(done.all.begin(), done.all.end(), [](auto& r) { return r.partial; });
  output.write_pages(done.all, done.partial);
  print_outcome(done, arguments);
  if (stop.requested()) throw interrupted(stop.signal());
}

}  // namespace

void add_reproduce_command(CLI::App& app) {
  auto arguments = std::make_shared<reproduce_arguments>();
  auto* command = app.add_subcommand(
      "reproduce", "Recompute the tables and figures of the papers, and compare the results");
  std::vector<std::string> ids{"all"};
  for (const experiment& e : experiments()) ids.emplace_back(e.id);
  auto* const option = command->add_option(
      "ids", arguments->ids, fmt::format("What to reproduce: {}", fmt::join(ids, ", ")));
  offer(option->required(), ids);
  ids.emplace_back("table-1");  // short for rim-table-1
  require_known(option, "reproduction", ids);
  command->add_option("--output", arguments->output, "Directory for data, pictures and papers.md")
      ->capture_default_str();
  command->add_option("--page", arguments->page, "Also write the Markdown page to this file");
  add_whole_number(*command, "--seed", arguments->seed, any_seed, "Seed of all random numbers");
  add_threads_option(*command, arguments->threads);
  command->add_flag("--long", arguments->long_form, "Use larger samples, and enumerate 32 nodes");
  command->add_flag("--no-plots", arguments->without_plots, "Write only data, no pictures");
  command->add_flag("--json", arguments->as_json, "Print one JSON object");
  command->footer(
      "Ctrl-C keeps the results so far: unfinished results under names with .partial, and "
      "complete\n"
      "results unchanged. The hash of all data depends on the seed, but not on --threads.\n"
      "Pictures are drawn by python3 with matplotlib, or by the Python that EVENCUBE_PYTHON "
      "names;\n"
      "neither user site-packages nor PYTHONPATH are searched for it.\n"
      "Examples:\n"
      "  evencube reproduce table-1 --long\n"
      "  evencube reproduce all --output results");
  command->callback([arguments] { reproduce(*arguments); });
}

}  // namespace evencube::cli
