// Judged candidates kept in one file, with their texts: what was judged is not judged again, and
// nothing that was finished is lost when a run is killed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/bench_result.h"
#include "store/database.h"

namespace pitot::store {

// A candidate before it is judged.
struct Proposed {
  uint32_t sample = 0;
  std::string name, text;
};

// Several processes may have one open; not to be shared by threads.
class BenchArchive {
 public:
  // Makes the file when there is none. Errors: as Store::open.
  static Result<BenchArchive> open(const std::string& path);

  // `settings`: how it was judged (tiers, device, clock, private sizes), in words. A judgement of
  // the same task, generator, round, sample, name and settings takes the place of an earlier one.
  // When it has returned, a kill cannot take it back.
  Status put(const bench::Judgement& judgement, const std::string& settings,
             const std::string& text);

  // Of this very sample, by this name, with this program.
  Result<bool> has(const bench::Judgement& judgement, const std::string& settings) const;
  // Of the same program of another sample, or another generator's.
  Result<std::optional<bench::Judgement>> of_program(const std::string& task,
                                                     const std::string& program,
                                                     const std::string& settings) const;
  // By task, generator, round, sample; of one generator and settings, or of all where they are
  // empty.
  Result<std::vector<bench::Judgement>> judgements(const std::string& generator = {},
                                                   const std::string& settings = {}) const;
  // By how they were judged: for people to choose from.
  Result<std::vector<std::string>> settings() const;
  // What a generator proposed in a round, kept before it is judged: all or nothing.
  Status propose(const std::string& task, const std::string& generator, uint32_t round,
                 const std::string& settings, const std::vector<Proposed>& candidates);
  Result<std::vector<Proposed>> proposals(const std::string& task, const std::string& generator,
                                          uint32_t round, const std::string& settings) const;
  // Empty where there is none.
  Result<std::string> text_of(const std::string& program) const;

 private:
  explicit BenchArchive(Database database) : database_(std::move(database)) {}
  Status add_details(int64_t id, const bench::Judgement& judgement);
  Status read_details(int64_t id, bench::Judgement& judgement) const;

  Database database_;
};

}  // namespace pitot::store
