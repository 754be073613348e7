// Kernel specs between processes of the program: all of what running and measuring looks at.
#pragma once

#include "device/spec.h"
#include "support/archive.h"

namespace pitot::emulator {

template <class A>
void fields(A& a, TexelFormat& x) {
  a(x.kind, x.bits, x.channels);
}

}  // namespace pitot::emulator

namespace pitot::device {

template <class A>
void fields(A& a, ImageSpec& x) {
  a(x.kind, x.shape, x.format, x.width, x.height, x.depth, x.layers, x.levels, x.samples, x.pitch,
    x.filter, x.level_filter, x.address, x.normalized, x.border, x.level_bias, x.least_level,
    x.most_level);
}
template <class A>
void fields(A& a, TensorMapSpec& x) {
  a(x.of, x.size, x.stride, x.box, x.step, x.lower, x.upper, x.channels, x.pixels, x.swizzle,
    x.atomicity, x.fill);
}
template <class A>
void fields(A& a, ArgumentSpec& x) {
  a(x.name, x.is_buffer, x.type, x.count, x.init, x.origin, x.role, x.align, x.value, x.image,
    x.map, x.line);
}
template <class A>
void fields(A& a, SizeSpec& x) {
  a(x.kind, x.values);
}
template <class A>
void fields(A& a, OracleSpec& x) {
  a(x.ptx, x.entry);
}
template <class A>
void fields(A& a, KernelSpec& x) {
  a(x.path, x.ptx, x.entry, x.grid, x.block, x.cluster, x.shared, x.shared_of, x.cooperative,
    x.grid_line, x.block_line, x.cluster_line, x.shared_line, x.sizes, x.arguments, x.references,
    x.rtol, x.atol, x.has_tolerance, x.oracle);
}

}  // namespace pitot::device
