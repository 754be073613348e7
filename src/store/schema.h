// The tables of a store and the marks by which its file is known.
#pragma once

#include <string>
#include <string_view>

#include "store/database.h"
#include "support/result.h"

namespace pitot::store {

inline constexpr int kSchema = 1;  // SQLite's user_version; columns may be added without raising it
inline constexpr uint32_t kApplication = 0x5069746f;  // its application_id: "Pito"

// Whether the file may be opened as a store, by its first bytes alone; nothing is written. True if
// it has one, false if there is no file or an empty one. Errors (kInput): something else. `what` is
// the word for files of this application.
Result<bool> is_store(const std::string& path, uint32_t application = kApplication,
                      std::string_view what = "store of measurements");

// Makes the tables, or columns that they lack, unless they are there, all or none; checks the marks
// and the pages.
Status prepare_tables(const Database& database);

}  // namespace pitot::store
