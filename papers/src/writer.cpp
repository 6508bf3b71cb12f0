#include "kit.hpp"

#include <algorithm>
#include <stdexcept>

#include <evencube/papers/results.hpp>

namespace evencube::papers {
namespace {

namespace fs = std::filesystem;

/// `text` in quotes, with `escape` before every character that is in `escaped`.
std::string quoted(const std::string& text, std::string_view escaped, char escape) {
  std::string made = "\"";
  for (const char c : text) {
    if (escaped.find(c) != std::string_view::npos) made += escape;
    made += c;
  }
  return made += '"';
}

// RFC 4180: quotes around fields that hold separators, quotes doubled.
std::string csv_field(const std::string& text) {
  return text.find_first_of(",\"\n") == std::string::npos ? text : quoted(text, "\"", '"');
}

std::string json_text(const std::string& text) { return quoted(text, "\"\\", '\\'); }

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields)
    line += (&field == &fields[0] ? "" : ",") + csv_field(field);
  return line += '\n';
}

std::string csv_of(const data_table& table) {
  std::string text = csv_line(table.columns);
  for (const auto& row : table.rows) text += csv_line(row);
  return text;
}

std::string json_of(const picture& p) {
  std::vector<std::string> columns;
  for (const auto& column : p.y) columns.push_back(json_text(column));
  return fmt::format(
      "  {{\"name\": {}, \"title\": {}, \"table\": {}, \"x\": {}, \"y\": [{}], \"series\": {}, "
      "\"x_label\": {}, \"y_label\": {}, \"bars\": {}, \"log_x\": {}, \"log_y\": {}}}",
      json_text(p.name), json_text(p.title), json_text(p.table), json_text(p.x),
      fmt::join(columns, ", "), json_text(p.series), json_text(p.x_label), json_text(p.y_label),
      p.bars, p.log_x, p.log_y);
}

data_table verdict_table(const reproduction& done) {
  data_table table{"verdicts",
                   {"what", "paper", "ours", "agreement", "why", "ours, best reading",
                    "agreement, best reading", "why, best reading"},
                   {}};
  for (const verdict& v : done.verdicts) {
    add(table, v.what, v.paper, v.ours, to_string(v.how), v.why, v.best_ours(),
        to_string(v.best_how()), v.best ? v.best->why : "");
  }
  return table;
}

/// The verdicts for the page. Columns of the best reading appear only if there is a best reading.
data_table readable_verdicts(const reproduction& done) {
  data_table table{"verdicts", {"what", "paper", "ours", "agreement", "why"}, {}};
  if (!done.best_reading.empty()) {
    table.columns = {"what",         "paper",     "as printed", "agreement",
                     "best reading", "agreement", "why"};
  }
  for (const verdict& v : done.verdicts) {
    if (done.best_reading.empty()) {
      add(table, v.what, v.paper, v.ours, to_string(v.how), v.why);
      continue;
    }
    std::string why = v.why;
    if (v.best && !v.best->why.empty()) {
      why += (why.empty() ? "" : " Best reading: ") + v.best->why;
    }
    add(table, v.what, v.paper, v.ours, to_string(v.how), v.best_ours(), to_string(v.best_how()),
        why);
  }
  return table;
}

data_table count_table(const verdict_counts& counts) {
  data_table table{"counts", {"reading"}, {{"as printed"}, {"best reading found"}}};
  for (std::size_t i = 0; i < counts.printed.size(); ++i) {
    table.columns.emplace_back(to_string(static_cast<agreement>(i)));
    table.rows[0].push_back(std::to_string(counts.printed[i]));
    table.rows[1].push_back(std::to_string(counts.best[i]));
  }
  return table;
}

data_table parameter_table(const reproduction& done) {
  data_table table{"parameters", {"parameter", "value", "source"}, {}};
  for (const parameter& p : done.parameters) add(table, p.name, p.value, p.source);
  return table;
}

/// All tables that are written as CSV.
std::deque<data_table> all_tables(const reproduction& done) {
  std::deque<data_table> all = done.tables;
  all.push_back(verdict_table(done));
  all.push_back(parameter_table(done));
  return all;
}

std::string markdown_row(const std::vector<std::string>& fields) {
  std::string line = "|";
  for (const std::string& field : fields) {
    line += ' ';
    for (const char c : field) {
      if (c == '|') line += '\\';
      line += c == '\n' ? ' ' : c;
    }
    line += " |";
  }
  return line += '\n';
}

std::string markdown_table(const data_table& table) {
  std::string text = markdown_row(table.columns) + "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += "---|";
  text += '\n';
  for (const auto& row : table.rows) text += markdown_row(row);
  return text += '\n';
}

// Longer tables are in the CSV files next to the pictures, because a page is for reading.
constexpr std::size_t most_rows_on_a_page = 24;

constexpr std::string_view page_head =
    "# The papers, reproduced\n\n"
    "Written by `evencube reproduce all`. Each section sets the paper's numbers and claims next to "
    "ours:\n\n"
    "- **equal**: the same number to the digits printed, or the very statement;\n"
    "- **within**: a claim without a number holds, or a number within the tolerance named next to "
    "it;\n"
    "- **direction**: the sign is the paper's, the size is not;\n"
    "- **opposite**: not confirmed, another number or the contrary;\n"
    "- **unstated**: the paper leaves out what would be needed to compare.\n\n"
    "Parameters come from the papers or are listed as ours; none was chosen for its result, "
    "unless its section says so, and then nothing counts as more than a direction. Where a claim "
    "does not hold so, a second column gives it under the best reading of the paper that "
    "we found: one set of parameters for all cells of a section, stated there, and never one "
    "number for one cell. The verdicts, counted:\n\n";

// The counts of an earlier state of the experiments, for comparison with those of all of them now.
constexpr std::string_view earlier_counts =
    "Before Fig. 6 and Section 5.5 of Rim et al., Figs. 1 to 3 and Table A of Loh et "
    "al., the theorems in time, V_k and the loop on threads were added, and before readings that "
    "were chosen for their result counted as directions, the counts were 54 equal, 42 within, 28 "
    "direction, 40 opposite and 2 unstated as printed, and 66, 58, 22, 20 and 0 under the best "
    "readings.\n\n";

void write_page(const fs::path& file, bool partial, const std::string& text) {
  const fs::path name =
      partial ? file.parent_path() / (file.stem().string() + ".partial" + file.extension().string())
              : file;
  workloads::replace_file(name, workloads::bytes_of(text));
}

}  // namespace

std::string_view to_string(agreement how) noexcept {
  constexpr std::array names{"equal", "within", "direction", "opposite", "unstated"};
  return names[static_cast<std::size_t>(how)];
}

verdict_counts count_verdicts(std::span<const reproduction> done) noexcept {
  verdict_counts counts;
  for (const reproduction& r : done) {
    for (const verdict& v : r.verdicts) {
      ++counts.printed[static_cast<std::size_t>(v.how)];
      ++counts.best[static_cast<std::size_t>(v.best_how())];
    }
  }
  return counts;
}

std::string to_string(const std::array<std::size_t, 5>& counts) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    texts.push_back(fmt::format("{} {}", counts[i], to_string(static_cast<agreement>(i))));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string folder_of(const reproduction& done) {
  return done.id + (done.partial ? ".partial" : "");
}

std::map<std::string, std::string> files_of(const reproduction& done) {
  std::map<std::string, std::string> files;
  for (const data_table& table : all_tables(done)) files[table.name + ".csv"] = csv_of(table);
  std::vector<std::string> pictures;
  for (const picture& p : done.pictures) pictures.push_back(json_of(p));
  files["pictures.json"] =
      fmt::format("[\n{}{}]\n", fmt::join(pictures, ",\n"), pictures.empty() ? "" : "\n");
  return files;
}

std::uint64_t hash_of(std::span<const reproduction> done) {
  std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  const auto mix = [&hash](const std::string& text) {
    for (const char c : text) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    }
  };
  for (const reproduction& r : done) {
    mix(r.id + (r.partial ? " (partial)\n" : "\n"));
    for (const data_table& table : all_tables(r)) mix(table.name + "\n" + csv_of(table));
  }
  return hash;
}

std::string to_markdown(std::span<const reproduction> done, const std::string& pictures) {
  std::string text = std::string(page_head) + markdown_table(count_table(count_verdicts(done)));
  if (done.size() == experiments().size()) text += earlier_counts;
  for (const reproduction& r : done) text += fmt::format("- [{0}](#{0}): {1}\n", r.id, r.title);
  for (const reproduction& r : done) {
    text += fmt::format("\n## {}\n\n**{}** ({})\n\n{}\n\n", r.id, r.title, r.source, r.method);
    if (r.partial) text += "*Partial: stopped before all samples were drawn.*\n\n";
    if (!r.best_reading.empty()) text += "**Best reading.** " + r.best_reading + "\n\n";
    text += markdown_table(readable_verdicts(r));
    if (!r.parameters.empty()) text += markdown_table(parameter_table(r));
    for (const picture& p : r.pictures) {
      text += fmt::format("![{}]({}/{}/{}.svg)\n\n", p.title, pictures, folder_of(r), p.name);
    }
    for (const data_table& table : r.tables) {
      if (table.rows.size() <= most_rows_on_a_page) text += markdown_table(table);
    }
  }
  return text;
}

std::vector<const experiment*> choose(std::span<const std::string> ids) {
  std::vector<const experiment*> found;
  for (const std::string& id : ids) {
    if (id == "all") {
      for (const experiment& e : experiments()) found.push_back(&e);
    } else {
      found.push_back(&find_experiment(id));
    }
  }
  for (auto one = found.begin(); one != found.end(); ++one) {
    if (std::find(found.begin(), one, *one) != one) {
      throw std::invalid_argument(std::string((*one)->id) + ": is given twice");
    }
  }
  return found;
}

results::results(fs::path output, std::optional<fs::path> page,
                 std::span<const experiment* const> chosen)
    : folder_{output, true}, output_{std::move(output)}, page_{std::move(page)} {
  workloads::require_writable(output_ / "papers.md");
  if (page_) workloads::require_writable(*page_);
  for (const experiment* one : chosen) {
    const fs::path folder = output_ / one->id;
    std::error_code problem;
    if (fs::exists(folder, problem) && !fs::is_directory(folder, problem)) {
      throw workloads::output_error(folder.string() + ": is in the way: it is no folder");
    }
  }
}

fs::path results::keep(const reproduction& done) const {
  fs::path folder = output_ / folder_of(done);
  workloads::replace_folder(folder, files_of(done), reproduction_endings);
  return folder;
}

void results::write_pages(std::span<const reproduction> done, bool partial) const {
  write_page(output_ / "papers.md", partial, to_markdown(done, "."));
  if (!page_) return;
  const fs::path page = fs::absolute(*page_);
  const fs::path pictures = fs::absolute(output_).lexically_relative(page.parent_path());
  write_page(page, partial, to_markdown(done, pictures.generic_string()));
}

}  // namespace evencube::papers
