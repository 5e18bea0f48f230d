// What native code shares: vectors, blocks of matrix products, and how XLA calls.

#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "xla/ffi/api/c_api.h"

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#define INLINE static inline __attribute__((always_inline))

#ifdef SINGLE
typedef float real;
typedef int32_t whole;
#else
typedef double real;
typedef int64_t whole;
#endif
typedef real Vector __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef real Anywhere __attribute__((vector_size(VECTOR_BYTES), may_alias, aligned(sizeof(real))));  // in memory
typedef whole Bits __attribute__((vector_size(VECTOR_BYTES), may_alias));

namespace {

constexpr int LANES = VECTOR_BYTES / sizeof(real);
constexpr int ROWS = 5;                                  // of a block of a matrix product,
constexpr int ACROSS = VECTOR_BYTES == 64 ? 4 : 2;       // and its vectors: as many sums as there are registers for
constexpr int STEP = LANES * ACROSS;                     // a tile's points are a multiple of this

INLINE Vector load(const real* p) { return *reinterpret_cast<const Anywhere*>(p); }
INLINE void store(real* p, Vector v) { *reinterpret_cast<Anywhere*>(p) = v; }

// A block of out = scale·out + W X: `rows` rows of W, with strides of W's rows and columns, by ACROSS vectors. Without
// a scale, what was in out is not read.
template <int rows, bool scaled = false>
INLINE void multiply_block(const real* W, int64_t down, int64_t right, const real* X, real* out, int inner, int64_t span,
                           real scale = 0) {
  Vector sums[rows][ACROSS] = {};
  for (int i = 0; i < inner; ++i) {
    Vector x[ACROSS];
#pragma GCC unroll 8
    for (int j = 0; j < ACROSS; ++j) x[j] = load(X + i * span + j * LANES);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      const real w = W[r * down + i * right];
#pragma GCC unroll 8
      for (int j = 0; j < ACROSS; ++j) sums[r][j] += w * x[j];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 8
    for (int j = 0; j < ACROSS; ++j) {
      real* const at = out + r * span + j * LANES;
      store(at, scaled ? scale * load(at) + sums[r][j] : sums[r][j]);
    }
}

// XLA asks a handler once what it was made for, and then calls it at every stage of a program.
bool is_call(XLA_FFI_CallFrame* frame) {
  for (XLA_FFI_Extension_Base* e = frame->extension_start; e; e = e->next)
    if (e->type == XLA_FFI_Extension_Metadata) {
      XLA_FFI_Metadata* metadata = reinterpret_cast<XLA_FFI_Metadata_Extension*>(e)->metadata;
      metadata->api_version.major_version = XLA_FFI_API_MAJOR;
      metadata->api_version.minor_version = XLA_FFI_API_MINOR;
      metadata->traits = 0;
      return false;
    }
  return frame->stage == XLA_FFI_ExecutionStage_EXECUTE;
}

const XLA_FFI_Buffer& argument(XLA_FFI_CallFrame* frame, int k) {
  return *static_cast<XLA_FFI_Buffer*>(frame->args.args[k]);
}
template <class T = const real>
T* data(XLA_FFI_CallFrame* frame, int k) { return static_cast<T*>(argument(frame, k).data); }
real* result(XLA_FFI_CallFrame* frame, int k) {
  return static_cast<real*>(static_cast<XLA_FFI_Buffer*>(frame->rets.rets[k])->data);
}

}  // namespace
