#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace evencube::detail {

/// For each rank the work that was sent to it, as far as it was counted, less the work that it
/// received. Ranks for which this is 0 have no entry.
using work_on_its_way = std::map<std::uint32_t, std::int64_t>;

/// The messages by which ranks find out that everything is done.
struct termination_message {
  enum class kind : std::uint8_t {
    probe,   ///< to a child: count
    answer,  ///< to the parent: the counts of a whole branch
    over     ///< to a child: everything is done
  };
  kind what = kind::probe;
  work_on_its_way counted = {};  // of an answer

  friend bool operator==(const termination_message&, const termination_message&) = default;
};

/// One rank's part in finding out that no rank has anything to do and nothing is on its way, by
/// counts for each receiver. Pure: no threads, no clock, no network. See
/// cluster/docs/termination.md, whose names the comments use.
class termination {
 public:
  struct outgoing {
    unsigned to;
    termination_message what;
  };

  termination(unsigned rank, unsigned size);

  /// Handles a message from the parent or from a child. Appends the messages to send to `out`.
  void receive(unsigned from, const termination_message& message, std::vector<outgoing>& out);

  /// Called whenever the rank becomes passive, and after every `receive` while it is. `own` is what
  /// the rank has counted.
  void passive(const work_on_its_way& own, std::vector<outgoing>& out);

  /// Called when the rank is passive and a message goes to its parent anyway: counts that the
  /// parent does not know go along.
  void passive_with_a_message(const work_on_its_way& own, std::vector<outgoing>& out);

  /// True if everything is done, as far as this rank knows.
  [[nodiscard]] bool over() const noexcept { return over_; }

  friend bool operator==(const termination&, const termination&) = default;

 private:
  struct child {
    unsigned rank;
    bool asked = false;  // and has not answered
    std::optional<work_on_its_way> counted = {};
    friend bool operator==(const child&, const child&) = default;
  };

  void ask_children(std::vector<outgoing>& out);
  [[nodiscard]] bool children_answered() const;
  [[nodiscard]] std::optional<work_on_its_way> counted_by_branch(const work_on_its_way& own) const;
  void end(std::vector<outgoing>& out);

  unsigned rank_;
  std::vector<child> children_;
  bool asked_ = false;  // by the parent
  std::optional<work_on_its_way> said_;
  bool over_ = false;
};

}  // namespace evencube::detail
