// Event files as TensorBoard reads them: scalars by step, one record each.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace pitot::learn {

struct Scalar {
  std::string tag;  // "grpo/reward"
  float value = 0;
};

// CRC-32C (Castagnoli, RFC 3720), as TFRecord files guard their records.
uint32_t crc32c(std::string_view bytes);

// A TFRecord of one message: length, masked CRC of the length, message, masked CRC of the message;
// all little endian.
std::string event_record(std::string_view message);
// The message tensorflow.Event with a Summary of scalars; `wall_time` in seconds since 1970.
std::string scalar_event(double wall_time, int64_t step, const std::vector<Scalar>& scalars);
// The first record of a file: which format it is.
std::string version_event(double wall_time);

// Appended to as training goes on, and whole after every call. TensorBoard looks for files whose
// names contain "tfevents".
class EventFile {
 public:
  // Begins the file anew.
  static Result<EventFile> create(const std::string& path, double wall_time);
  Status add(double wall_time, int64_t step, const std::vector<Scalar>& scalars);

 private:
  struct Closer {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  explicit EventFile(std::string path) : path_(std::move(path)) {}
  Status write(const std::string& record);

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
};

}  // namespace pitot::learn
