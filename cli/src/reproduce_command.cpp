#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <evencube/papers/reproduction.hpp>
#include <evencube/workloads/output_file.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "interruption.hpp"
#include "number_options.hpp"
#include "parallel_runs.hpp"
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

std::vector<const experiment*> chosen(const reproduce_arguments& arguments) {
  std::vector<const experiment*> found;
  for (const std::string& id : arguments.ids) {
    if (id == "all") {
      for (const experiment& e : experiments()) found.push_back(&e);
      continue;
    }
    try {
      found.push_back(&find_experiment(id));
    } catch (const std::invalid_argument& unknown) {
      throw usage_error(unknown.what());
    }
  }
  for (auto one = found.begin(); one != found.end(); ++one) {
    if (std::find(found.begin(), one, *one) == one) continue;
    throw usage_error(fmt::format("{}: is there twice", (*one)->id));
  }
  return found;
}

std::string table_of(const reproduction& done) {
  using enum text_table::alignment;
  const bool two = !done.best_reading.empty();
  std::vector<text_table::column> columns{
      {"agreement", left}, {"what", left}, {"paper", left}, {two ? "as printed" : "ours", left}};
  if (two) {
    columns.insert(columns.begin() + 1, {"best", left});
    columns.push_back({"best reading", left});
  }
  text_table table{columns};
  for (const verdict& v : done.verdicts) {
    std::vector<std::string> row{std::string(to_string(v.how)), v.what, v.paper, v.ours};
    if (two) {
      row.insert(row.begin() + 1, std::string(to_string(v.best_how())));
      row.push_back(v.best_ours());
    }
    table.add_row(row);
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

std::string describe(plot_outcome outcome) {
  switch (outcome) {
    case plot_outcome::drawn:
      return "drawn";
    case plot_outcome::no_python:
      return "not drawn: no python3 was found";
    case plot_outcome::no_matplotlib:
      return "not drawn: python3 has no matplotlib";
    case plot_outcome::failed:
      return "not drawn: the plotting script failed";
  }
  return {};
}

void print_tables(const std::vector<reproduction>& all) {
  for (const reproduction& r : all) print(table_of(r));
  const verdict_counts counts = count_verdicts(all);
  print(fmt::format("as printed: {}\nbest reading: {}\n", to_string(counts.printed),
                    to_string(counts.best)));
}

json json_of(const std::array<std::size_t, 5>& counts) {
  json made = json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    made[std::string(to_string(static_cast<agreement>(i)))] = counts[i];
  }
  return made;
}

/// The name under which a partial result is written: what is complete is never replaced by it.
std::filesystem::path partial_name(const std::filesystem::path& name) {
  return name.parent_path() / (name.stem().string() + ".partial" + name.extension().string());
}

/// Before hours of work: can their results be written?
workloads::results_folder prepare_output(const reproduce_arguments& arguments,
                                         const std::vector<const experiment*>& list) {
  try {
    workloads::results_folder made{arguments.output, true};
    workloads::require_writable(std::filesystem::path{arguments.output} / "papers.md");
    if (arguments.page) workloads::require_writable(*arguments.page);
    std::error_code problem;
    for (const experiment* one : list) {
      const auto folder = std::filesystem::path{arguments.output} / one->id;
      if (std::filesystem::exists(folder, problem) &&
          !std::filesystem::is_directory(folder, problem)) {
        throw usage_error{fmt::format("{}: is in the way: it is no folder", folder.string())};
      }
    }
    return made;
  } catch (const workloads::output_error& problem) {
    throw usage_error{problem.what()};
  }
}

void reproduce(const reproduce_arguments& arguments) {
  const auto list = chosen(arguments);
  const auto folder = prepare_output(arguments, list);
  check_environment();
  const std::filesystem::path output = arguments.output;
  const interruption stop;
  std::vector<reproduction> all;
  std::vector<std::filesystem::path> directories;
  {
    progress_bar bar(stderr_is_terminal() && !arguments.as_json);
    for (std::size_t i = 0; i < list.size() && !stop.requested(); ++i) {
      // The bar's thread reads the share while those of the experiment write it.
      auto share = std::make_shared<std::atomic<double>>(0.0);
      bar.show(fmt::format("{} ({} of {})", list[i]->id, i + 1, list.size()),
               [share] { return share->load(std::memory_order_relaxed); });
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
      all.push_back(
          with_memory_for(std::string{list[i]->id}, [&] { return list[i]->run(options); }));
      directories.push_back(output / folder_of(all.back()));
      workloads::replace_folder(directories.back(), files_of(all.back()), reproduction_endings);
    }
  }
  const plot_outcome plots =
      arguments.without_plots ? plot_outcome::drawn : draw_plots(plot_script(), directories);
  const bool partial = all.size() < list.size() ||
                       std::any_of(all.begin(), all.end(), [](auto& r) { return r.partial; });
  const auto write_page = [&](const std::filesystem::path& name, const std::string& pictures) {
    workloads::replace_file(partial ? partial_name(name) : name,
                            workloads::bytes_of(to_markdown(all, pictures)));
  };
  write_page(output / "papers.md", ".");
  if (arguments.page) {
    const auto page = std::filesystem::absolute(*arguments.page);
    write_page(
        page,
        std::filesystem::absolute(output).lexically_relative(page.parent_path()).generic_string());
  }
  const std::string pictures = arguments.without_plots ? "not asked for" : describe(plots);
  const std::string hash = fmt::format("{:016x}", hash_of(all));
  if (arguments.as_json) {
    json items = json::array();
    for (std::size_t i = 0; i < all.size(); ++i) {
      items.push_back(json_of(all[i], directories[i].string()));
    }
    const verdict_counts counts = count_verdicts(all);
    print_json(
        {{"partial", partial},
         {"hash", hash},
         {"verdicts", {{"printed", json_of(counts.printed)}, {"best", json_of(counts.best)}}},
         {"pictures", pictures},
         {"reproductions", std::move(items)}});
  } else {
    print_tables(all);
    print(fmt::format("pictures {}; hash {}\nwritten to {}{}\n", pictures, hash, output.string(),
                      partial ? "; partial, as it was interrupted" : ""));
  }
  if (stop.requested()) throw interrupted(stop.signal());
}
}  // namespace

void add_reproduce_command(CLI::App& app) {
  auto arguments = std::make_shared<reproduce_arguments>();
  auto* command =
      app.add_subcommand("reproduce", "Recompute the tables and figures of the papers and compare");
  std::string known = "all";
  for (const experiment& e : experiments()) known += ", " + std::string(e.id);
  command->add_option("ids", arguments->ids, "What to reproduce: " + known)->required();
  command->add_option("--output", arguments->output, "Directory for data, pictures and papers.md")
      ->capture_default_str();
  command->add_option("--page", arguments->page, "Also write the Markdown page to this file");
  add_whole_number(*command, "--seed", arguments->seed, any_seed, "Seed of all random numbers");
  add_threads_option(*command, arguments->threads);
  command->add_flag("--long", arguments->long_form, "Larger samples, the 32-node enumeration");
  command->add_flag("--no-plots", arguments->without_plots, "Data only");
  command->add_flag("--json", arguments->as_json, "Print one JSON object");
  command->footer(
      "Ctrl-C keeps what is done so far, under names with .partial, and what is complete as it "
      "was. "
      "The\n"
      "hash at the end is that of all data: the same for the same seed, whatever --threads is.\n"
      "Examples:\n"
      "  evencube reproduce table-1 --long\n"
      "  evencube reproduce all --output results");
  command->callback([arguments] { reproduce(*arguments); });
}

}  // namespace evencube::cli
