// The inverse Hessian of quasi-Newton methods, a symmetric matrix of which every device has some rows.
//
// Its product with a vector is bound by memory, so only half of it is read: of row i the columns i … i + n/2, beyond the
// last one from the first on, each of which stands for its mirror image too.

#include "common.h"

namespace {

constexpr int TOGETHER = 4;           // rows that go through a vector side by side
constexpr int64_t PIECE = 16 * STEP;  // columns of a block of an update: what it needs of its vectors stays in the cache

// Columns from … to of some rows, and of their mirror images: y += H g for both. `own` has the rows' part.
template <int rows>
INLINE void both_ways(const real* H, int64_t n, const real* g, const real* mine, real* own, real* y, int64_t from, int64_t to) {
  Vector sums[rows] = {};
  int64_t j = from;
  for (; j + LANES <= to; j += LANES) {
    const Vector x = load(g + j);
    Vector mirrored = load(y + j);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      const Vector h = load(H + r * n + j);
      sums[r] += h * x;
      mirrored += h * mine[r];
    }
    store(y + j, mirrored);
  }
  for (int r = 0; r < rows; ++r) {
    real sum = 0;
    for (int lane = 0; lane < LANES; ++lane) sum += sums[r][lane];
    for (int64_t k = j; k < to; ++k) {
      sum += H[r * n + k] * g[k];
      y[k] += H[r * n + k] * mine[r];
    }
    own[r] += sum;
  }
}

// Rows i … of the matrix, from their diagonal for `length` columns to the right; the column after the last is the first.
template <int rows>
INLINE void half_rows(const real* H, int64_t n, const real* g, real* y, int64_t i, int64_t length) {
  real own[rows] = {};
  const real* const mine = g + i;
  // All rows share the columns i + rows … i + length; what one has before or behind these is done by itself.
  for (int r = 0; r < rows; ++r) {
    const real* const row = H + r * n;
    own[r] += row[i + r] * mine[r];
    for (int64_t k = i + r + 1; k < i + rows; ++k) own[r] += row[k % n] * g[k % n], y[k % n] += row[k % n] * mine[r];
    for (int64_t k = i + length; k < i + r + length; ++k) own[r] += row[k % n] * g[k % n], y[k % n] += row[k % n] * mine[r];
  }
  const int64_t from = i + rows, to = i + length;
  if (from < n) both_ways<rows>(H, n, g, mine, own, y, from, to < n ? to : n);
  if (to > n) both_ways<rows>(H, n, g, mine, own, y, from < n ? 0 : from - n, to - n);
  for (int r = 0; r < rows; ++r) y[i + r] += own[r];
}

// y = H g, as far as rows first … first + count of H (n × n) and their mirror images go.
void product(const real* H, const real* g, real* y, int64_t first, int64_t count, int64_t n) {
  std::memset(y, 0, n * sizeof(real));
  const int64_t length = (n + 1) / 2;  // of an odd n; of an even one, opposite columns are left, and done last
  const int64_t end = first + count < n ? first + count : n;
  int64_t i = first;
  if (length > TOGETHER)
    for (; i + TOGETHER <= end; i += TOGETHER) half_rows<TOGETHER>(H + (i - first) * n, n, g, y, i, length);
  for (; i < end; ++i) half_rows<1>(H + (i - first) * n, n, g, y, i, length);
  if (n % 2 == 0)
    for (int64_t k = first; k < end && k < n / 2; ++k) {
      const real h = H[(k - first) * n + k + n / 2];
      y[k] += h * g[k + n / 2];
      y[k + n / 2] += h * g[k];
    }
}

// H (rows × n) = scale·H + leftᵀ right, where left is (inner × rows) and right is (inner × n).
template <int rows = ROWS>
void add_product(real* H, const real* left, const real* right, real scale, int64_t count, int64_t all, int64_t n, int inner,
                 int64_t from, int64_t to) {
  int64_t i = 0;
  for (; i + rows <= count; i += rows) {
    int64_t j = from;
    for (; j + STEP <= to; j += STEP)
      multiply_block<rows, true>(left + i, 1, all, right + j, H + i * n + j, inner, n, scale);
    for (; j < to; ++j)
      for (int r = 0; r < rows; ++r) {
        real sum = scale * H[(i + r) * n + j];
        for (int k = 0; k < inner; ++k) sum += left[k * all + i + r] * right[k * n + j];
        H[(i + r) * n + j] = sum;
      }
  }
  if constexpr (rows > 1)
    if (i < count) add_product<rows - 1>(H + i * n, left + i, right, scale, count - i, all, n, inner, from, to);
}

}  // namespace

// first (1), H (rows × n), g (n) to y (n)
extern "C" XLA_FFI_Error* qres_product(XLA_FFI_CallFrame* frame) {
  if (is_call(frame)) {
    const int64_t* const shape = argument(frame, 1).dims;
    product(data(frame, 1), data(frame, 2), result(frame, 0), *data<const int32_t>(frame, 0), shape[0], shape[1]);
  }
  return nullptr;
}

// scale (), left (inner × rows), right (inner × n), H (rows × n) to H, in its place
extern "C" XLA_FFI_Error* qres_update(XLA_FFI_CallFrame* frame) {
  if (is_call(frame)) {
    const int64_t* const shape = argument(frame, 3).dims;
    const int64_t n = shape[1];
    real* const H = result(frame, 0);
    if (H != data(frame, 3)) std::memcpy(H, data(frame, 3), shape[0] * n * sizeof(real));
    for (int64_t from = 0; from < n; from += PIECE)
      add_product(H, data(frame, 1), data(frame, 2), *data(frame, 0), shape[0], shape[0], n, int(argument(frame, 1).dims[0]),
                  from, from + PIECE < n ? from + PIECE : n);
  }
  return nullptr;
}
