#pragma once

#include <evencube/interop/tbb/backend.hpp>
