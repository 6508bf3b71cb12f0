#pragma once

#include <tbb/info.h>
