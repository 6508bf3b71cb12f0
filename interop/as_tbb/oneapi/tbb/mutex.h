#pragma once

#include <tbb/mutex.h>
