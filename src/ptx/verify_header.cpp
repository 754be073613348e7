// The module's header: versions and targets that exist and go together.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/target_table.h"
#include "ptx/verify_context.h"

namespace pitot::ptx {
namespace {

void verify_version(VerifyContext& ctx) {
  const Module& m = ctx.module;
  if (m.version == 0) return;  // missing: the parser's matter
  if (!version_exists(m.version)) {
    ctx.out.error(
        "unknown-version", m.version_range,
        fmt::format("there is no PTX ISA version {}", version_text(m.version)),
        fmt::format("the newest version checked here is {}", version_text(kNewestVersion)));
  } else if (m.version > kNewestVersion) {
    ctx.out.warning("newer-version", m.version_range,
                    fmt::format("PTX ISA {} is newer than {}, the newest that the rules here were "
                                "compared with",
                                version_text(m.version), version_text(kNewestVersion)),
                    "ptxas 13.0 does not take it");
  }
}

void verify_options(VerifyContext& ctx) {
  const Module& m = ctx.module;
  auto range_of = [&](std::string_view name) {
    auto at = static_cast<uint32_t>(name.data() - m.text().data());
    return SourceRange{at, at + static_cast<uint32_t>(name.size())};
  };
  bool unified = false, independent = false;
  for (std::string_view name : m.targets) {
    if (target_from_name(name).sm != 0) {
      if (find_target(target_from_name(name)) == nullptr)
        ctx.out.error("unknown-target", range_of(name),
                      fmt::format("there is no target '{}'", name));
      continue;
    }
    if (name == "texmode_unified") {
      unified = true;
    } else if (name == "texmode_independent") {
      independent = true;
    } else if (name == "map_f64_to_f32") {
      if (ctx.target.sm >= 13)
        ctx.out.error("target-option", range_of(name),
                      fmt::format("map_f64_to_f32 is not supported on {}", name_of(ctx.target)),
                      "it is for targets below sm_13");
    } else if (name != "debug") {
      ctx.out.error("unknown-target", range_of(name),
                    fmt::format("'{}' is neither a target nor a target option", name));
    }
    if (unified && independent)
      ctx.out.error("target-option", range_of(name),
                    "texmode_unified and texmode_independent exclude each other");
  }
}

}  // namespace

void verify_header(VerifyContext& ctx) {
  const Module& m = ctx.module;
  verify_version(ctx);
  if (m.targets.empty()) {
    if (m.version != 0)
      ctx.out.error("missing-target", m.version_range, "no .target directive",
                    "after .version write, say, .target sm_80");
    return;
  }
  verify_options(ctx);
  if (m.target.sm == 0 && !ctx.retargeted) {
    ctx.out.error("missing-target", m.target_range, "the .target directive names no architecture",
                  "write, say, .target sm_80");
    return;
  }
  const TargetRow* own = find_target(m.target);
  if (own != nullptr && m.version != 0 && m.version < own->version)
    ctx.out.error("version-too-low", m.target_range,
                  fmt::format("{} needs PTX ISA {}; the module says {}", name_of(m.target),
                              version_text(own->version), version_text(m.version)),
                  fmt::format("raise .version to {}", version_text(own->version)));
  if (ctx.retargeted) {
    // Code for a target runs on later ones, unless it was made for one architecture or family only.
    const Need need{0, m.target.sm,
                    m.target.suffix == 'a'   ? Need::Suffix::kArchSpecific
                    : m.target.suffix == 'f' ? Need::Suffix::kFamily
                                             : Need::Suffix::kOrHigher};
    if (!satisfies(need, m.version, ctx.target))
      ctx.out.error("target-mismatch", m.target_range,
                    fmt::format("code for {} cannot be compiled for {}", name_of(m.target),
                                name_of(ctx.target)));
  }
  if (!m.address_size_range.empty() && m.version != 0 && m.version < 23)
    ctx.out.error("version-too-low", m.address_size_range, "'.address_size' needs PTX ISA 2.3",
                  "raise .version to 2.3");
}

}  // namespace pitot::ptx
