#include "search_log.h"

#include <filesystem>

#include "support/file.h"

namespace pitot::cli {

Status SearchLog::read(const std::string& path, const search::LogHead& head) {
  auto text = read_file(path);
  if (!text) return text.error();
  auto read = search::read_log(*text, head);
  if (!read) return input_error(path + ": " + read.error().message);
  history_ = std::move(*read);
  return Ok{};
}

Status SearchLog::open(const std::string& path, const search::LogHead& head) {
  if (path.empty()) return Ok{};
  path_ = path;
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    if (Status s = this->read(path, head); !s) return s;
    if (history_.whole_bytes < std::filesystem::file_size(path, error)) {
      std::filesystem::resize_file(path, history_.whole_bytes, error);
      if (error) return input_error(path + ": " + error.message());
    }
  }
  file_.reset(std::fopen(path.c_str(), "ab"));
  if (!file_) return input_error(path + ": cannot be written");
  if (history_.whole_bytes == 0) write(search::log_head(head));
  return Ok{};
}

void SearchLog::add(const search::Evaluation& evaluation) {
  if (file_) write(search::log_line(evaluation));
}

void SearchLog::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
      std::fflush(file_.get()) != 0)
    failed_ = true;
}

Status SearchLog::close() {
  file_.reset();
  if (failed_) return input_error(path_ + ": not everything could be written");
  return Ok{};
}

}  // namespace pitot::cli
