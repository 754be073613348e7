// Control-flow graphs of PTX, and the encoder of them, by hand.
#include "knobs/graph_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "knobs/trained_policy.h"
#include "ptx/parser.h"

namespace pitot::knobs {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using Edge = std::pair<uint32_t, uint32_t>;

ControlGraph graph_of(const std::string& body) {
  const ptx::Module m = ptx::parse(
      "k.ptx",
      ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n"
      ".shared .align 4 .b8 s[22800];\n" +
          body + "\n}\n");
  EXPECT_EQ(m.diagnostics.errors(), 0u);
  auto g = control_graph(m, *m.find_function("k"));
  EXPECT_TRUE(g.ok());
  return g ? *g : ControlGraph{};
}

const char* const kLoop = R"(
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, s;
  mov.f32 %f1, 0f00000000;
LOOP:
  ld.global.f32 %f2, [%rd1];
  fma.rn.f32 %f1, %f2, %f2, %f1;
  add.s64 %rd1, %rd1, 4;
  setp.lt.f32 %p1, %f1, %f2;
  @%p1 bra LOOP;
  mul.f32 %f1, %f1, %f2;
  st.shared.f32 [%r1], %f1;
  bar.sync 0;
  cvt.rzi.s32.f32 %r2, %f1;
  @%p1 bra END;
  st.global.u32 [%rd1], %r2;
END:
  ret;)";

TEST(ControlGraph, APredicatedBranchEndsItsBlockAndHasTwoSuccessors) {
  const ControlGraph g = graph_of(kLoop);
  ASSERT_EQ(g.blocks.size(), 5u);
  EXPECT_THAT(g.edges, UnorderedElementsAre(Edge{0, 1}, Edge{1, 1}, Edge{1, 2}, Edge{2, 3},
                                            Edge{2, 4}, Edge{3, 4}));
  // instructions, loads, stores, fma, add, mul, branches, sync, cvt, mov; no parameters.
  EXPECT_THAT(g.blocks[0], ElementsAre(3, 0, 0, 0, 0, 0, 0, 0, 0, 2));
  EXPECT_THAT(g.blocks[1], ElementsAre(5, 1, 0, 1, 1, 0, 1, 0, 0, 0));
  EXPECT_THAT(g.blocks[2], ElementsAre(5, 0, 1, 0, 0, 1, 1, 1, 1, 0));
  EXPECT_THAT(g.blocks[3], ElementsAre(1, 0, 1, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_NEAR(g.kernel[1], 22800.0 / (228 * 1024), 1e-6);
  EXPECT_NEAR(g.kernel[2], 4.0 / 5, 1e-6);  // 12 other instructions over 3 memory operations
  EXPECT_NEAR(g.kernel[3], std::log(2) / 8, 1e-6);
  EXPECT_NEAR(g.kernel[4], std::log(16) / 8, 1e-6);
}

TEST(ControlGraph, AGuardWithoutABranchEndsNothing) {
  EXPECT_EQ(graph_of("mov.u32 %r1, 1;\n@%p1 mov.u32 %r1, 2;\nret;").blocks.size(), 1u);
}

TEST(ControlGraph, AKernelWithoutInstructionsIsRefused) {
  const ptx::Module m = ptx::parse(
      "k.ptx", ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n}\n");
  EXPECT_FALSE(control_graph(m, *m.find_function("k")).ok());
}

// Degrees with self-loops: 2, 3, 2, 1. Edges count once, whatever their directions.
TEST(GraphEncoder, AdjacencyIsSymmetricNormalisedWithSelfLoops) {
  ControlGraph g;
  g.blocks.resize(4);
  g.edges = {{0, 1}, {1, 0}, {2, 1}, {3, 3}};
  const float sixth = 1 / std::sqrt(6.0F), third = 1 / std::sqrt(9.0F);
  const std::vector<AdjacencyElement> wanted{{0, 0, 0.5F},  {0, 1, sixth}, {1, 0, sixth},
                                             {1, 1, third}, {1, 2, sixth}, {2, 1, sixth},
                                             {2, 2, 0.5F},  {3, 3, 1}};
  EXPECT_EQ(normalised_adjacency(g), wanted);
}

// The square of the blocks would be 40 GB.
TEST(GraphEncoder, TakesManyBlocks) {
  ControlGraph g;
  g.blocks.resize(100'000, {1, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  for (uint32_t b = 0; b + 1 < 100'000; ++b) g.edges.emplace_back(b, b + 1);
  EXPECT_EQ(normalised_adjacency(g).size(), 100'000u + 2 * 99'999);
}

std::vector<Layer> encoder_layers(float weight, float bias) {
  std::vector<Layer> out;
  for (size_t k = 0; k < kGraphLayers; ++k)
    out.push_back({kGraphInputs[k], kGraphOutputs[k],
                   std::vector<float>(kGraphInputs[k] * kGraphOutputs[k], weight),
                   std::vector<float>(kGraphOutputs[k], bias)});
  return out;
}

TEST(GraphEncoder, HasExactlyThePublishedWeights) {
  size_t weights = 0;
  for (const Layer& l : encoder_layers(0, 0)) weights += l.weight.size() + l.bias.size();
  EXPECT_EQ(weights, 18014u);
  EXPECT_EQ(GraphEncoder::weights(), 18014u);
  EXPECT_EQ(kEmbedding, 69u);
}

// Equal weights make every channel the same, so a number for each layer is enough. Two blocks in a
// chain: both rows are the mean of the two after the first convolution.
TEST(GraphEncoder, IsTheFormula) {
  const auto e = GraphEncoder::make(encoder_layers(0.01F, 0.1F));
  ASSERT_TRUE(e.ok());
  ControlGraph g;
  g.blocks = {{3, 1, 0, 0, 0, 0, 1, 0, 0, 1}, {2, 0, 1, 1, 0, 0, 0, 0, 0, 0}};
  g.edges = {{0, 1}};
  g.kernel = {0.1F, 0.2F, 0.3F, 0.4F, 0.5F};
  const double first = std::log(4) + 3 * std::log(2), second = std::log(3) + 2 * std::log(2);
  double x = 0.01 * (first + second) / 2 + 0.1;
  x = 0.64 * x + 0.1;
  x = 0.64 * x + 0.1;
  x = 0.64 * x + 0.1;               // the mean is the same, and the dense layer
  x = 0.64 * x + 0.01 * 1.5 + 0.1;  // with the kernel's features
  const auto out = e->encode(g);
  ASSERT_EQ(out.size(), 69u);
  for (const float v : out) EXPECT_NEAR(v, x, 1e-5);
}

TEST(GraphEncoder, OtherShapesAreRefused) {
  auto layers = encoder_layers(0, 0);
  layers.pop_back();
  EXPECT_FALSE(GraphEncoder::make(layers).ok());
  layers = encoder_layers(0, 0);
  std::swap(layers[0], layers[1]);
  EXPECT_FALSE(GraphEncoder::make(layers).ok());
}

TEST(GraphEncoder, IsPartOfAPolicysFile) {
  TrainedPolicy p;
  p.kernels = {"k"};
  p.knobs = {{"block_size", {64, 128}}, {"reg_cap", {0}}};
  p.states = false;
  const size_t inputs = 1 + 2 + 4 + kEmbedding;
  p.network =
      *TanhNetwork::make({{inputs, 3, std::vector<float>(3 * inputs, 0.01F), {0, 1, 0.3F}}});
  p.encoder = *GraphEncoder::make(encoder_layers(0.01F, 0.1F));
  p.graphs = {graph_of(kLoop)};
  const std::string text = trained_policy_json(p);
  const auto back = read_trained_policy(text, "p");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(trained_policy_json(*back), text);
  const std::vector<float> seen{1, 0, 0, 0, 0, 0, 0};
  const auto a = PolicyLogits(p)(seen), b = PolicyLogits(*back)(seen);
  EXPECT_EQ(a, b);
  const auto embedding = p.encoder.encode(p.graphs[0]);
  double sum = 0.01;
  for (const float v : embedding) sum += 0.01 * v;
  EXPECT_NEAR(a[1], 1 + sum, 1e-5);
  std::string bad = text;
  bad.replace(bad.find("\"edges\":[[0,1]"), 14, "\"edges\":[[0,9]");
  EXPECT_THAT(read_trained_policy(bad, "p").error().message, testing::HasSubstr("not there"));
}

}  // namespace
}  // namespace pitot::knobs
