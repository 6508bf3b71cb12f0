#pragma once

#include <evencube/interop/as_tbb.hpp>
