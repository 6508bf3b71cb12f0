#pragma once

#include <string>
#include <string_view>

namespace evencube::lab {

/// Answers one request of the page with one JSON object on one line. The answer is a pure function
/// of the request and of the recording that is open, bit for bit the same on every machine. A
/// request that is refused gives `{"error": SENTENCE}`; nothing is thrown. lab/README.md lists the
/// requests and their answers.
[[nodiscard]] std::string answer(std::string_view request);

/// Opens a recording, given as the bytes of its file, and answers as to the request `recording`. If
/// the recording is refused, the one that was open before stays open.
[[nodiscard]] std::string open_recording(std::string bytes);

}  // namespace evencube::lab
