// Training by PPO over compile knobs, written out.
#pragma once

#include <string>

#include "learn/ppo_result.h"
#include "report/diagnostic_text.h"

namespace pitot::report {

std::string ppo_text(const learn::PpoResult& r, const TextStyle& style);
// schema pitot.learn-ppo/1; without the updates, which are in the table.
std::string ppo_json(const learn::PpoResult& r);
// A row an update.
std::string ppo_updates_csv(const learn::PpoResult& r);

}  // namespace pitot::report
