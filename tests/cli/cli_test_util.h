// Runs the built program as a user does, in a folder of its own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/file.h"
#include "toolchain/subprocess.h"

namespace pitot::cli::test {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("pitot-" + std::to_string(::getpid()) + "-" + info->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  toolchain::ProcessResult pitot(std::vector<std::string> arguments, std::string_view input = {}) {
    arguments.insert(arguments.begin(), PITOT_PROGRAM);
    toolchain::ProcessOptions options;
    options.directory = folder_.string();
    options.input = input;
    auto r = toolchain::run_process(arguments, options);
    EXPECT_TRUE(r.ok());
    return r ? *r : toolchain::ProcessResult{};
  }

  // A file in the test's folder; its path.
  std::string file(const std::string& name, std::string_view text) {
    const std::string path = (folder_ / name).string();
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    EXPECT_TRUE(write_file(path, text).ok());
    return path;
  }
  std::string text_of(const std::string& name) {
    auto text = read_file((folder_ / name).string());
    EXPECT_TRUE(text.ok()) << name;
    return text ? *text : std::string();
  }

  std::filesystem::path folder_;
};

inline std::string kernels() { return PITOT_SOURCE_DIR "/kernels/"; }

// `k(p, n)`: thread i of 32 writes to p[i], when i < n, the float that the body leaves in %f0.
inline std::string kernel_text(const std::string& body, const std::string& target = "sm_80") {
  return ".version 8.0\n.target " + target +
         "\n.address_size 64\n"
         ".visible .entry k(.param .u64 k_p, .param .u32 k_n)\n.reqntid 32\n{\n"
         ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.reg .f32 %f<4>;\n"
         "ld.param.u64 %rd0, [k_p];\nld.param.u32 %r0, [k_n];\nmov.u32 %r1, %tid.x;\n"
         "setp.ge.u32 %p0, %r1, %r0;\n@%p0 ret;\nmad.wide.u32 %rd1, %r1, 4, %rd0;\n" +
         body + "st.global.f32 [%rd1], %f0;\nret;\n}\n";
}

// A spec for it.
inline std::string spec_text(const std::string& launch = "grid = 1\nblock = 32\n",
                             const std::string& buffer = "count = \"n\"\nrole = \"inout\"\n",
                             const std::string& scalar = "n", const std::string& more = "") {
  return "schema = \"pitot.kernel/1\"\nptx = \"k.ptx\"\nentry = \"k\"\n[launch]\n" + launch +
         "[[sizes]]\nkind = \"full\"\nn = 32\n[[sizes]]\nkind = \"boundary\"\nn = 5\n"
         "[[args]]\nname = \"p\"\nkind = \"buffer\"\ntype = \"f32\"\n" +
         buffer + "[[args]]\nname = \"n\"\nkind = \"scalar\"\ntype = \"u32\"\nvalue = \"" + scalar +
         "\"\n" + more;
}

inline std::string first_key(const std::string& json) {
  const size_t begin = json.find('"');
  return begin == json.npos ? "" : json.substr(begin + 1, json.find('"', begin + 1) - begin - 1);
}

}  // namespace pitot::cli::test
