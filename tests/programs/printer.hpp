#pragma once

#include <set>
#include <string>
#include <utility>

#include "program.hpp"

namespace evencube::programs {

/// Prints one program.
class printer {
 public:
  explicit printer(const program& p) : program_(p) {}

  std::string print();

 private:
  static std::string runtime_name(int of) { return std::string(1, static_cast<char>('a' + of)); }
  static std::string quoted(const std::string& text) { return '"' + text + '"'; }
  std::string group_name(int group) const {
    return (group < static_cast<int>(program_.groups.size()) ? "shared_group_" : "group_") +
           std::to_string(group);
  }
  static std::string source_name(int group) { return "stop_" + std::to_string(group); }
  static std::string future_name(int f) { return "future_" + std::to_string(f); }
  static std::string flag_name(int f) { return "flag_" + std::to_string(f); }

  void line(const std::string& text) {
    out_.append(static_cast<std::size_t>(depth_) * 2, ' ');
    out_ += text + '\n';
  }

  void declarations();

  [[nodiscard]] bool uses(action what, int target) const;

  /// Whether any step makes shared future `f`.
  [[nodiscard]] bool is_made(int f) const;

  void threads();

  void end();

  void inside(const block& b) {
    ++depth_;
    steps(b);
    --depth_;
  }
  void steps(const block& b) {
    for (const step& s : b.steps) print(s);
    if (b.throws) line("throw thrown{};");
  }
  /// The expression of a coroutine of runtime `of`.
  void coroutine(int of, const block& b, const std::string& before, const std::string& after);
  void await(const step& s);

  /// The body of a function that gives a number.
  void task(const block& b) {
    inside(b);
    ++depth_;
    if (!b.throws) line("return 0L;");
    --depth_;
  }

  static std::string options_of(const step& s);
  static std::string capture(const step& s);
  void wait(const std::string& group) { line("expect([&] { " + group + ".wait(); });"); }

  void print(const step& s);
  void act(const step& s);

  /// Where the tasks of a step that may have an arena begin.
  static std::string callee(const step& s) {
    return s.places != 0
               ? "arena(" + runtime_name(s.of) + ", {.workers = " + std::to_string(s.places) + "})"
               : runtime_name(s.of);
  }
  /// The call of a run.
  static std::string run_from(const step& s) {
    return (begins_here_first(s) ? "here_first{" + callee(s) + "}" : callee(s)) + ".run";
  }
  /// Where the tasks of a group begin, after the arena has been declared.
  std::string home_of_group(const step& s);

  void scope(const step& s);
  void meet(const step& s);

  static std::string limit(const step& s) {
    return "std::chrono::microseconds(" + std::to_string(s.limit) + ")";
  }

  /// The expression that makes the future of `s`, with what stands before and behind it.
  void made(const step& s, const std::string& before, const std::string& after);

  void local_async(const step& s);

  void loop(const step& s);
  /// Its call, around the body.
  std::pair<std::string, std::string> call_of(const step& s, const std::string& token);

  void invoke(const step& s);

  void compute(const step& s);

  void graph(const step& s);
  /// The node's function, and its name.
  void node(const step& s, int number);
  static std::string parameters(const step& s, int number);

  void pipeline(const step& s);
  /// What the input, or a stage, does with number `value`.
  void element(const step& s, const block& b);

  const program& program_;
  std::string out_;
  std::set<int> by_source_;  ///< groups that are stopped by a token
  int depth_ = 0;
  int where_ = -1;  ///< the runtime of the coroutine that is being printed
};

}  // namespace evencube::programs
