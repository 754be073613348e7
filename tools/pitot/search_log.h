// The file of a search's log: read, cut to whole lines, and written on.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "search/log.h"

namespace pitot::cli {

class SearchLog {
 public:
  // Without a path nothing is read or written. Errors (kInput): a file that cannot be read or
  // written, or is no log of this search.
  Status open(const std::string& path, const search::LogHead& head);
  // Only reads; of any cost where the head names none.
  Status read(const std::string& path, const search::LogHead& head);
  const search::History& history() const { return history_; }
  // On disk when it returns, as far as the program is concerned.
  void add(const search::Evaluation& evaluation);
  // An error where something could not be written.
  Status close();

 private:
  struct Closer {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  void write(const std::string& text);

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  search::History history_;
  bool failed_ = false;
};

}  // namespace pitot::cli
