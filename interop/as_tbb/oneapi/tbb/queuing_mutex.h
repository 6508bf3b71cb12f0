#pragma once

#include <tbb/queuing_mutex.h>
