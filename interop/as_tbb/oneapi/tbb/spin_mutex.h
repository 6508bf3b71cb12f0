#pragma once

#include <tbb/spin_mutex.h>
