#include "store/bench_archive.h"

#include <fmt/format.h>

#include "store/schema.h"

namespace pitot::store {
namespace {

using bench::Judgement;

constexpr uint32_t kArchive = 0x50697442;  // its application_id: "PitB"
constexpr unsigned kArchiveWaitMs = 120'000;

// Calls visit(name, member) for every field of a judgement but its lists.
template <class J, class Visitor>
void visit_judgement(J& j, Visitor&& visit) {
  visit("task", j.task);
  visit("kind", j.kind);
  visit("candidate", j.candidate);
  visit("program", j.program);
  visit("generator", j.generator);
  visit("round", j.round);
  visit("sample", j.sample);
  visit("reason", j.reason);
  visit("line", j.line);
  visit("trials", j.trials);
  visit("worst_error", j.worst_error);
  visit("rms_error", j.rms_error);
  visit("start_rms_error", j.start_rms_error);
  visit("device", j.device);
  visit("clock", j.clock);
  visit("speedup", j.speedup);
  visit("seed", j.seed);
  visit("registers", j.registers);
  visit("seconds", j.seconds);
}

template <class T, class Visitor>
void visit_timing(T& t, Visitor&& visit) {
  visit("size", t.size);
  visit("cache", t.cache);
  visit("candidate_us", t.candidate_us);
  visit("baseline_us", t.baseline_us);
  visit("start_us", t.start_us);
  visit("speedup", t.speedup);
  visit("low", t.low);
  visit("high", t.high);
  visit("over_start", t.over_start);
  visit("over_start_low", t.over_start_low);
  visit("over_start_high", t.over_start_high);
}

template <class Visit>
std::string names_of(Visit&& visit_all) {
  std::string out;
  visit_all([&](const std::string& name, const auto&) { out += fmt::format(", \"{}\"", name); });
  return out;
}
std::string judgement_columns() {
  const Judgement j;
  return names_of([&](auto&& v) { visit_judgement(j, v); });
}
std::string timing_columns() {
  const bench::Timing t;
  return names_of([&](auto&& v) { visit_timing(t, v); });
}
// As many marks as names.
std::string marks_of(const std::string& columns) {
  std::string out;
  for (char c : columns)
    if (c == ',') out += ", ?";
  return out;
}

Status make_tables(const Database& db) {
  auto transaction = WriteTransaction::begin(db);
  if (!transaction) return transaction.error();
  auto tables = db.number("SELECT count(*) FROM sqlite_schema");  // another process may be first
  if (!tables) return tables.error();
  if (*tables == 0) {
    const Status made = db.run(
        "CREATE TABLE judgement (id INTEGER PRIMARY KEY, settings, tier, verdict" +
        judgement_columns() +
        ");"
        "CREATE UNIQUE INDEX candidate_key ON judgement (task, generator, round, sample, "
        "candidate, "
        "settings);"
        "CREATE INDEX program_key ON judgement (task, program, settings);"
        "CREATE TABLE timing (judgement INTEGER REFERENCES judgement(id)" +
        timing_columns() +
        ");"
        "CREATE INDEX timing_of ON timing (judgement);"
        "CREATE TABLE finding (judgement INTEGER REFERENCES judgement(id), code, message, line);"
        "CREATE INDEX finding_of ON finding (judgement);"
        "CREATE TABLE program (hash TEXT PRIMARY KEY, text);"
        "CREATE TABLE proposal (task, generator, round, settings, sample, name, text);"
        "CREATE UNIQUE INDEX proposal_key ON proposal (task, generator, round, settings, sample);" +
        fmt::format("PRAGMA application_id={}; PRAGMA user_version=1", kArchive));
    if (!made) return made;
  }
  return transaction->finish();
}

// Archives from before the intervals over the start kernel: they are taken for points.
Status add_columns(const Database& db) {
  const auto count = [&] {
    return db.number(
        "SELECT count(*) FROM pragma_table_info('timing') WHERE name='over_start_low'");
  };
  auto has = count();
  if (!has) return has.error();
  if (*has > 0) return Ok{};
  auto transaction = WriteTransaction::begin(db);
  if (!transaction) return transaction.error();
  has = count();  // another process may have been first
  if (!has) return has.error();
  if (*has == 0) {
    const Status made = db.run(
        "ALTER TABLE timing ADD COLUMN over_start_low;"
        "ALTER TABLE timing ADD COLUMN over_start_high;"
        "UPDATE timing SET over_start_low=over_start, over_start_high=over_start;");
    if (!made) return made;
  }
  return transaction->finish();
}

// Archives from before files of several folders: of candidates with the same number one was kept.
Status add_candidate_key(const Database& db) {
  auto old = db.number("SELECT count(*) FROM sqlite_schema WHERE name='sample_key'");
  if (!old) return old.error();
  if (*old == 0) return Ok{};
  auto transaction = WriteTransaction::begin(db);
  if (!transaction) return transaction.error();
  const Status made = db.run(
      "DROP INDEX IF EXISTS sample_key;"
      "CREATE UNIQUE INDEX IF NOT EXISTS candidate_key ON judgement (task, generator, round, "
      "sample, candidate, settings);");
  if (!made) return made;
  return transaction->finish();
}

void read_row(Query& q, int64_t& id, Judgement& j) {
  std::string verdict;
  uint32_t tier = 0;
  q.read(id);
  q.read(tier);
  q.read(verdict);
  j.tier = static_cast<bench::Tier>(std::min(tier, static_cast<uint32_t>(bench::Tier::kTimed)));
  j.verdict = bench::verdict_of(verdict);
  visit_judgement(j, [&](const auto&, auto& member) { q.read(member); });
}

}  // namespace

Result<BenchArchive> BenchArchive::open(const std::string& path) {
  auto there = is_store(path, kArchive, "archive of judged candidates");
  if (!there) return there.error();
  auto database = Database::open(path, true, kArchiveWaitMs);
  if (!database) return database.error();
  auto application = database->number("PRAGMA application_id");
  if (!application) return application.error();
  if (*application == 0)
    if (Status s = make_tables(*database); !s) return s.error();
  if (Status s = add_columns(*database); !s) return s.error();
  if (Status s = add_candidate_key(*database); !s) return s.error();
  return BenchArchive(std::move(*database));
}

Status BenchArchive::add_details(int64_t id, const Judgement& j) {
  for (const bench::Timing& t : j.timings) {
    const std::string columns = timing_columns();
    auto q = database_.query(
        fmt::format("INSERT INTO timing (judgement{}) VALUES (?{})", columns, marks_of(columns)));
    if (!q) return q.error();
    q->bind(id);
    visit_timing(t, [&](const auto&, const auto& member) { q->bind(member); });
    if (auto done = q->step(); !done) return done.error();
  }
  for (const bench::Finding& f : j.findings) {
    auto q = database_.query("INSERT INTO finding VALUES (?, ?, ?, ?)");
    if (!q) return q.error();
    q->bind(id);
    q->bind(std::string_view(f.code));
    q->bind(std::string_view(f.message));
    q->bind(f.line);
    if (auto done = q->step(); !done) return done.error();
  }
  return Ok{};
}

Status BenchArchive::put(const Judgement& j, const std::string& settings, const std::string& text) {
  auto transaction = WriteTransaction::begin(database_);
  if (!transaction) return transaction.error();
  {
    auto old = database_.query(
        "SELECT id FROM judgement WHERE task=? AND generator=? AND round=? AND sample=? AND "
        "candidate=? AND settings=?");
    if (!old) return old.error();
    old->bind(std::string_view(j.task));
    old->bind(std::string_view(j.generator));
    old->bind(j.round);
    old->bind(j.sample);
    old->bind(std::string_view(j.candidate));
    old->bind(std::string_view(settings));
    auto row = old->step();
    if (!row) return row.error();
    if (*row) {
      int64_t id = 0;
      old->read(id);
      if (Status s = database_.run(fmt::format("DELETE FROM timing WHERE judgement={0};"
                                               "DELETE FROM finding WHERE judgement={0};"
                                               "DELETE FROM judgement WHERE id={0}",
                                               id));
          !s)
        return s;
    }
  }
  const std::string columns = judgement_columns();
  auto q = database_.query(
      fmt::format("INSERT INTO judgement (settings, tier, verdict{}) VALUES (?, ?, ?{})", columns,
                  marks_of(columns)));
  if (!q) return q.error();
  q->bind(std::string_view(settings));
  q->bind(static_cast<uint32_t>(j.tier));
  q->bind(bench::name_of(j.verdict));
  visit_judgement(j, [&](const auto&, const auto& member) { q->bind(member); });
  if (auto done = q->step(); !done) return done.error();
  if (Status s = add_details(database_.last_id(), j); !s) return s;
  auto program = database_.query("INSERT OR IGNORE INTO program VALUES (?, ?)");
  if (!program) return program.error();
  program->bind(std::string_view(j.program));
  program->bind(std::string_view(text));
  if (auto done = program->step(); !done) return done.error();
  return transaction->finish();
}

Result<bool> BenchArchive::has(const Judgement& j, const std::string& settings) const {
  auto q = database_.query(
      "SELECT 1 FROM judgement WHERE task=? AND generator=? AND round=? AND sample=? AND "
      "candidate=? AND program=? AND settings=?");
  if (!q) return q.error();
  q->bind(std::string_view(j.task));
  q->bind(std::string_view(j.generator));
  q->bind(j.round);
  q->bind(j.sample);
  q->bind(std::string_view(j.candidate));
  q->bind(std::string_view(j.program));
  q->bind(std::string_view(settings));
  return q->step();
}

Status BenchArchive::read_details(int64_t id, Judgement& j) const {
  auto times = database_.query(fmt::format(
      "SELECT {} FROM timing WHERE judgement={} ORDER BY rowid", timing_columns().substr(2), id));
  if (!times) return times.error();
  for (;;) {
    auto row = times->step();
    if (!row) return row.error();
    if (!*row) break;
    visit_timing(j.timings.emplace_back(), [&](const auto&, auto& m) { times->read(m); });
  }
  auto found = database_.query(
      fmt::format("SELECT code, message, line FROM finding WHERE judgement={} ORDER BY rowid", id));
  if (!found) return found.error();
  for (;;) {
    auto row = found->step();
    if (!row) return row.error();
    if (!*row) return Ok{};
    bench::Finding& f = j.findings.emplace_back();
    found->read(f.code);
    found->read(f.message);
    found->read(f.line);
  }
}

Result<std::optional<Judgement>> BenchArchive::of_program(const std::string& task,
                                                          const std::string& program,
                                                          const std::string& settings) const {
  auto q = database_.query(fmt::format(
      "SELECT id, tier, verdict{} FROM judgement WHERE task=? AND program=? AND settings=? LIMIT 1",
      judgement_columns()));
  if (!q) return q.error();
  q->bind(std::string_view(task));
  q->bind(std::string_view(program));
  q->bind(std::string_view(settings));
  auto row = q->step();
  if (!row) return row.error();
  std::optional<Judgement> out;
  if (!*row) return out;
  int64_t id = 0;
  read_row(*q, id, out.emplace());
  if (Status s = read_details(id, *out); !s) return s.error();
  return out;
}

Result<std::vector<Judgement>> BenchArchive::judgements(const std::string& generator,
                                                        const std::string& settings) const {
  auto q = database_.query(fmt::format(
      "SELECT id, tier, verdict{} FROM judgement WHERE (?='' OR generator=?) AND (?='' OR "
      "settings=?) ORDER BY task, generator, round, sample, settings",
      judgement_columns()));
  if (!q) return q.error();
  for (const std::string* s : {&generator, &generator, &settings, &settings})
    q->bind(std::string_view(*s));
  std::vector<Judgement> out;
  for (;;) {
    auto row = q->step();
    if (!row) return row.error();
    if (!*row) return out;
    int64_t id = 0;
    read_row(*q, id, out.emplace_back());
    if (Status s = read_details(id, out.back()); !s) return s.error();
  }
}

Result<std::vector<std::string>> BenchArchive::settings() const {
  auto q = database_.query("SELECT DISTINCT settings FROM judgement ORDER BY settings");
  if (!q) return q.error();
  std::vector<std::string> out;
  for (;;) {
    auto row = q->step();
    if (!row) return row.error();
    if (!*row) return out;
    q->read(out.emplace_back());
  }
}

Status BenchArchive::propose(const std::string& task, const std::string& generator, uint32_t round,
                             const std::string& settings, const std::vector<Proposed>& candidates) {
  auto transaction = WriteTransaction::begin(database_);
  if (!transaction) return transaction.error();
  for (const Proposed& p : candidates) {
    auto q = database_.query("INSERT OR REPLACE INTO proposal VALUES (?, ?, ?, ?, ?, ?, ?)");
    if (!q) return q.error();
    q->bind(std::string_view(task));
    q->bind(std::string_view(generator));
    q->bind(round);
    q->bind(std::string_view(settings));
    q->bind(p.sample);
    q->bind(std::string_view(p.name));
    q->bind(std::string_view(p.text));
    if (auto done = q->step(); !done) return done.error();
  }
  return transaction->finish();
}

Result<std::vector<Proposed>> BenchArchive::proposals(const std::string& task,
                                                      const std::string& generator, uint32_t round,
                                                      const std::string& settings) const {
  auto q = database_.query(
      "SELECT sample, name, text FROM proposal WHERE task=? AND generator=? AND round=? AND "
      "settings=? ORDER BY sample");
  if (!q) return q.error();
  q->bind(std::string_view(task));
  q->bind(std::string_view(generator));
  q->bind(round);
  q->bind(std::string_view(settings));
  std::vector<Proposed> out;
  for (;;) {
    auto row = q->step();
    if (!row) return row.error();
    if (!*row) return out;
    Proposed& p = out.emplace_back();
    q->read(p.sample);
    q->read(p.name);
    q->read(p.text);
  }
}

Result<std::string> BenchArchive::text_of(const std::string& program) const {
  auto q = database_.query("SELECT text FROM program WHERE hash=?");
  if (!q) return q.error();
  q->bind(std::string_view(program));
  auto row = q->step();
  if (!row) return row.error();
  std::string out;
  if (*row) q->read(out);
  return out;
}

}  // namespace pitot::store
