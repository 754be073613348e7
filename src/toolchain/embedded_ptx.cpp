// Walks the containers down to fat binaries and takes the PTX out.
#include "toolchain/embedded_ptx.h"

#include <algorithm>
#include <set>

#include "support/file.h"
#include "toolchain/archive.h"
#include "toolchain/elf.h"
#include "toolchain/ptx_header.h"

namespace pitot::toolchain {
namespace {

constexpr std::string_view kMagicBytes = "\x50\xed\x55\xba";

// Text, as far as the first 64 KiB tell: no NUL among them.
bool looks_like_text(std::string_view bytes) {
  return bytes.substr(0, 65536).find('\0') == std::string_view::npos;
}

class Extractor {
 public:
  explicit Extractor(const ExtractLimits& limits) : limits_(limits) {}
  Extraction result;

  void fatbins(std::string_view bytes, const std::string& where) {
    // Several follow one another, aligned or not; a magic inside a payload is stepped over with it.
    size_t at = 0;
    while ((at = bytes.find(kMagicBytes, at)) != std::string_view::npos) {
      auto fatbin = read_fatbin(bytes.substr(at));
      if (!fatbin.ok()) {
        ++at;
        continue;
      }
      for (const std::string& text : fatbin->problems) problem(where, text);
      for (const FatbinEntry& entry : fatbin->entries) add(entry, where);
      at += std::max<uint64_t>(fatbin->size, 1);
    }
  }

  void elf(std::string_view bytes, const std::string& where) {
    auto file = read_elf(bytes);
    if (!file.ok()) {
      problem(where, file.error().message + "; searched without sections");
      return fatbins(bytes, where);
    }
    if (file->is_cubin()) return cubin(*file, bytes.size(), where);
    bool named = false;
    for (const ElfSection& section : file->sections) {
      if (section.name != ".nv_fatbin" && section.name != "__nv_relfatbin") continue;
      named = true;
      fatbins(section.data, where + section_name(section.name));
    }
    // Section names may have been stripped or be a packer's own.
    if (!named) fatbins(bytes, where);
  }

  void archive(std::string_view bytes) {
    auto members = read_archive(bytes);
    if (!members.ok()) {
      return problem("", members.error().message);
    }
    for (const ArchiveMember& member : *members) {
      if (is_elf(member.data)) {
        elf(member.data, "(" + member.name + ")");
      } else {
        fatbins(member.data, "(" + member.name + ")");
      }
    }
  }

 private:
  // The first hundred are enough to tell that a file is damaged.
  void problem(const std::string& where, const std::string& text) {
    if (result.problems.size() < 100)
      result.problems.push_back(where.empty() ? text : where + ": " + text);
  }

  static std::string section_name(std::string_view name) { return ":" + std::string(name); }

  bool room() {
    if (result.images.size() < limits_.images) return true;
    if (result.images.size() == limits_.images && !full_) {
      full_ = true;
      problem("", "more images than are read");
    }
    return false;
  }

  std::string place(const std::string& where) {
    return where + "[" + std::to_string(result.images.size()) + "]";
  }

  void add(const FatbinEntry& entry, const std::string& where) {
    if (!room()) return;
    EmbeddedImage image;
    image.kind = entry.kind;
    image.target = entry.target;
    image.version = entry.version;
    image.identifier = entry.identifier;
    image.options = entry.options;
    image.compression = entry.compression;
    image.stored_bytes = entry.payload.size();
    image.bytes = entry.size;
    image.where = place(where);
    if (entry.kind == ImageKind::kPtx) {
      uint64_t limit = std::min(limits_.image_bytes, limits_.total_bytes - total_);
      auto text = entry_image(entry, limit);
      if (entry.size <= limit) total_ += entry.size;  // damaged ones cost time as well
      if (text.ok()) {
        while (!text->empty() && text->back() == '\0') text->pop_back();  // padding
        image.ptx = std::move(*text);
        if (image.ptx.empty()) image.problem = "the PTX text is empty";
      } else {
        image.problem = text.error().message;
      }
    }
    result.images.push_back(std::move(image));
  }

  void cubin(const ElfFile& file, uint64_t size, const std::string& where) {
    if (!room()) return;
    EmbeddedImage image;
    image.kind = ImageKind::kCubin;
    image.where = place(where);
    image.stored_bytes = image.bytes = size;
    if (file.sm() != 0) image.target = "sm_" + std::to_string(file.sm());
    result.images.push_back(image);
    // Device debug information keeps the PTX, its lines ended by NUL.
    for (const ElfSection& section : file.sections) {
      if (section.name != ".nv_debug_ptx_txt" || section.data.empty() || !room()) continue;
      EmbeddedImage debug;
      debug.kind = ImageKind::kPtx;
      debug.where = place(where + section_name(section.name));
      debug.stored_bytes = debug.bytes = section.data.size();
      if (section.data.size() > std::min(limits_.image_bytes, limits_.total_bytes - total_)) {
        debug.problem = "over the size limit";
      } else {
        debug.ptx = std::string(section.data);
        std::replace(debug.ptx.begin(), debug.ptx.end(), '\0', '\n');
        total_ += debug.ptx.size();
        PtxHeader header = read_ptx_header(debug.ptx);
        debug.version = header.version;
        if (header.target.sm != 0) debug.target = ptx::name_of(header.target);
      }
      result.images.push_back(std::move(debug));
    }
  }

  ExtractLimits limits_;
  uint64_t total_ = 0;
  bool full_ = false;
};

}  // namespace

const char* to_string(FileKind kind) {
  switch (kind) {
    case FileKind::kPtxText:
      return "PTX";
    case FileKind::kFatbin:
      return "fat binary";
    case FileKind::kCubin:
      return "cubin";
    case FileKind::kElf:
      return "ELF file";
    case FileKind::kArchive:
      return "archive";
    case FileKind::kUnknown:
      return "unknown file";
  }
  return "unknown file";
}

FileKind file_kind(std::string_view bytes) {
  if (is_fatbin(bytes)) return FileKind::kFatbin;
  if (is_archive(bytes)) return FileKind::kArchive;
  if (is_elf(bytes)) {
    auto file = read_elf(bytes);
    return file.ok() && file->is_cubin() ? FileKind::kCubin : FileKind::kElf;
  }
  if (looks_like_text(bytes) && read_ptx_header(bytes).is_ptx()) return FileKind::kPtxText;
  return FileKind::kUnknown;
}

size_t Extraction::ptx_count() const {
  return static_cast<size_t>(std::count_if(images.begin(), images.end(),
                                           [](const auto& image) { return !image.ptx.empty(); }));
}

std::string Extraction::summary() const {
  std::string text = to_string(kind);
  for (ImageKind wanted :
       {ImageKind::kPtx, ImageKind::kCubin, ImageKind::kLtoIr, ImageKind::kOther}) {
    std::set<std::string> targets;
    bool any = false;
    for (const EmbeddedImage& image : images) {
      if (image.kind != wanted) continue;
      any = true;
      if (!image.target.empty()) targets.insert(image.target);
    }
    if (!any) continue;
    text += text.find(" with ") == std::string::npos ? " with " : " and ";
    text += wanted == ImageKind::kCubin   ? "machine code"
            : wanted == ImageKind::kLtoIr ? "LTO intermediate code"
            : wanted == ImageKind::kPtx   ? "PTX"
                                          : "other images";
    std::string list;
    for (const std::string& target : targets) list += (list.empty() ? " for " : ", ") + target;
    text += list;
  }
  if (images.empty()) text += " without device code";
  return text;
}

Result<Extraction> extract(std::string_view bytes, const ExtractLimits& limits) {
  Extractor extractor(limits);
  FileKind kind = file_kind(bytes);
  extractor.result.kind = kind;
  switch (kind) {
    case FileKind::kPtxText: {
      EmbeddedImage image;
      image.kind = ImageKind::kPtx;
      PtxHeader header = read_ptx_header(bytes);
      image.version = header.version;
      if (header.target.sm != 0) image.target = ptx::name_of(header.target);
      image.stored_bytes = image.bytes = bytes.size();
      image.ptx = std::string(bytes);
      extractor.result.images.push_back(std::move(image));
      break;
    }
    case FileKind::kFatbin:
      extractor.fatbins(bytes, "");
      break;
    case FileKind::kCubin:
    case FileKind::kElf:
      extractor.elf(bytes, "");
      break;
    case FileKind::kArchive:
      extractor.archive(bytes);
      break;
    case FileKind::kUnknown:
      // Windows objects and executables, firmware, anything that carries a fat binary along.
      extractor.fatbins(bytes, "");
      if (extractor.result.images.empty())
        return input_error("neither PTX nor a file that holds device code");
      break;
  }
  return std::move(extractor.result);
}

Result<std::vector<PtxInput>> read_ptx_inputs(const std::string& path,
                                              const ExtractLimits& limits) {
  auto bytes = read_file(path);
  if (!bytes.ok()) return bytes.error();
  FileKind kind = file_kind(*bytes);
  std::string label = path == "-" ? "standard input" : path;
  if (kind == FileKind::kPtxText || (kind == FileKind::kUnknown && looks_like_text(*bytes)))
    return std::vector<PtxInput>{{label, std::move(*bytes)}};
  auto found = extract(*bytes, limits);
  if (!found.ok()) return input_error(label + ": " + found.error().message);
  std::vector<PtxInput> inputs;
  std::string problem;
  for (EmbeddedImage& image : found->images) {
    if (!image.problem.empty()) problem = image.where + ": " + image.problem;
    if (image.ptx.empty()) continue;
    std::string name = label + image.where;
    if (!image.target.empty()) name += " (" + image.target + ")";
    inputs.push_back({std::move(name), std::move(image.ptx)});
  }
  if (!inputs.empty()) return inputs;
  std::string message = label + ": no PTX in this " + found->summary();
  if (!problem.empty()) message += "; " + problem;
  return input_error(message);
}

}  // namespace pitot::toolchain
