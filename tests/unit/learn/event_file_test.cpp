// Event files byte by byte.
#include "learn/event_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "support/file.h"

namespace pitot::learn {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (unsigned char b : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    out += kDigits[b >> 4];
    out += kDigits[b & 15];
  }
  return out;
}

TEST(EventFile, Crc32cIsThatOfRfc3720) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c(""), 0u);
}

// By hand: wall_time 2.0 (field 1, double), step 300 (field 2, varint ac 02), summary (field 5) of
// one value (field 1) with tag "a" (field 1) and 1.5 (field 2, float).
TEST(EventFile, AScalarIsThisMessage) {
  EXPECT_EQ(hex(scalar_event(2, 300, {{"a", 1.5f}})),
            "09"
            "0000000000000040"
            "10ac02"
            "2a0a"
            "0a08"
            "0a0161"
            "150000c03f");
  EXPECT_EQ(hex(version_event(0)), "09" + std::string(16, '0') + "1a0d" + hex("brain.Event:2"));
}

uint64_t number_at(std::string_view bytes, size_t at, size_t size) {
  uint64_t out = 0;
  std::memcpy(&out, bytes.data() + at, size);
  return out;
}
uint32_t unmasked(uint64_t stored) {
  const uint32_t c = static_cast<uint32_t>(stored) - 0xa282ead8u;
  return (c >> 17) | (c << 15);
}

// What a reader of TFRecords does.
std::vector<std::string> messages_of(std::string_view bytes) {
  std::vector<std::string> out;
  while (!bytes.empty()) {
    EXPECT_GE(bytes.size(), 16u);
    const auto length = static_cast<size_t>(number_at(bytes, 0, 8));
    EXPECT_EQ(unmasked(number_at(bytes, 8, 4)), crc32c(bytes.substr(0, 8)));
    EXPECT_GE(bytes.size(), 16 + length);
    if (bytes.size() < 16 + length) break;
    out.emplace_back(bytes.substr(12, length));
    EXPECT_EQ(unmasked(number_at(bytes, 12 + length, 4)), crc32c(out.back()));
    bytes.remove_prefix(16 + length);
  }
  return out;
}

TEST(EventFile, RecordsAreReadBack) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("events-" + std::to_string(::getpid()))).string();
  {
    auto file = EventFile::create(path, 5);
    ASSERT_TRUE(file.ok());
    for (int64_t step = 1; step <= 3; ++step)
      ASSERT_TRUE(file->add(5 + static_cast<double>(step), step, {{"loss", 1}, {"b", -2}}).ok());
    // Whole while it is open: TensorBoard looks on.
    EXPECT_EQ(messages_of(*read_file(path)).size(), 4u);
  }
  const auto messages = messages_of(*read_file(path));
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[0], version_event(5));
  EXPECT_EQ(messages[3], scalar_event(8, 3, {{"loss", 1}, {"b", -2}}));
  std::filesystem::remove(path);
  EXPECT_FALSE(EventFile::create("/nowhere/events", 0).ok());
}

}  // namespace
}  // namespace pitot::learn
