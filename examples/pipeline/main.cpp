// A pipeline: lines are read one after another, looked at by all workers at once, and written in
// the order in which they were read. At most sixteen are in memory at a time.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <evencube/evencube.hpp>
#include <evencube/parallel_pipeline.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace {

struct line {
  int number = 0;
  std::string text;
};

}  // namespace

int main() {
  std::istringstream input(
      "the nodes of a cube\neach know their neighbours\nand nobody else\nyet all work is shared\n");
  std::string output;

  evencube::runtime rt;
  evencube::parallel_pipeline(
      rt, 16,
      [&, number = 0]() mutable -> std::optional<line> {
        line next{++number, {}};
        if (!std::getline(input, next.text)) return std::nullopt;
        return next;
      },
      evencube::parallel_stage([](line l) {
        std::transform(l.text.begin(), l.text.end(), l.text.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        return l;
      }),
      evencube::serial_in_order(
          [&](const line& l) { output += std::to_string(l.number) + ": " + l.text + "\n"; }));

  std::fputs(output.c_str(), stdout);
  return output ==
                 "1: THE NODES OF A CUBE\n2: EACH KNOW THEIR NEIGHBOURS\n3: AND NOBODY ELSE\n"
                 "4: YET ALL WORK IS SHARED\n"
             ? 0
             : 1;
}
