#pragma once

#include <tbb/combinable.h>
