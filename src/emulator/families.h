// The families of operations, in the order in which they are asked.
#pragma once

#include "emulator/select.h"

namespace pitot::emulator {

bool select_integer(Selection& s);         // integer arithmetic, and, or, xor, not
bool select_bits(Selection& s);            // shifts, lop3, prmt, bfe, bfi, counts of bits
bool select_move(Selection& s);            // mov, selp, cvta, isspacep, special registers
bool select_compare(Selection& s);         // setp, set, slct
bool select_memory(Selection& s);          // ld, st, prefetch
bool select_barrier(Selection& s);         // bar, barrier, fences, nanosleep
bool select_warp(Selection& s);            // shfl, vote, match, redux, elect, activemask
bool select_atomic(Selection& s);          // atom, red
bool select_matrix_move(Selection& s);     // ldmatrix, stmatrix, movmatrix
bool select_matrix_bytes(Selection& s);    // ldmatrix, stmatrix of 8 bits and less
bool select_mma(Selection& s);             // mma
bool select_float(Selection& s);           // f32, f32x2, f64: add … sqrt
bool select_float_bits(Selection& s);      // min, max, abs, neg, copysign, testp
bool select_convert(Selection& s);         // cvt
bool select_video(Selection& s);           // vadd, vset, vmad, vadd2, vadd4 …
bool select_packed(Selection& s);          // u16x2 … s8x4, lop3 with a predicate, cvt.pack
bool select_wgmma(Selection& s);           // wgmma
bool select_tcgen05(Selection& s);         // tcgen05
bool select_wmma(Selection& s);            // wmma
bool select_mbarrier(Selection& s);        // mbarrier
bool select_async(Selection& s);           // cp.async, groups of copies
bool select_bulk(Selection& s);            // cp.async.bulk, cp.reduce.async.bulk
bool select_async_store(Selection& s);     // st.async, red.async, st.bulk
bool select_tensor(Selection& s);          // cp.async.bulk.tensor, tensormap
bool select_cluster(Selection& s);         // mapa, getctarank, barrier.cluster
bool select_stack(Selection& s);           // alloca, stacksave, stackrestore
bool select_hint(Selection& s);            // createpolicy, discard, fns
bool select_convert_packed(Selection& s);  // cvt of pairs
bool select_convert_scaled(Selection& s);  // cvt of s2f6, with scale factors, with random bits
bool select_half(Selection& s);  // f16, bf16 and pairs: add … fma, min, max; mixed with f32
bool select_half_compare(Selection& s);    // setp, set with halves
bool select_sfu(Selection& s);             // .approx functions
bool select_multimem(Selection& s);        // multimem.ld_reduce, .st
bool select_launch_control(Selection& s);  // clusterlaunchcontrol
bool select_texture(Selection& s);         // tex, tld4
bool select_texture_query(Selection& s);   // txq, suq, istypep
bool select_surface(Selection& s);         // suld, sust, sured

}  // namespace pitot::emulator
