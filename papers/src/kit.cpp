#include "kit.hpp"

#include <atomic>
#include <cmath>
#include <mutex>

namespace evencube::papers {
namespace {

/// Ends an experiment whose caller asked for that.
struct stopped {};

}  // namespace

finding::finding(std::string ours, conditions what)
    : ours_{std::move(ours)},
      how_{what.equal       ? agreement::equal
           : what.within    ? agreement::within
           : what.direction ? agreement::direction
                            : agreement::opposite} {}

finding finding::chosen() && {
  chosen_ = true;
  return std::move(*this);
}

other_finding finding::against(const std::string& paper, std::string why) const {
  agreement how = how_.value_or(ours_ == paper ? agreement::equal : agreement::opposite);
  if (chosen_ && how < agreement::direction) how = agreement::direction;
  if (paper == nothing_said) how = agreement::unstated;
  return {ours_, how, std::move(why)};
}

finding proven(bool holds, std::string ours) { return {std::move(ours), {.equal = holds}}; }

finding proven(bool holds, std::string ours, std::string otherwise) {
  return proven(holds, std::move(holds ? ours : otherwise));
}

finding claim(bool holds, std::string ours) { return {std::move(ours), {.within = holds}}; }

finding near(double ours, double paper, double tolerance, std::string text) {
  return claim(std::abs(ours / paper - 1) <= tolerance, std::move(text));
}

finding margin(const simulator::summary& ours, double paper, double tolerance, std::string text) {
  return {std::move(text),
          {.within = std::abs(ours.mean - paper) <= tolerance * paper,
           .direction = ours.mean - ours.half_width > 0}};
}

finding margin(double ours, double paper, double tolerance, std::string text) {
  return margin(simulator::summary{.mean = ours}, paper, tolerance, std::move(text));
}

data_table& notebook::table(std::string name, std::vector<std::string> columns) {
  return done.tables.emplace_back(data_table{std::move(name), std::move(columns), {}});
}

void notebook::row(std::string what, std::string paper, const finding& printed, std::string why) {
  auto [ours, how, reason] = printed.against(paper, std::move(why));
  done.verdicts.push_back(
      {std::move(what), std::move(paper), std::move(ours), how, std::move(reason)});
}

void notebook::row(std::string what, std::string paper, const finding& printed, std::string why,
                   const finding& best, std::string best_why) {
  row(std::move(what), std::move(paper), printed, std::move(why));
  verdict& added = done.verdicts.back();
  added.best =
      (best_is_chosen_ ? finding(best).chosen() : best).against(added.paper, std::move(best_why));
}

void notebook::choose_best_reading(std::string text) {
  done.best_reading = std::move(text) +
                      " This reading was chosen for its result, so nothing under it counts as more "
                      "than a direction.";
  best_is_chosen_ = true;
}

void notebook::draw(std::string name, std::string title, const data_table& table, axis x, axis y,
                    look how) {
  done.pictures.push_back({std::move(name), std::move(title), table.name, x.columns.front(),
                           std::move(y.columns), std::move(how.series), std::move(x.label),
                           std::move(y.label), how.bars, how.log_x, how.log_y});
}

void notebook::run(std::size_t count, double share, const std::function<void(std::size_t)>& body) {
  std::mutex mutex;
  std::size_t finished = 0;
  std::atomic<bool> stop{false};
  const auto one = [&](std::size_t i) {
    // relaxed: only a hint to skip; the executor's join publishes the results of the bodies
    if (stop.load(std::memory_order_relaxed)) return;
    body(i);
    const std::lock_guard lock(mutex);
    const double part = static_cast<double>(++finished) / static_cast<double>(count);
    if (options_.progress && !options_.progress(std::min(1.0, begun_ + share * part))) {
      stop.store(true, std::memory_order_relaxed);
    }
  };
  if (options_.executor) {
    options_.executor(count, one);
  } else {
    for (std::size_t i = 0; i < count; ++i) one(i);
  }
  if (stop.load(std::memory_order_relaxed)) throw stopped{};
  begun_ = std::min(1.0, begun_ + share);
}

reproduction experiment::run(const reproduce_options& options) const {
  reproduction done;
  done.id = id;
  done.title = title;
  done.source = source;
  notebook book{options, done};
  try {
    steps(book);
    if (options.progress) options.progress(1);
  } catch (const stopped&) {
    done.partial = true;
  }
  return done;
}

}  // namespace evencube::papers
