#include "learn/event_file.h"

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

namespace pitot::learn {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::array<uint32_t, 256> make_crc_table() {
  std::array<uint32_t, 256> out{};
  for (uint32_t n = 0; n < 256; ++n) {
    uint32_t c = n;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0x82f63b78u ^ (c >> 1) : c >> 1;
    out[n] = c;
  }
  return out;
}
constexpr auto kCrcTable = make_crc_table();

// TFRecord stores CRCs rotated and displaced, so that the CRC of data with a CRC in it is sound.
uint32_t masked(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

template <class T>
void put_raw(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Protocol buffers, "Encoding": a field's key is its number and wire type.
enum Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
void put_varint(std::string& out, uint64_t v) {
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  out += static_cast<char>(v);
}
void put_key(std::string& out, unsigned field, Wire wire) { put_varint(out, field << 3 | wire); }
void put_bytes(std::string& out, unsigned field, std::string_view bytes) {
  put_key(out, field, kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t c = 0xffffffffu;
  for (char b : bytes) c = kCrcTable[(c ^ static_cast<uint8_t>(b)) & 0xff] ^ (c >> 8);
  return c ^ 0xffffffffu;
}

std::string event_record(std::string_view message) {
  std::string length, out;
  put_raw<uint64_t>(length, message.size());
  out = length;
  put_raw(out, masked(crc32c(length)));
  out += message;
  put_raw(out, masked(crc32c(message)));
  return out;
}

std::string version_event(double wall_time) {
  std::string out;
  put_key(out, 1, kFixed64);
  put_raw(out, wall_time);
  put_bytes(out, 3, "brain.Event:2");
  return out;
}

std::string scalar_event(double wall_time, int64_t step, const std::vector<Scalar>& scalars) {
  std::string summary;
  for (const Scalar& s : scalars) {
    std::string value;
    put_bytes(value, 1, s.tag);
    put_key(value, 2, kFixed32);
    put_raw(value, s.value);
    put_bytes(summary, 1, value);
  }
  std::string out;
  put_key(out, 1, kFixed64);
  put_raw(out, wall_time);
  put_key(out, 2, kVarint);
  put_varint(out, static_cast<uint64_t>(step));
  put_bytes(out, 5, summary);
  return out;
}

Result<EventFile> EventFile::create(const std::string& path, double wall_time) {
  EventFile out(path);
  out.file_.reset(std::fopen(path.c_str(), "wb"));
  if (!out.file_) return input_error(path + ": " + std::strerror(errno));
  if (Status s = out.write(event_record(version_event(wall_time))); !s) return s.error();
  return out;
}

Status EventFile::add(double wall_time, int64_t step, const std::vector<Scalar>& scalars) {
  return write(event_record(scalar_event(wall_time, step, scalars)));
}

Status EventFile::write(const std::string& record) {
  if (std::fwrite(record.data(), 1, record.size(), file_.get()) != record.size() ||
      std::fflush(file_.get()) != 0)
    return input_error(path_ + ": " + std::strerror(errno));
  return Ok{};
}

}  // namespace pitot::learn
