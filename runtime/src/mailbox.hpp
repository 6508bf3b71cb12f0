#pragma once

#include <evencube/detail/worker.hpp>

namespace evencube::detail {

/// A task on its way to a worker that somebody chose for it.
struct worker::letter {
  slot_word word;
  letter* next;
};

}  // namespace evencube::detail
