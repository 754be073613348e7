// Clusters: ranks, memory of the other blocks, barriers; and instructions that only have to run.
#include <fmt/format.h>

#include "emulate.h"
#include "kernel_builder.h"
#include "operand_values.h"

namespace pitot::conformance {
namespace {

using ptx::Type;

void keep_program(Case&& c, Cases& out) {
  if (const auto without = uncovered_in(c); !without.empty()) {
    out.uncovered.insert(without.begin(), without.end());
    return;
  }
  out.programs.push_back(std::move(c));
}

void neighbours(uint64_t seed, Cases& out) {
  Random r(seed);
  for (uint32_t size : {1u, 2u, 4u, 8u})
    for (uint32_t n = 0; n < 6; ++n) {
      KernelBuilder b("cluster", fmt::format("cluster-{}-{}", size, n), 64, 16);
      b.cluster(size);
      b.declare(
          ".shared .align 16 .b8 own[4096];\n.reg .b32 %sa, %ra, %rank, %peer, %x;\n"
          ".reg .b64 %ga, %pa;\n.reg .pred %q;");
      b.line(
          "mov.u32 %sa, own;\nmad.lo.u32 %sa, %ti, 32, %sa;\nmov.u32 %rank, %cluster_ctarank;\n"
          "cvt.u64.u32 %ga, %sa;\ncvta.shared.u64 %ga, %ga;");
      constexpr const char* kSpecial[] = {"clusterid.x",      "nclusterid.x",    "cluster_ctaid.x",
                                          "cluster_nctaid.x", "cluster_ctarank", "cluster_nctarank",
                                          "ctaid.x",          "nctaid.x"};
      for (const char* name : kSpecial) {
        Field f;
        f.spelling = std::string("mov %") + name;
        const std::string d = b.fresh(32);
        f.line = fmt::format("mov.u32 {}, %{};", d, name);
        b.line(f.line);
        b.output(f, d, 32);
      }
      Field explicit_field;
      explicit_field.spelling = "mov %is_explicit_cluster";
      explicit_field.line = "mov.pred %q, %is_explicit_cluster;";
      b.line(explicit_field.line);
      if (size > 1) b.output(explicit_field, "%q", 1);
      constexpr const char* kArrive[] = {"barrier.cluster.arrive", "barrier.cluster.arrive.aligned",
                                         "barrier.cluster.arrive.release",
                                         "barrier.cluster.arrive.release.aligned"};
      constexpr const char* kWait[] = {"barrier.cluster.wait", "barrier.cluster.wait.aligned",
                                       "barrier.cluster.wait.acquire",
                                       "barrier.cluster.wait.acquire.aligned"};
      for (uint32_t round = 0; round < 4; ++round) {
        for (unsigned k = 0; k < 32; k += 8)
          b.line(fmt::format("st.shared.b64 [%sa+{}], {};", k,
                             b.input(64, [&](uint32_t) { return r.next(); })));
        b.line(fmt::format("{};\n{};", r.of(kArrive), r.of(kWait)));
        // A neighbour by an offset of its own for every thread.
        const std::string by = b.input(32, [&](uint32_t) { return r.below(size); });
        b.line(
            fmt::format("add.u32 %peer, %rank, {};\nrem.u32 %peer, %peer, {};\n"
                        "mapa.shared::cluster.u32 %ra, %sa, %peer;\nmapa.u64 %pa, %ga, %peer;",
                        by, size));
        const auto result = [&](const std::string& spelling, const std::string& operands,
                                const std::string& reg, unsigned bits) {
          Field f;
          f.spelling = spelling;
          f.line = spelling + " " + operands + ";";
          b.line(f.line);
          b.output(f, reg, bits);
        };
        std::string d = b.fresh(32);
        result("getctarank.shared::cluster.u32", d + ", %ra", d, 32);
        d = b.fresh(32);
        result("getctarank.u64", d + ", %pa", d, 32);
        d = b.fresh(64);
        result("ld.shared::cluster.b64", d + ", [%ra]", d, 64);
        d = b.fresh(32);
        result("ld.b32", d + ", [%pa+12]", d, 32);
        d = b.fresh(64);
        result("ld.relaxed.cluster.shared::cluster.b64", d + ", [%ra+8]", d, 64);
        const std::string p = b.fresh(1);
        result("isspacep.shared::cluster", p + ", %pa", p, 1);
        const std::string p2 = b.fresh(1);
        result("isspacep.shared::cta", p2 + ", %ga", p2, 1);
        b.line("barrier.cluster.arrive;\nbarrier.cluster.wait;");
        // One thread of each block on a word of one block: sums do not depend on the order.
        b.line(
            fmt::format("mov.u32 %x, own;\nmapa.shared::cluster.u32 %ra, %x, {};", r.below(size)));
        constexpr const char* kOps[] = {"add.u32", "xor.b32", "max.u32",
                                        "min.s32", "and.b32", "or.b32"};
        const std::string op = r.of(kOps);
        b.line(fmt::format("{}.shared::cluster.{} [%ra+16], {};", "red", op,
                           b.input(32, [&](uint32_t) { return r.next(); })));
        b.line("barrier.cluster.arrive;\nbarrier.cluster.wait;");
        d = b.fresh(32);
        result("ld.shared::cluster.b32", d + ", [%ra+16]", d, 32);
        b.line("barrier.cluster.arrive;\nbarrier.cluster.wait;");
      }
      keep_program(b.finish(), out);
    }
}

// Fences, hints and waits: what counts is that they run and leave memory alone.
void hints(uint64_t seed, Cases& out) {
  Random r(seed);
  constexpr const char* kAll[] = {"membar.cta",
                                  "membar.gl",
                                  "membar.sys",
                                  "fence.sc.cta",
                                  "fence.sc.cluster",
                                  "fence.sc.gpu",
                                  "fence.sc.sys",
                                  "fence.acq_rel.cta",
                                  "fence.acq_rel.cluster",
                                  "fence.acq_rel.gpu",
                                  "fence.acq_rel.sys",
                                  "fence.acquire.gpu",
                                  "fence.release.gpu",
                                  "fence.proxy.alias",
                                  "fence.proxy.async",
                                  "fence.proxy.async.global",
                                  "fence.proxy.async.shared::cta",
                                  "fence.proxy.async.shared::cluster",
                                  "fence.mbarrier_init.release.cluster",
                                  "griddepcontrol.wait",
                                  "griddepcontrol.launch_dependents",
                                  "nanosleep.u32 20",
                                  "bar.warp.sync 0xffffffff",
                                  "prefetch.global.L1 [%i]",
                                  "prefetch.global.L2 [%i]",
                                  "prefetch.L1 [%i]",
                                  "prefetchu.L1 [%i]",
                                  "prefetch.global.L2::evict_last [%i]",
                                  "applypriority.global.L2::evict_normal [%pa], 128",
                                  "pmevent 3",
                                  "cp.async.wait_all",
                                  "cp.async.bulk.commit_group",
                                  "cp.async.bulk.wait_group 0",
                                  "cp.async.bulk.wait_group.read 0"};
  KernelBuilder b("cluster", "hints", 64, 2);
  b.declare(".reg .b64 %pa;");
  b.line("and.b64 %pa, %i, -128;");
  for (const char* text : kAll) {
    const std::string line = text;
    const std::string v = b.input(32, [&](uint32_t) { return r.next(); });
    b.line(line + ";");
    Field f;
    f.spelling = line.substr(0, line.find(' '));
    f.line = line + ";";
    b.output(f, v, 32);
  }
  keep_program(b.finish(), out);
}

}  // namespace

void cluster_cases(uint64_t seed, Cases& out) {
  Random r(seed);
  neighbours(r.next(), out);
  hints(r.next(), out);
}

}  // namespace pitot::conformance
