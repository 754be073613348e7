// PTX out of every kind of file (committed samples), and files that lie about themselves.
#include "toolchain/embedded_ptx.h"

#include <gtest/gtest.h>

#include <random>

#include "support/file.h"
#include "toolchain/archive.h"
#include "toolchain/elf.h"

namespace pitot::toolchain {
namespace {

std::string sample_path(const std::string& name) {
  return PITOT_SOURCE_DIR "/tests/data/toolchain/" + name;
}
std::string sample(const std::string& name) {
  auto bytes = read_file(sample_path(name));
  EXPECT_TRUE(bytes.ok()) << name;
  return bytes.ok() ? *bytes : std::string();
}
Extraction extracted(const std::string& bytes) {
  auto result = extract(bytes);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() ? *result : Extraction{};
}

// What all samples of one target hold, as the uncompressed one has it.
std::string expected_ptx(const char* target) {
  for (const EmbeddedImage& image : extracted(sample("plain.fatbin")).images)
    if (image.kind == ImageKind::kPtx && image.target == target) return image.ptx;
  ADD_FAILURE() << "no PTX for " << target;
  return {};
}

TEST(EmbeddedPtx, UncompressedTextIsWhole) {
  std::string ptx = expected_ptx("sm_80");
  EXPECT_NE(ptx.find(".version 9.0\n.target sm_80\n"), std::string::npos);
  EXPECT_NE(ptx.find(".visible .entry saxpy("), std::string::npos);
  EXPECT_EQ(ptx.find('\0'), std::string::npos);
  EXPECT_NE(ptx.rfind("ret;"), std::string::npos);
  EXPECT_EQ(ptx.substr(ptx.find_last_not_of('\n')),
            "}" + ptx.substr(ptx.find_last_not_of('\n') + 1));
}

TEST(EmbeddedPtx, EveryCompressionGivesTheSameText) {
  struct {
    const char* file;
    Compression compression;
  } modes[] = {{"plain.fatbin", Compression::kNone},
               {"lz4.fatbin", Compression::kLz4},
               {"zstd.fatbin", Compression::kZstd}};
  for (const auto& mode : modes) {
    SCOPED_TRACE(mode.file);
    Extraction found = extracted(sample(mode.file));
    EXPECT_EQ(found.kind, FileKind::kFatbin);
    EXPECT_TRUE(found.problems.empty());
    ASSERT_EQ(found.images.size(), 3u);
    EXPECT_EQ(found.images[0].kind, ImageKind::kCubin);
    EXPECT_EQ(found.images[0].target, "sm_80");
    EXPECT_EQ(found.images[1].kind, ImageKind::kPtx);
    EXPECT_EQ(found.images[1].target, "sm_80");
    EXPECT_EQ(found.images[1].version, 90);
    EXPECT_EQ(found.images[1].compression, mode.compression);
    EXPECT_EQ(found.images[1].ptx, expected_ptx("sm_80"));
    EXPECT_EQ(found.images[2].target, "sm_90a");
    EXPECT_EQ(found.images[2].ptx, expected_ptx("sm_90a"));
    EXPECT_NE(found.images[2].ptx.find(".target sm_90a"), std::string::npos);
    EXPECT_EQ(found.ptx_count(), 2u);
    EXPECT_EQ(found.images[2].where, "[2]");
  }
}

TEST(EmbeddedPtx, ObjectWithTwoTargets) {
  Extraction found = extracted(sample("saxpy.o"));
  EXPECT_EQ(found.kind, FileKind::kElf);
  ASSERT_EQ(found.ptx_count(), 2u);
  EXPECT_EQ(found.images[1].ptx, expected_ptx("sm_80"));
  EXPECT_EQ(found.images[1].where, ":.nv_fatbin[1]");
  EXPECT_EQ(found.images[2].target, "sm_75");
  EXPECT_NE(found.images[2].ptx.find(".target sm_75"), std::string::npos);
}

TEST(EmbeddedPtx, RelocatableObjectRecordsItsOptions) {
  Extraction found = extracted(sample("relocatable.o"));
  ASSERT_EQ(found.ptx_count(), 1u);
  const EmbeddedImage& image = found.images[0];
  EXPECT_EQ(image.where, ":__nv_relfatbin[0]");
  EXPECT_EQ(image.options, "--compile-only");
}

TEST(EmbeddedPtx, SharedLibrary) {
  Extraction found = extracted(sample("library.so"));
  ASSERT_EQ(found.ptx_count(), 1u);
  EXPECT_EQ(found.images[0].ptx, expected_ptx("sm_80"));
}

TEST(EmbeddedPtx, StaticLibraryNamesItsMembers) {
  Extraction found = extracted(sample("library.a"));
  EXPECT_EQ(found.kind, FileKind::kArchive);
  ASSERT_EQ(found.images.size(), 4u);
  EXPECT_EQ(found.images[1].where, "(saxpy.o):.nv_fatbin[1]");
  EXPECT_EQ(found.images[3].where, "(a_member_with_a_long_name.o):.nv_fatbin[3]");
  EXPECT_EQ(found.images[3].target, "sm_75");
  EXPECT_EQ(found.ptx_count(), 3u);
}

TEST(EmbeddedPtx, FamilyTargetAndLtoCode) {
  Extraction found = extracted(sample("family.fatbin"));
  ASSERT_EQ(found.images.size(), 2u);
  EXPECT_EQ(found.images[0].target, "sm_100f");
  EXPECT_NE(found.images[0].ptx.find(".target sm_100f"), std::string::npos);
  EXPECT_EQ(found.images[1].kind, ImageKind::kLtoIr);
  EXPECT_TRUE(found.images[1].ptx.empty());
}

TEST(EmbeddedPtx, DebugImageKeepsSourceNameAndOptions) {
  Extraction found = extracted(sample("debug.fatbin"));
  ASSERT_EQ(found.ptx_count(), 1u);
  EXPECT_EQ(found.images[1].identifier, "saxpy.cu");
  EXPECT_NE(found.images[1].options.find("-g"), std::string::npos);
}

TEST(EmbeddedPtx, CubinDebugSection) {
  Extraction found = extracted(sample("debug.cubin"));
  EXPECT_EQ(found.kind, FileKind::kCubin);
  ASSERT_EQ(found.ptx_count(), 1u);
  const EmbeddedImage& image = found.images[1];
  EXPECT_EQ(image.where, ":.nv_debug_ptx_txt[1]");
  EXPECT_EQ(image.target, "sm_80");
  EXPECT_EQ(image.version, 90);
  EXPECT_NE(image.ptx.find("\n.target sm_80, debug\n"), std::string::npos);
}

TEST(ReadPtxInputs, FilesWithoutPtxSaySoPlainly) {
  auto message = [](const char* name) {
    auto inputs = read_ptx_inputs(sample_path(name));
    EXPECT_FALSE(inputs.ok()) << name;
    if (inputs.ok()) return std::string();
    EXPECT_EQ(inputs.error().kind, ErrorKind::kInput);
    std::string prefix = sample_path(name) + ": ";
    EXPECT_EQ(inputs.error().message.substr(0, prefix.size()), prefix);
    return inputs.error().message.substr(prefix.size());
  };
  EXPECT_EQ(message("saxpy.cubin"), "no PTX in this cubin with machine code for sm_80");
  EXPECT_EQ(message("code_only.fatbin"), "no PTX in this fat binary with machine code for sm_80");
  EXPECT_EQ(message("no_device_code.o"), "no PTX in this ELF file without device code");
}

TEST(ReadPtxInputs, TextAndBinary) {
  auto binary = read_ptx_inputs(sample_path("zstd.fatbin"));
  ASSERT_TRUE(binary.ok());
  ASSERT_EQ(binary->size(), 2u);
  EXPECT_EQ((*binary)[0].label, sample_path("zstd.fatbin") + "[1] (sm_80)");
  EXPECT_EQ((*binary)[0].text, expected_ptx("sm_80"));
  auto text = read_ptx_inputs(sample_path("calls.ptx"));
  ASSERT_TRUE(text.ok());
  ASSERT_EQ(text->size(), 1u);
  EXPECT_EQ((*text)[0].label, sample_path("calls.ptx"));
  EXPECT_EQ((*text)[0].text, sample("calls.ptx"));
  // Text that is no PTX is for the verifier to complain about.
  auto source = read_ptx_inputs(sample_path("saxpy.cu"));
  ASSERT_TRUE(source.ok());
  EXPECT_EQ((*source)[0].text, sample("saxpy.cu"));
  EXPECT_FALSE(read_ptx_inputs(sample_path("no-such-file")).ok());
}

TEST(EmbeddedPtx, FatbinInsideAnUnknownContainer) {
  std::string bytes =
      std::string("MZ\0\0 some other container", 25) + sample("lz4.fatbin") + "tail";
  Extraction found = extracted(bytes);
  EXPECT_EQ(found.kind, FileKind::kUnknown);
  EXPECT_EQ(found.ptx_count(), 2u);
  EXPECT_FALSE(extract(std::string("\0\1\2\3", 4)).ok());
  EXPECT_FALSE(extract("").ok());
}

TEST(EmbeddedPtx, SeveralFatbinsInARow) {
  Extraction found = extracted(sample("zstd.fatbin") + sample("plain.fatbin"));
  EXPECT_EQ(found.ptx_count(), 4u);
}

TEST(EmbeddedPtx, CutOffFilesKeepWhatIsWhole) {
  std::string whole = sample("plain.fatbin");
  Extraction found = extracted(whole.substr(0, whole.size() - 100));
  EXPECT_EQ(found.ptx_count(), 1u);
  EXPECT_FALSE(found.problems.empty());
  EXPECT_EQ(found.images.size(), 2u);
}

TEST(EmbeddedPtx, LimitsAreKept) {
  std::string bytes = sample("zstd.fatbin");
  auto small = extract(bytes, {.image_bytes = 100});
  ASSERT_TRUE(small.ok());
  EXPECT_EQ(small->ptx_count(), 0u);
  EXPECT_NE(small->images[1].problem.find("over the limit"), std::string::npos);
  uint64_t one = expected_ptx("sm_80").size();
  auto first = extract(bytes, {.total_bytes = one + 10});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->ptx_count(), 1u);
  auto few = extract(bytes, {.images = 2});
  ASSERT_TRUE(few.ok());
  EXPECT_EQ(few->images.size(), 2u);
  EXPECT_FALSE(few->problems.empty());
}

// An entry that claims to expand to far more than its bytes can hold costs no memory.
TEST(EmbeddedPtx, FalseSizesAreRefused) {
  for (const char* name : {"lz4.fatbin", "zstd.fatbin"}) {
    std::string bytes = sample(name);
    auto fatbin = read_fatbin(bytes);
    ASSERT_TRUE(fatbin.ok());
    FatbinEntry entry = fatbin->entries[1];
    for (uint64_t claimed : {entry.size - 1, entry.size + 1, uint64_t{200} << 20}) {
      entry.size = claimed;
      EXPECT_FALSE(entry_image(entry, uint64_t{1} << 40).ok()) << name << " " << claimed;
    }
    entry.size = ~uint64_t{0};
    EXPECT_FALSE(entry_image(entry, uint64_t{1} << 30).ok());
  }
}

// Every truncation, and many random edits: nothing but results or errors. Sanitizer builds watch.
TEST(EmbeddedPtx, DamagedFilesDoNoHarm) {
  ExtractLimits limits{.image_bytes = 1 << 20, .total_bytes = 4 << 20, .images = 1000};
  std::mt19937 random(7);
  size_t survived = 0;
  for (const char* name : {"zstd.fatbin", "lz4.fatbin", "saxpy.o", "library.a", "debug.cubin"}) {
    std::string whole = sample(name);
    for (size_t size = 0; size < whole.size(); size += 1 + whole.size() / 400) {
      auto result = extract(whole.substr(0, size), limits);
      if (result.ok()) survived += result->ptx_count();
    }
    for (int round = 0; round < 400; ++round) {
      std::string bytes = whole;
      for (int edit = 0; edit < 4; ++edit) {
        static constexpr char kValues[] = {'\x00', '\x01', '\x7f', '\x80', '\xff'};
        // Half of the edits go into the headers at the start.
        size_t range = edit % 2 == 0 ? std::min<size_t>(bytes.size(), 256) : bytes.size();
        bytes[random() % range] = kValues[random() % std::size(kValues)];
      }
      auto result = extract(bytes, limits);
      if (result.ok()) survived += result->ptx_count();
    }
  }
  EXPECT_GT(survived, 100u);  // the edits are mild enough to reach the depths
}

TEST(Elf, CubinTargetAndCode) {
  std::string bytes = sample("saxpy.cubin");
  auto file = read_elf(bytes);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->is_cubin());
  EXPECT_EQ(file->sm(), 80u);
  auto code = code_sections(*file);
  ASSERT_EQ(code.size(), 1u);
  EXPECT_EQ(code[0].function, "saxpy");
  EXPECT_GT(code[0].bytes, 0u);
  EXPECT_EQ(code[0].bytes % 128, 0u);
  ElfFile older;
  older.machine = 190;
  older.abi_version = 7;
  older.flags = 0x5a0d5a;
  EXPECT_EQ(older.sm(), 90u);
}

TEST(Elf, RefusesOtherFormats) {
  std::string bytes = sample("saxpy.cubin");
  EXPECT_FALSE(read_elf("").ok());
  EXPECT_FALSE(read_elf(bytes.substr(0, 40)).ok());
  std::string narrow = bytes;
  narrow[4] = 1;
  EXPECT_FALSE(read_elf(narrow).ok());
  std::string big = bytes;
  big[5] = 2;
  EXPECT_FALSE(read_elf(big).ok());
  std::string far = bytes;
  far[47] = '\x7f';
  EXPECT_FALSE(read_elf(far).ok());
}

TEST(Archive, NamesOfAllKinds) {
  auto header = [](std::string name, size_t size) {
    name.resize(16, ' ');
    std::string number = std::to_string(size);
    number.resize(10, ' ');
    return name + std::string(32, '0') + number + "`\n";
  };
  std::string bytes = "!<arch>\n" + header("//", 20) + "a_very_long_name.o/\n" + header("/0", 3) +
                      "abc\n" + header("short.o/", 2) + "de" + header("#1/8", 11) +
                      "bsd_nameXYZ\n" + header("/99", 1) + "f\n";
  auto members = read_archive(bytes);
  ASSERT_TRUE(members.ok());
  ASSERT_EQ(members->size(), 4u);
  EXPECT_EQ((*members)[0].name, "a_very_long_name.o");
  EXPECT_EQ((*members)[0].data, "abc");
  EXPECT_EQ((*members)[1].name, "short.o");
  EXPECT_EQ((*members)[2].name, "bsd_name");
  EXPECT_EQ((*members)[2].data, "XYZ");
  EXPECT_EQ((*members)[3].data, "f");
  EXPECT_FALSE(read_archive("!<thin>\n").ok());
  EXPECT_FALSE(read_archive("nothing").ok());
}

}  // namespace
}  // namespace pitot::toolchain
