#include <array>
#include <string>
#include <utility>

#include "printer.hpp"

namespace evencube::programs {

void printer::loop(const step& s) {
  const std::string count = std::to_string(s.amount);
  line("expect([&] {");
  ++depth_;
  const bool stops = s.stops != never && takes_a_token(s);
  if (stops) {
    line("std::stop_source stop;");
    if (s.stops == by_token_before) line("stop.request_stop();");
  }
  const bool feeds = s.form == by_feeding || s.form == by_feeding_a_vector;
  if (feeds || s.form == by_search || s.form == by_any || s.form == by_transform) {
    const std::string items = std::to_string(feeds ? (s.amount + 1) / 2 : s.amount);
    line(std::string(s.form == by_feeding ? "std::list" : "std::vector") + "<int> items(" + items +
         ");");
    line("std::iota(items.begin(), items.end(), 0);");
  }
  const auto [beginning, end] = call_of(s, stops ? "stop.get_token(), " : "");
  line(beginning);
  ++depth_;
  if (s.what == action::loop && s.form == by_block) {
    line("for (int i = first; i < last; ++i) {");
    ++depth_;
  }
  if (feeds) {
    const std::string given = std::to_string((s.amount + 1) / 2);
    line("if (i + " + given + " < " + count + ") feed.add(i + " + given + ");");
  }
  for (const step& in : s.inner[0].steps) print(in);
  const bool stride = s.what == action::loop && s.form == by_stride;
  if (s.inner[0].throws) {
    line("if (i == " + std::to_string(s.variant * (stride ? 3 : 1)) + ") throw thrown{};");
  }
  if (stops && s.stopping >= 0) {
    line("if (i == " + std::to_string(s.stopping) + ") stop.request_stop();");
  }
  if (s.what == action::reduce) {
    line("return 1;");
  } else if (s.form == by_transform) {
    line("return -i;");
  } else if (s.form == by_search || s.form == by_any) {
    line("return i == " + std::to_string(s.failing) + ";");
  }
  if (s.what == action::loop && s.form == by_block) {
    --depth_;
    line("}");
  }
  --depth_;
  line(end);
  --depth_;
  line("});");
}

std::pair<std::string, std::string> printer::call_of(const step& s, const std::string& token) {
  const std::string count = std::to_string(s.amount);
  const std::string grain = s.grain != 0 ? ", {.grain = " + std::to_string(s.grain) + "}" : "";
  const std::string captures = s.body == too_large    ? "[&, load = std::array<int, 300>{}]"
                               : s.body == not_copied ? "[&, load = std::make_unique<int>(7)]"
                                                      : "[&]";
  const std::string index = captures + "([[maybe_unused]] int i) ";
  const std::string quiet = "static_cast<void>(";
  if (s.what == action::reduce) {
    const std::string with =
        s.form == by_balance
            ? "balanced_loop(" + runtime_name(s.of) + ", 0, " + count + ").reduce(0L, "
            : std::string("parallel_") + (s.form == by_block ? "deterministic_" : "") + "reduce(" +
                  token + "0, " + count + ", 0L, ";
    return {quiet + with + index + "-> long {",
            "}, [](long x, long y) { return x + y; }" +
                (s.form == by_balance && s.grain != 0 ? ", " + std::to_string(s.grain) : grain) +
                "));"};
  }
  // Those with a token say whether they were stopped, which is dropped.
  const std::string before = token.empty() ? "" : quiet;
  const std::string after = token.empty() ? ");" : "));";
  switch (s.form) {
    case by_block:
      return {before + "parallel_for(" + token + "0, " + count + ", " + captures +
                  "(int first, int last) {",
              "}" + grain + after};
    case by_stride:
      return {"parallel_for(0, 3 * " + count + ", 3, " + index + "{", "}" + grain + ");"};
    case by_feeding:
    case by_feeding_a_vector:
      return {before + "parallel_for_each(" + token + "items, " + captures +
                  "(int i, feeder<int>& feed) {",
              "}" + after};
    case by_balance:
      line("balanced_loop items(" + runtime_name(s.of) + ", 0, " + count + ");");
      line("items.run([](int, int) {});");
      if (s.grain == 0) return {"items.run(" + index + "{", "});"};
      return {"items.repeat(3, " + captures +
                  "(std::size_t sweep, int i) { if (i % 3 != static_cast<int>(sweep)) return;",
              "});"};
    case by_search:
      return {quiet + "parallel_find_if(" + token + "items, " + index + "{", "}));"};
    case by_any:
      return {quiet + "parallel_any_of(items, " + index + "{", "}));"};
    case by_transform:
      return {"parallel_transform(items, items.begin(), " + index + "{", "}" + grain + ");"};
    default:
      return {before + "parallel_for(" + token + "0, " + count + ", " + index + "{",
              "}" + grain + after};
  }
}

void printer::invoke(const step& s) {
  line("expect([&] {");
  ++depth_;
  line("parallel_invoke([&] {");
  for (const block& in : s.inner) {
    inside(in);
    line(&in == &s.inner.back() ? "});" : "}, [&] {");
  }
  --depth_;
  line("});");
}

void printer::compute(const step& s) {
  static constexpr std::array names{"scan", "sort", "sort", "search", "exclusive_scan"};
  const std::string sorts = s.variant == a_sort          ? ", false"
                            : s.variant == a_stable_sort ? ", true"
                                                         : "";
  line("expect([&] { " + std::string(names[s.variant]) + "(" + std::to_string(s.amount) + ", " +
       std::to_string(s.failing) + sorts + "); });");
}

void printer::graph(const step& s) {
  const std::string name = std::to_string(s.target);
  line("{");
  ++depth_;
  std::string token;
  if (s.stops != never) {
    by_source_.insert(s.target);
    line("std::stop_source " + source_name(s.target) + ";");
    if (s.stops == by_token_before) line(source_name(s.target) + ".request_stop();");
    token = source_name(s.target) + ".get_token()";
  }
  line("int run_" + name + " = 0;");
  line("task_graph graph_" + name + ";");
  for (int k = 0; k < static_cast<int>(s.inner.size()); ++k) node(s, k);
  for (const edge& e : s.edges) {
    if (e.value != passing::nothing) continue;
    line("graph_" + name + ".precede(node_" + name + "_" + std::to_string(e.from) + ", node_" +
         name + "_" + std::to_string(e.to) + (e.choice < 0 ? "" : ", " + std::to_string(e.choice)) +
         ");");
  }
  const std::string runtime = s.by_call ? runtime_name(s.of) : "";
  const std::string run = "expect([&] { graph_" + name + ".run(" + runtime +
                          (runtime.empty() || token.empty() ? "" : ", ") + token + "); });";
  const std::string count = std::to_string(s.amount);
  switch (s.variant) {
    case at_once:
      line("at_once(" + count + ", [&] { " + run + " });");
      break;
    case from_threads:
      line("from_threads(" + count + ", [&] { " + run + " });");
      break;
    default:
      line("for (; run_" + name + " < " + count + "; ++run_" + name + ") " + run);
  }
  --depth_;
  line("}");
}

void printer::node(const step& s, int number) {
  const block& b = s.inner[static_cast<std::size_t>(number)];
  const std::string name = std::to_string(s.target) + "_" + std::to_string(number);
  if (b.throws) line("std::atomic<int> calls_" + name + "{0};");
  line("[[maybe_unused]] const auto node_" + name + " = graph_" + std::to_string(s.target) +
       ".add([&](" + parameters(s, number) + ") {");
  ++depth_;
  for (const step& in : b.steps) print(in);
  if (b.throws) {
    line("if (calls_" + name + "++ == " + std::to_string(s.failing) + ") throw thrown{};");
  }
  if (chooses(s, number)) {
    line("return (" + std::to_string(number) + " + run_" + std::to_string(s.target) + ") % 3;");
  } else if (gives_a_value(s, number)) {
    line("return std::make_unique<int>(" + std::to_string(number) + ");");
  }
  --depth_;
  std::string values;
  for (const edge* const e : values_to(s, number)) {
    values += (values.empty() ? ", values_of(" : ", ") + ("node_" + std::to_string(s.target)) +
              "_" + std::to_string(e->from) + (e->value == passing::to_take ? ".take()" : "");
  }
  line("}" + values + (values.empty() ? ");" : "));"));
}

std::string printer::parameters(const step& s, int number) {
  std::string all;
  for (const edge* const e : values_to(s, number)) {
    all += all.empty() ? "" : ", ";
    all += chooses(s, e->from)            ? "const int&"
           : e->value == passing::to_take ? "std::unique_ptr<int>&&"
                                          : "const std::unique_ptr<int>&";
  }
  return all;
}

void printer::pipeline(const step& s) {
  static constexpr std::array kinds{"parallel_stage", "serial_in_order", "serial_out_of_order"};
  line("expect([&] {");
  ++depth_;
  line("int given = 0;");
  line("parallel_pipeline(" + (s.by_call ? runtime_name(s.of) + ", " : std::string()) +
       std::to_string(s.grain) + ", [&]() -> std::optional<int> {");
  ++depth_;
  line("if (given == " + std::to_string(s.amount) + ") return std::nullopt;");
  line("const int value = given++;");
  --depth_;
  element(s, s.inner[0]);
  std::size_t k = 0;
  for (const stage kind : stages_of(s)) {
    line(std::string(k == 0 ? "}, " : "}), ") + kinds[static_cast<std::size_t>(kind)] +
         "([&](int value) {");
    element(s, s.inner[++k]);
  }
  line("}));");
  --depth_;
  line("});");
}

void printer::element(const step& s, const block& b) {
  ++depth_;
  for (const step& in : b.steps) print(in);
  if (b.throws) line("if (value == " + std::to_string(s.failing) + ") throw thrown{};");
  line("return value;");
  --depth_;
}

}  // namespace evencube::programs
