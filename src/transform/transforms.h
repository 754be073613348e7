// Every transform, one function each. A transform edits what it can prove legal and declines the
// rest with a reason; applied to its own output it changes nothing, where that makes sense.
#pragma once

#include "transform/action.h"
#include "transform/edit.h"

namespace pitot::transform {

using Transform = void (*)(Subject& subject, Edit& edit, Action action);

// Null: not there.
Transform transform_of(Action action);

void cache_loads(Subject& subject, Edit& edit, Action action);  // cache_*.cpp
void cache_stores(Subject& subject, Edit& edit, Action action);
void limit_registers(Subject& subject, Edit& edit, Action action);
void prefetch(Subject& subject, Edit& edit, Action action);
void vectorise_loads(Subject& subject, Edit& edit, Action action);
void vectorise_stores(Subject& subject, Edit& edit, Action action);
void widen_accesses(Subject& subject, Edit& edit, Action action);
void split_loads(Subject& subject, Edit& edit, Action action);
void reorder_critical_path(Subject& subject, Edit& edit, Action action);
void reorder_interleaved(Subject& subject, Edit& edit, Action action);
void reorder_loads_first(Subject& subject, Edit& edit, Action action);
void reorder_stores_last(Subject& subject, Edit& edit, Action action);
void read_only_loads(Subject& subject, Edit& edit, Action action);
void reuse_loads(Subject& subject, Edit& edit, Action action);
void narrow_addresses(Subject& subject, Edit& edit, Action action);
void unroll_loops(Subject& subject, Edit& edit, Action action);
void contract_products(Subject& subject, Edit& edit, Action action);

}  // namespace pitot::transform
