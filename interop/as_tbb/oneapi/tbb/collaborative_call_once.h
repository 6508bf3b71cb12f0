#pragma once

#include <tbb/collaborative_call_once.h>
