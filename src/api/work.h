// What a face asks for about work beyond one transaction: workflows, leases, budgets, proposals,
// portfolios, handlers, compensations, consumers of events, summaries and recovery. Functions that
// take a Kernel where they say State.
#pragma once

#include "work/budgets.h"
#include "work/compensations.h"
#include "work/events.h"
#include "work/handlers.h"
#include "work/leases.h"
#include "work/portfolio.h"
#include "work/proposals.h"
#include "work/recovery.h"
#include "work/summaries.h"
#include "work/workflows.h"
