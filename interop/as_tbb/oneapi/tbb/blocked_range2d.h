#pragma once

#include <tbb/blocked_range2d.h>
