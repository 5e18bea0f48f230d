// A network's pass over points, forward and in reverse, with all Taylor coefficients.
//
// Points go in tiles that stay in the first cache. In a tile a feature is a row of COEFFICIENTS × tile numbers, so that a
// layer is one matrix product and one loop over its neurons, with the series of a neuron in registers. Forward, only the
// outputs of hidden layers are kept; products of weights are made again in reverse, which costs less than to keep them.
//
// `series.h`, made from the truncation and the network's kind (`_source.py`), says
//   real, COEFFICIENTS, QUADRATIC, BIAS_INSIDE, SHORTCUT, and the functions product, product_reverse, tanh_series, tanh_slope.

#include "common.h"

namespace {

// tanh x = -e/(2 + e) with e = exp(-2|x|) - 1, to about two units in the last place, also near zero. With n the whole
// number nearest to -2|x|/ln 2, e = 2ⁿ(exp r - 1) + (2ⁿ - 1), where |r| ≤ ln 2/2, and n is read off the last bits of a sum.
INLINE Vector tanh_of(Vector x) {
#ifdef SINGLE
  constexpr real least = -60, round = 12582912.0f, ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
  constexpr int bias = 127, shift = 23, order = 8;
#else
  constexpr real least = -700, round = 6755399441055744.0, ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  constexpr int bias = 1023, shift = 52, order = 14;
#endif
  const Vector zero = {}, sign = x < zero ? zero - 1 : zero + 1;
  Vector a = -2 * (sign * x);
  a = a < least ? zero + least : a;  // not so for NaN, which goes through
  const Vector shifted = a * real(1.44269504088896340736) + round, n = shifted - round;
  const Vector r = (a - n * ln2_high) - n * ln2_low, square = r * r;
  // (exp r - 1)/r = Σ rᵏ/(k + 1)!, even and odd powers apart, so that two sums are under way at once
  real factorial = 1;
  for (int k = 2; k < order; ++k) factorial *= k;
  Vector odd = zero + 1 / (factorial * order), even = zero + 1 / factorial;
#pragma GCC unroll 16
  for (int k = order - 2; k > 0; k -= 2) {
    factorial /= k + 1;
    odd = odd * square + 1 / factorial;
    factorial /= k;
    even = even * square + 1 / factorial;
  }
  const Vector scale = (Vector)(((Bits)shifted - (Bits)(zero + round) + bias) << shift);
  const Vector e = scale * ((odd * r + even) * r) + (scale - 1);
  return sign * (-e / (2 + e));
}

#include "series.h"

// out (outer × span) = W X, where X is (inner × span) and W's element (o, i) is at W[o·down + i·right].
template <int rows = ROWS>
void multiply(const real* W, int64_t down, int64_t right, const real* X, real* out, int outer, int inner, int64_t span) {
  int o = 0;
  for (; o + rows <= outer; o += rows)
    for (int64_t s = 0; s < span; s += STEP)
      multiply_block<rows>(W + o * down, down, right, X + s, out + o * span + s, inner, span);
  if constexpr (rows > 1)
    if (o < outer) multiply<rows - 1>(W + o * down, down, right, X, out + o * span, outer - o, inner, span);
}

// A block of sums += Z Xᵀ; each sum stays a vector, whose lanes are added up at the very end.
template <int rows, int columns>
INLINE void outer_block(const real* Z, const real* X, Vector* sums, int inner, int64_t span) {
  Vector block[rows][columns];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 8
    for (int c = 0; c < columns; ++c) block[r][c] = sums[r * inner + c];
  for (int64_t s = 0; s < span; s += LANES) {
    Vector x[columns];
#pragma GCC unroll 8
    for (int c = 0; c < columns; ++c) x[c] = load(X + c * span + s);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      const Vector z = load(Z + r * span + s);
#pragma GCC unroll 8
      for (int c = 0; c < columns; ++c) block[r][c] += z * x[c];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 8
    for (int c = 0; c < columns; ++c) sums[r * inner + c] = block[r][c];
}

// sums (outer × inner) += Z Xᵀ, where Z is (outer × span) and X is (inner × span).
template <int rows = ROWS>
void add_outer(const real* Z, const real* X, Vector* sums, int outer, int inner, int64_t span) {
  int o = 0;
  for (; o + rows <= outer; o += rows) {
    int c = 0;
    for (; c + ACROSS <= inner; c += ACROSS)
      outer_block<rows, ACROSS>(Z + o * span, X + c * span, sums + o * inner + c, inner, span);
    for (; c < inner; ++c) outer_block<rows, 1>(Z + o * span, X + c * span, sums + o * inner + c, inner, span);
  }
  if constexpr (rows > 1)
    if (o < outer) add_outer<rows - 1>(Z + o * span, X, sums + o * inner, outer - o, inner, span);
}

typedef Vector Series[COEFFICIENTS];

INLINE void get(const real* row, int64_t tile, Series series) {
  for (int k = 0; k < COEFFICIENTS; ++k) series[k] = load(row + k * tile);
}
INLINE void put(real* row, int64_t tile, const Series series) {
  for (int k = 0; k < COEFFICIENTS; ++k) store(row + k * tile, series[k]);
}

INLINE void add(Series to, const Series more) {
  for (int k = 0; k < COEFFICIENTS; ++k) to[k] += more[k];
}
INLINE void take(Series from, const Series less) {
  for (int k = 0; k < COEFFICIENTS; ++k) from[k] -= less[k];
}

// y = act(z) of a layer's neurons, from the products U of its weights: z = u1 u2 + u1 + b, or z = u + b. A shortcut goes past
// the activation: y = u1 u2 + act(u1 + b), or y = act(u + b) + x, where there is an X as wide as the layer.
template <bool active>
void neurons(const real* U, const real* bias, const real* X, real* Y, int width, int64_t tile) {
  const int64_t span = COEFFICIENTS * tile;
  for (int f = 0; f < width; ++f)
    for (int64_t t = 0; t < tile; t += LANES) {
      Series z, past;
      get(U + f * span + t, tile, z);
#if QUADRATIC
      Series b;
      get(U + (width + f) * span + t, tile, b);
      if (BIAS_INSIDE) z[0] += bias[f];
      product(z, b, past);
      if (!(SHORTCUT && active)) add(z, past);
      if (!BIAS_INSIDE) z[0] += bias[f];
#else
      z[0] += bias[f];
      if (SHORTCUT && X) get(X + f * span + t, tile, past);
#endif
      if (active) {
        Series y;
        tanh_series(z, y);
        if (SHORTCUT && (QUADRATIC || X)) add(y, past);
        put(Y + f * span + t, tile, y);
      } else {
        put(Y + f * span + t, tile, z);
      }
    }
}

// The reverse of `neurons`: from dY to dU (which takes the place of U) and the sums of dbias. What went past the activation
// is taken off Y again, so that the activation need not be kept as well.
template <bool active>
void neurons_reverse(real* U, const real* bias, const real* X, const real* Y, const real* dY, Vector* dbias, int width,
                     int64_t tile) {
  const int64_t span = COEFFICIENTS * tile;
  for (int f = 0; f < width; ++f) {
    Vector sum = dbias[f];
    for (int64_t t = 0; t < tile; t += LANES) {
      Series dy, dz;
      get(dY + f * span + t, tile, dy);
#if QUADRATIC
      Series a, b, da, db;
      get(U + f * span + t, tile, a);
      get(U + (width + f) * span + t, tile, b);
      if (BIAS_INSIDE) a[0] += bias[f];
#endif
      if (active) {
        Series y, s;
        get(Y + f * span + t, tile, y);
#if SHORTCUT
        Series past;
#if QUADRATIC
        product(a, b, past);
        take(y, past);
#else
        if (X) get(X + f * span + t, tile, past);
        if (X) take(y, past);
#endif
#endif
        tanh_slope(y, s);
        product_reverse(s, dy, dz);
      } else {
        for (int k = 0; k < COEFFICIENTS; ++k) dz[k] = dy[k];
      }
#if QUADRATIC
      const Vector* const dproduct = SHORTCUT && active ? dy : dz;
      product_reverse(b, dproduct, da);
      product_reverse(a, dproduct, db);
      add(da, dz);
      sum += BIAS_INSIDE ? da[0] : dz[0];
      put(U + f * span + t, tile, da);
      put(U + (width + f) * span + t, tile, db);
#else
      sum += dz[0];
      put(U + f * span + t, tile, dz);
#endif
    }
    dbias[f] = sum;
  }
}

// What both directions need: the widths of the layers, where their weights are, and room for a tile.
struct Pass {
  const int32_t* widths;
  int layers;
  int64_t most, points;  // of a tile; of all
  static constexpr int both = QUADRATIC ? 2 : 1;

  int in(int layer) const { return widths[layer]; }
  int out(int layer) const { return widths[layer + 1]; }
  int64_t weights(int layer) const {  // where a layer's weights begin; its biases come after them
    int64_t at = 0;
    for (int l = 0; l < layer; ++l) at += int64_t(out(l)) * (both * in(l) + 1);
    return at;
  }
  int64_t biases(int layer) const { return weights(layer) + int64_t(both) * out(layer) * in(layer); }
  int64_t widest() const {
    int most = 0;
    for (int l = 0; l <= layers; ++l) most = widths[l] > most ? widths[l] : most;
    return most;
  }
  bool skips(int layer) const {  // whether its input goes past the layer
    return SHORTCUT && !QUADRATIC && layer < layers - 1 && in(layer) == out(layer);
  }
  int64_t room() const { return widest() * COEFFICIENTS * most; }  // for the features of a tile
  int64_t tile(int64_t start) const {  // points of the tile that begins there; the last one may be smaller
    const int64_t left = (points - start + STEP - 1) / STEP * STEP;
    return left < most ? left : most;
  }
  int64_t kept(int64_t tile) const {  // numbers that forward leaves to reverse
    int64_t count = 0;
    for (int l = 1; l < layers; ++l) count += widths[l];
    return count * COEFFICIENTS * tile;
  }
};

// Rows of a tile from or to an array (rows, points); where points end within a tile, the rest is zero.
void read_tile(const real* from, int64_t points, int64_t start, int64_t rows, int64_t tile, real* to) {
  const int64_t count = points - start < tile ? points - start : tile;
  for (int64_t r = 0; r < rows; ++r) {
    std::memcpy(to + r * tile, from + r * points + start, count * sizeof(real));
    std::memset(to + r * tile + count, 0, (tile - count) * sizeof(real));
  }
}
void write_tile(const real* from, int64_t points, int64_t start, int64_t rows, int64_t tile, real* to) {
  const int64_t count = points - start < tile ? points - start : tile;
  for (int64_t r = 0; r < rows; ++r) std::memcpy(to + r * points + start, from + r * tile, count * sizeof(real));
}

// Memory that a thread keeps from call to call, at a vector's boundary.
real* scratch(int64_t count) {
  thread_local std::vector<real> room;
  if (int64_t(room.size()) < count + LANES) room.resize(count + LANES);
  const auto at = reinterpret_cast<uintptr_t>(room.data());
  return room.data() + ((VECTOR_BYTES - at % VECTOR_BYTES) % VECTOR_BYTES) / sizeof(real);
}

// Jets x, (in, COEFFICIENTS, points), to jets y, (out, COEFFICIENTS, points), and what reverse needs.
void forward(const Pass& pass, const real* theta, const real* x, real* y, real* kept) {
  const int64_t room = pass.room();
  real* const X = scratch((2 + Pass::both) * room);
  real *const U = X + room, *const Y = U + Pass::both * room;
  const int last = pass.layers - 1;
  for (int64_t start = 0, tile; start < pass.points; start += tile) {
    tile = pass.tile(start);
    const int64_t span = COEFFICIENTS * tile;
    read_tile(x, pass.points, start, int64_t(pass.in(0)) * COEFFICIENTS, tile, X);
    const real* input = X;
    for (int l = 0; l < pass.layers; ++l) {
      multiply(theta + pass.weights(l), pass.in(l), 1, input, U, Pass::both * pass.out(l), pass.in(l), span);
      if (l < last) {
        neurons<true>(U, theta + pass.biases(l), pass.skips(l) ? input : nullptr, kept, pass.out(l), tile);
        input = kept;
        kept += pass.out(l) * span;
      } else {
        neurons<false>(U, theta + pass.biases(l), nullptr, Y, pass.out(l), tile);
      }
    }
    write_tile(Y, pass.points, start, int64_t(pass.out(last)) * COEFFICIENTS, tile, y);
  }
}

// The reverse: dy to dtheta.
void reverse(const Pass& pass, const real* theta, const real* x, const real* kept, const real* dy, real* dtheta) {
  const int last = pass.layers - 1;
  const int64_t size = pass.weights(pass.layers), room = pass.room();
  real* const X = scratch((3 + Pass::both) * room + size * LANES);
  real *const U = X + room, *const dY = U + Pass::both * room, *const past = dY + room;
  Vector* const sums = reinterpret_cast<Vector*>(past + room);
  std::memset(static_cast<void*>(sums), 0, size * sizeof(Vector));
  for (int64_t start = 0, tile; start < pass.points; start += tile, kept += pass.kept(tile)) {
    tile = pass.tile(start);
    const int64_t span = COEFFICIENTS * tile;
    read_tile(x, pass.points, start, int64_t(pass.in(0)) * COEFFICIENTS, tile, X);
    read_tile(dy, pass.points, start, int64_t(pass.out(last)) * COEFFICIENTS, tile, dY);
    const real* output = kept + pass.kept(tile);  // of a layer: all hidden ones stand in a row
    for (int l = last; l >= 0; --l) {
      const int in = pass.in(l), out = pass.out(l), rows = Pass::both * out;
      const real *const W = theta + pass.weights(l), *const bias = theta + pass.biases(l);
      const real *const Y = output, *const input = l > 0 ? output - in * span : X;
      Vector* const dbias = sums + pass.biases(l);
      if (QUADRATIC) multiply(W, in, 1, input, U, rows, in, span);
      if (l < last) neurons_reverse<true>(U, bias, pass.skips(l) ? input : nullptr, Y, dY, dbias, out, tile);
      else neurons_reverse<false>(U, bias, nullptr, Y, dY, dbias, out, tile);
      add_outer(U, input, sums + pass.weights(l), rows, in, span);
      if (pass.skips(l)) std::memcpy(past, dY, in * span * sizeof(real));
      if (l > 0) multiply(W, 1, in, U, dY, in, rows, span);
      if (pass.skips(l))
        for (int64_t i = 0; i < in * span; ++i) dY[i] += past[i];
      output = input;
    }
  }
  for (int64_t i = 0; i < size; ++i) {
    real sum = 0;
    for (int lane = 0; lane < LANES; ++lane) sum += sums[i][lane];
    dtheta[i] = sum;
  }
}

// Arguments begin with the tile's points and the widths of the layers, then theta and x.
Pass pass_of(XLA_FFI_CallFrame* frame) {
  const XLA_FFI_Buffer &sizes = argument(frame, 0), &x = argument(frame, 2);
  const int32_t* numbers = static_cast<const int32_t*>(sizes.data);
  return {numbers + 1, int(sizes.dims[0]) - 2, numbers[0], x.dims[x.rank - 1]};
}

}  // namespace

extern "C" XLA_FFI_Error* qres_forward(XLA_FFI_CallFrame* frame) {
  if (is_call(frame)) forward(pass_of(frame), data(frame, 1), data(frame, 2), result(frame, 0), result(frame, 1));
  return nullptr;
}

extern "C" XLA_FFI_Error* qres_reverse(XLA_FFI_CallFrame* frame) {
  if (is_call(frame))
    reverse(pass_of(frame), data(frame, 1), data(frame, 2), data(frame, 3), data(frame, 4), result(frame, 0));
  return nullptr;
}

extern "C" int qres_step() { return STEP; }
