// What a face serves an agent with while its transaction runs: hooks, briefs and the tools of its
// worktree. None of it opens a kernel.
#pragma once

#include "txn/serve/ask.h"
#include "txn/serve/brief.h"
#include "txn/serve/tree_tools.h"
