#include <evencube/papers/reproduction.hpp>

namespace evencube::papers {
namespace {

// RFC 4180: quotes around fields that hold separators, quotes doubled.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted += '"';
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    line += csv_field(fields[i]);
  }
  return line += '\n';
}

std::string json_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted += '"';
}

std::string json_of(const picture& p) {
  std::string columns;
  for (const auto& column : p.y) columns += (columns.empty() ? "" : ", ") + json_text(column);
  const auto flag = [](bool value) { return std::string(value ? "true" : "false"); };
  std::string text = "  {\"name\": ";
  text += json_text(p.name) + ", \"title\": " + json_text(p.title);
  text += ", \"table\": " + json_text(p.table) + ", \"x\": " + json_text(p.x);
  text += ", \"y\": [" + columns + "], \"series\": " + json_text(p.series);
  text += ", \"x_label\": " + json_text(p.x_label) + ", \"y_label\": " + json_text(p.y_label);
  text += ", \"bars\": " + flag(p.bars) + ", \"log_x\": " + flag(p.log_x);
  return text += ", \"log_y\": " + flag(p.log_y) + "}";
}

data_table verdict_table(const reproduction& done) {
  data_table table{"verdicts",
                   {"what", "paper", "ours", "agreement", "why", "ours, best reading",
                    "agreement, best reading", "why, best reading"},
                   {}};
  for (const verdict& v : done.verdicts) {
    table.rows.push_back({v.what, v.paper, v.ours, std::string(to_string(v.how)), v.why,
                          v.best_ours(), std::string(to_string(v.best_how())),
                          v.best ? v.best->why : ""});
  }
  return table;
}

/// For the page: the columns of the best reading only where there is one.
data_table readable_verdicts(const reproduction& done) {
  if (done.best_reading.empty()) {
    data_table table{"verdicts", {"what", "paper", "ours", "agreement", "why"}, {}};
    for (const verdict& v : done.verdicts) {
      table.rows.push_back({v.what, v.paper, v.ours, std::string(to_string(v.how)), v.why});
    }
    return table;
  }
  data_table table{"verdicts",
                   {"what", "paper", "as printed", "agreement", "best reading", "agreement", "why"},
                   {}};
  for (const verdict& v : done.verdicts) {
    std::string why = v.why;
    if (v.best && !v.best->why.empty()) {
      why += (why.empty() ? "" : " Best reading: ") + v.best->why;
    }
    table.rows.push_back({v.what, v.paper, v.ours, std::string(to_string(v.how)), v.best_ours(),
                          std::string(to_string(v.best_how())), why});
  }
  return table;
}

data_table count_table(const verdict_counts& counts) {
  data_table table{"counts", {"reading"}, {}};
  std::vector<std::string> printed{"as printed"};
  std::vector<std::string> best{"best reading found"};
  for (std::size_t i = 0; i < counts.printed.size(); ++i) {
    table.columns.emplace_back(to_string(static_cast<agreement>(i)));
    printed.push_back(std::to_string(counts.printed[i]));
    best.push_back(std::to_string(counts.best[i]));
  }
  table.rows = {printed, best};
  return table;
}

data_table parameter_table(const reproduction& done) {
  data_table table{"parameters", {"parameter", "value", "source"}, {}};
  for (const parameter& p : done.parameters) table.rows.push_back({p.name, p.value, p.source});
  return table;
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

// Longer tables are in the CSV files beside the pictures; a page is for reading.
constexpr std::size_t most_rows_on_a_page = 24;

}  // namespace

std::string_view to_string(agreement how) noexcept {
  switch (how) {
    case agreement::equal:
      return "equal";
    case agreement::within:
      return "within";
    case agreement::direction:
      return "direction";
    case agreement::opposite:
      return "opposite";
    case agreement::unstated:
      return "unstated";
  }
  return "unstated";
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
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(counts[i]) + " " +
            std::string(to_string(static_cast<agreement>(i)));
  }
  return text;
}

std::string folder_of(const reproduction& done) {
  return done.id + (done.partial ? ".partial" : "");
}

std::map<std::string, std::string> files_of(const reproduction& done) {
  std::map<std::string, std::string> files;
  const auto add_table = [&](const data_table& table) {
    std::string& text = files[table.name + ".csv"];
    text = csv_line(table.columns);
    for (const auto& row : table.rows) text += csv_line(row);
  };
  for (const data_table& table : done.tables) add_table(table);
  add_table(verdict_table(done));
  add_table(parameter_table(done));
  std::string& pictures = files["pictures.json"];
  pictures = "[\n";
  for (std::size_t i = 0; i < done.pictures.size(); ++i) {
    pictures += json_of(done.pictures[i]) + (i + 1 < done.pictures.size() ? ",\n" : "\n");
  }
  pictures += "]\n";
  return files;
}

std::uint64_t hash_of(std::span<const reproduction> done) {
  std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  const auto mix = [&hash](const std::string& text) {
    for (const char c : text) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    }
  };
  const auto mix_table = [&](const data_table& table) {
    mix(table.name + "\n" + csv_line(table.columns));
    for (const auto& row : table.rows) mix(csv_line(row));
  };
  for (const reproduction& r : done) {
    mix(r.id + (r.partial ? " (partial)\n" : "\n"));
    for (const data_table& table : r.tables) mix_table(table);
    mix_table(verdict_table(r));
    mix_table(parameter_table(r));
  }
  return hash;
}

std::string to_markdown(std::span<const reproduction> done, const std::string& pictures) {
  std::string text =
      "# The papers, reproduced\n\n"
      "Written by `evencube reproduce all`. Each section sets the paper's numbers and claims "
      "beside "
      "ours:\n\n"
      "- **equal**: the same number to the digits printed, or the very statement;\n"
      "- **within**: a claim without a number holds, or a number within the tolerance named beside "
      "it;\n"
      "- **direction**: the sign is the paper's, the size is not;\n"
      "- **opposite**: not confirmed, another number or the contrary;\n"
      "- **unstated**: the paper leaves out what would be needed to compare.\n\n"
      "Parameters come from the papers or are listed as ours; none was chosen for its result. "
      "Where "
      "a claim does not hold so, a second column gives it under the best reading of the paper that "
      "we found: one set of parameters for all cells of a section, stated there, and never one "
      "number for one cell. The verdicts, counted:\n\n";
  text += markdown_table(count_table(count_verdicts(done)));
  for (const reproduction& r : done) {
    text += "- [" + r.id + "](#" + r.id + "): " + r.title + "\n";
  }
  for (const reproduction& r : done) {
    text += "\n## " + r.id + "\n\n**" + r.title + "** (" + r.source + ")\n\n" + r.method + "\n\n";
    if (r.partial) text += "*Partial: stopped before all samples were drawn.*\n\n";
    if (!r.best_reading.empty()) text += "**Best reading.** " + r.best_reading + "\n\n";
    text += markdown_table(readable_verdicts(r));
    if (!r.parameters.empty()) text += markdown_table(parameter_table(r));
    for (const picture& p : r.pictures) {
      text += "![" + p.title + "](" + pictures + "/" + folder_of(r) + "/" + p.name + ".svg)\n\n";
    }
    for (const data_table& table : r.tables) {
      if (table.rows.size() <= most_rows_on_a_page) text += markdown_table(table);
    }
  }
  return text;
}

}  // namespace evencube::papers
