#pragma once

#include <vector>

#include <evencube/detail/worker.hpp>

namespace evencube::detail {

/// Tasks on their way to a worker that somebody chose for them, oldest first.
struct worker::letter {
  std::vector<slot_word> words;
  letter_place place;
  letter* next;
};

}  // namespace evencube::detail
