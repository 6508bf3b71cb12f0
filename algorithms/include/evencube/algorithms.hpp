#pragma once

/// Loops and algorithms on the runtime. <evencube/evencube.hpp> does not include this: who only
/// starts tasks and waits for them need not read it.
#include <evencube/parallel_invoke.hpp>
