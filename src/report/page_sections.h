// The readers of a page's sections: one a schema, from parsed JSON to plain data.
#pragma once

#include "report/page_json.h"
#include "report/page_model.h"

namespace pitot::report::page {

// Each fills a section's verdict and blocks; what is wrong with the JSON goes to the node's
// problem.
void read_bench(const Node& root, Section& out);
void read_gate(const Node& root, Section& out);
void read_measure(const Node& root, Section& out);
void read_compare(const Node& root, Section& out);
void read_rank(const Node& root, Section& out);
void read_predict(const Node& root, Section& out);
void read_train(const Node& root, Section& out);
void read_optimize(const Node& root, Section& out);
void read_optimize_table(const Node& root, Section& out);
void read_profile(const Node& root, Section& out);
void read_check(const Node& root, Section& out);
void read_learn_training(const Node& root, Section& out);
void read_learn_folds(const Node& root, Section& out);
void read_learn_eval(const Node& root, Section& out);
void read_learn_table(const Node& root, Section& out);
void read_learn_ppo(const Node& root, Section& out);

// `notes` of a whole result.
void add_notes(const Node& root, Section& out);
// `errors`, `warnings` and `diagnostics`, which several schemas have.
void add_problems(const Node& root, Section& out);

}  // namespace pitot::report::page
