#include <evencube/papers/results.hpp>

#include <algorithm>
#include <stdexcept>

namespace evencube::papers {
namespace {

namespace fs = std::filesystem;

void write_page(const fs::path& file, bool partial, const std::string& text) {
  const fs::path name =
      partial ? file.parent_path() / (file.stem().string() + ".partial" + file.extension().string())
              : file;
  workloads::replace_file(name, workloads::bytes_of(text));
}

}  // namespace

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
      throw std::invalid_argument(std::string((*one)->id) + ": is there twice");
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
