#pragma once

#include <tbb/null_mutex.h>
