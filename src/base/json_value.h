// The same as base/json.h.
#pragma once

#include "base/json.h"
