#pragma once

#include <string>
#include <string_view>

namespace evencube::lab {

/// Answers one request of the page with one JSON object on one line. The answer is a pure function
/// of the request, bit for bit the same on every machine. A request that is refused gives
/// `{"error": SENTENCE}`; nothing is thrown. lab/README.md lists the requests and their answers.
[[nodiscard]] std::string answer(std::string_view request);

}  // namespace evencube::lab
