#include "instance.h"

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

namespace {

constexpr int kThreads = 256;
constexpr int kWarp = 32;

bool good(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return true;
  std::fprintf(stderr, "bench/gpu: %s: %s\n", what, cudaGetErrorString(code));
  return false;
}

__device__ uint64_t mixed(uint64_t z) {  // splitmix64
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}
__device__ double uniform(uint64_t seed, uint64_t counter) {  // in (0, 1)
  return (static_cast<double>(mixed(mixed(seed) ^ counter) >> 11) + 0.5) * 0x1p-53;
}
__device__ double normal(uint64_t seed, uint64_t counter) {
  return sqrt(-2.0 * log(uniform(seed, 2 * counter))) * cospi(2.0 * uniform(seed, 2 * counter + 1));
}

template <class T>
__global__ void make_rows(T* G, int64_t m, int64_t n, bool cloud, uint64_t seed) {
  const int lane = threadIdx.x % kWarp;
  const int64_t warps = static_cast<int64_t>(gridDim.x) * kThreads / kWarp;
  for (int64_t i = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) / kWarp; i < m; i += warps) {
    double square = 0.0;
    for (int64_t j = lane; j < n; j += kWarp) {
      const double entry = normal(seed, static_cast<uint64_t>(i * n + j));
      square += entry * entry;
    }
    for (int reach = kWarp / 2; reach > 0; reach /= 2) square += __shfl_xor_sync(0xffffffffU, square, reach);
    const double scale = cloud ? 1.0 : 1.0 / sqrt(square);
    for (int64_t j = lane; j < n; j += kWarp) {
      G[i * n + j] = static_cast<T>(scale * normal(seed, static_cast<uint64_t>(i * n + j)));
    }
  }
}

__global__ void make_uniform(double* out, int64_t count, double low, double width, uint64_t seed) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count; i += step) {
    out[i] = low + width * uniform(seed, static_cast<uint64_t>(i));
  }
}

template <class T>
__global__ void make_targets(const T* G, double* h, int64_t m, int64_t n, uint64_t seed) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < m; i += step) {
    double product = 0.0;
    for (int64_t j = 0; j < n; ++j) product += static_cast<double>(G[i * n + j]) / static_cast<double>(j + 1);
    h[i] = product + (0.5 + uniform(seed + 1, static_cast<uint64_t>(i))) * normal(seed, static_cast<uint64_t>(i));
  }
}

// What a row says at x, by a plain loop over its numbers.
template <class T>
struct LinearRow {
  const T* G;
  const double* h;
  int64_t n;
  __device__ double operator()(int64_t i, const double* x) const {
    double product = 0.0;
    for (int64_t j = 0; j < n; ++j) product += static_cast<double>(G[i * n + j]) * x[j];
    return product - h[i];
  }
};

template <class T>
struct FormRow {  // x: a matrix of order n + 1
  const T* G;
  const double* h;
  int64_t n;
  __device__ double operator()(int64_t i, const double* x) const {
    const auto q = [&](int64_t j) { return j < n ? static_cast<double>(G[i * n + j]) : 1.0; };
    double product = 0.0;
    for (int64_t j = 0; j <= n; ++j) {
      for (int64_t k = 0; k <= n; ++k) product += q(j) * x[j * (n + 1) + k] * q(k);
    }
    return product - h[i];
  }
};

struct CurvedRow {
  bench_instance instance;
  bench_shape shape;
  __device__ double operator()(int64_t i, const double* x) const {
    const double* const G = static_cast<const double*>(instance.G);
    const double* const beside = static_cast<const double*>(instance.beside);
    double a = 0.0;
    for (int64_t k = 0; k < shape.terms; ++k) {
      double product = 0.0;
      for (int64_t j = 0; j < shape.n; ++j) product += G[(i * shape.terms + k) * shape.n + j] * x[j];
      a += shape.kind == BENCH_QUADRATIC ? 0.5 * product * product : exp(product + beside[i * shape.terms + k]);
    }
    if (shape.kind == BENCH_QUADRATIC) {
      for (int64_t j = 0; j < shape.n; ++j) a += beside[i * shape.n + j] * x[j];
    } else {
      a = log(a);
    }
    return a - instance.h[i];
  }
};

template <class T>
struct QuantileLoss {
  LinearRow<T> row;
  double tau;
  __device__ double operator()(int64_t i, const double* x) const {
    const double off = row(i, x);
    return off > 0.0 ? (1.0 - tau) * off : -tau * off;
  }
};

struct Largest {
  __host__ __device__ static double fold(double seen, double a) { return a <= seen ? seen : a; }  // NaN counts
};
struct Sum {
  __host__ __device__ static double fold(double seen, double a) { return seen + a; }
};

template <class Fold, class Row>
__global__ void fold_rows(Row row, int64_t m, const double* x, double* parts) {
  __shared__ double own[kThreads];
  double seen = 0.0;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < m;
       i += static_cast<int64_t>(gridDim.x) * kThreads) {
    seen = Fold::fold(seen, row(i, x));
  }
  own[threadIdx.x] = seen;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int t = 1; t < kThreads; ++t) seen = Fold::fold(seen, own[t]);
  parts[blockIdx.x] = seen;
}

/// out = fold of 0 and what all rows say at x, so many numbers in host memory.
template <class Fold, class Row>
int over_rows(const Row& row, int64_t m, const double* x, int64_t numbers, double* out) {
  constexpr int kBlocks = 4096;
  const size_t bytes = static_cast<size_t>(numbers) * sizeof(double);
  double *own_x = nullptr, *parts = nullptr;
  std::vector<double> here(kBlocks);
  bool fine = good(cudaMalloc(&own_x, bytes), "room for x") &&
              good(cudaMalloc(&parts, kBlocks * sizeof(double)), "room for the parts") &&
              good(cudaMemcpy(own_x, x, bytes, cudaMemcpyHostToDevice), "copying x");
  if (fine) {
    fold_rows<Fold><<<kBlocks, kThreads>>>(row, m, own_x, parts);
    fine = good(cudaGetLastError(), "checking") &&
           good(cudaMemcpy(here.data(), parts, kBlocks * sizeof(double), cudaMemcpyDeviceToHost), "checking");
  }
  cudaFree(own_x);
  cudaFree(parts);
  *out = 0.0;
  for (const double part : here) *out = Fold::fold(*out, part);
  return fine ? 0 : 1;
}

}  // namespace

namespace {

constexpr int kMakers = 8192;  // blocks

bool make_numbers(void* to, int64_t rows, const bench_shape& shape, uint64_t seed) {
  const bool normal = shape.kind != BENCH_ROWS;
  if (shape.number_bytes == 8) {
    make_rows<<<kMakers, kThreads>>>(static_cast<double*>(to), rows, shape.n, normal, seed);
  } else {
    make_rows<<<kMakers, kThreads>>>(static_cast<float*>(to), rows, shape.n, normal, seed);
  }
  return good(cudaGetLastError(), "making rows");
}

/// f(the numbers of the rows, as they are stored)
template <class F>
int with_numbers(const bench_instance& instance, int32_t number_bytes, const F& f) {
  if (number_bytes == 8) return f(static_cast<const double*>(instance.G));
  return f(static_cast<const float*>(instance.G));
}

}  // namespace

extern "C" int bench_make(const bench_shape* shape, uint64_t seed, bench_instance* out) {
  *out = {};
  const int64_t rows = shape->m * shape->terms, row_bytes = shape->n * shape->number_bytes;
  if (!good(cudaMalloc(&out->G, static_cast<size_t>(rows * row_bytes)), "room for G")) return 1;
  if (!good(cudaMalloc(&out->h, static_cast<size_t>(shape->m) * sizeof(double)), "room for h")) return 1;
  if (!make_numbers(out->G, rows, *shape, seed)) return 1;
  if (shape->kind == BENCH_REGRESSION) {
    with_numbers(*out, shape->number_bytes, [&](const auto* G) {
      make_targets<<<kMakers, kThreads>>>(G, out->h, shape->m, shape->n, seed + 1);
      return 0;
    });
  } else {
    make_uniform<<<kMakers, kThreads>>>(out->h, shape->m, 1.0, 0.1, seed + 1);
  }
  if (shape->kind == BENCH_QUADRATIC) {
    if (!good(cudaMalloc(&out->beside, static_cast<size_t>(shape->m * row_bytes)), "room for q")) return 1;
    if (!make_numbers(out->beside, shape->m, *shape, seed + 2)) return 1;
  }
  if (shape->kind == BENCH_EXPONENTIALS) {
    if (!good(cudaMalloc(&out->beside, static_cast<size_t>(rows) * sizeof(double)), "room for b")) return 1;
    make_uniform<<<kMakers, kThreads>>>(static_cast<double*>(out->beside), rows, -3.0, 1.0, seed + 2);
  }
  return good(cudaGetLastError(), "making rows") && good(cudaDeviceSynchronize(), "making rows") ? 0 : 1;
}

extern "C" void bench_free(bench_instance* instance) {
  cudaFree(instance->G);
  cudaFree(instance->h);
  cudaFree(instance->beside);
  *instance = {};
}

extern "C" int bench_copy(void* to, const void* from, int64_t bytes) {
  return good(cudaMemcpy(to, from, static_cast<size_t>(bytes), cudaMemcpyDeviceToHost), "copying") ? 0 : 1;
}

extern "C" int bench_curved_violation(const bench_instance* instance, const bench_shape* shape, const double* x,
                                      double* violation) {
  return over_rows<Largest>(CurvedRow{*instance, *shape}, shape->m, x, shape->n, violation);
}

extern "C" int bench_violation(const bench_instance* instance, int64_t m, int64_t n, int32_t number_bytes,
                               const double* x, double* violation) {
  return with_numbers(*instance, number_bytes, [&](const auto* G) {
    return over_rows<Largest>(LinearRow{G, instance->h, n}, m, x, n, violation);
  });
}

extern "C" int bench_form_violation(const bench_instance* instance, int64_t m, int64_t n, int32_t number_bytes,
                                    const double* X, double* violation) {
  return with_numbers(*instance, number_bytes, [&](const auto* G) {
    return over_rows<Largest>(FormRow{G, instance->h, n}, m, X, (n + 1) * (n + 1), violation);
  });
}

extern "C" int bench_quantile_loss(const bench_instance* instance, const bench_shape* shape, double tau,
                                   const double* x, double* loss) {
  const int code = with_numbers(*instance, shape->number_bytes, [&](const auto* G) {
    return over_rows<Sum>(QuantileLoss{LinearRow{G, instance->h, shape->n}, tau}, shape->m, x, shape->n, loss);
  });
  *loss /= static_cast<double>(shape->m);
  return code;
}

extern "C" int bench_rows(const bench_instance* instance, int64_t first, int64_t count, int64_t n, int32_t number_bytes,
                          double* G, double* h) {
  const auto numbers = static_cast<size_t>(count * n);
  if (!good(cudaMemcpy(h, instance->h + first, static_cast<size_t>(count) * sizeof(double), cudaMemcpyDeviceToHost),
            "copying h")) {
    return 1;
  }
  if (number_bytes == 8) {
    const double* from = static_cast<const double*>(instance->G) + first * n;
    return good(cudaMemcpy(G, from, numbers * sizeof(double), cudaMemcpyDeviceToHost), "copying G") ? 0 : 1;
  }
  std::vector<float> singles(numbers);
  const float* from = static_cast<const float*>(instance->G) + first * n;
  if (!good(cudaMemcpy(singles.data(), from, numbers * sizeof(float), cudaMemcpyDeviceToHost), "copying G")) return 1;
  for (size_t k = 0; k < numbers; ++k) G[k] = static_cast<double>(singles[k]);
  return 0;
}

extern "C" int bench_copy_bandwidth(double* bytes_per_second) {
  constexpr size_t kBytes = size_t{4} << 30;
  constexpr int kRepeats = 10;
  void *from = nullptr, *to = nullptr;
  cudaEvent_t begin, end;
  bool fine = good(cudaMalloc(&from, kBytes), "room") && good(cudaMalloc(&to, kBytes), "room") &&
              good(cudaMemset(from, 0x3c, kBytes), "filling") && good(cudaEventCreate(&begin), "timing") &&
              good(cudaEventCreate(&end), "timing");
  float milliseconds = 0.0F;
  if (fine) {
    cudaMemcpy(to, from, kBytes, cudaMemcpyDeviceToDevice);
    cudaEventRecord(begin);
    for (int k = 0; k < kRepeats; ++k) cudaMemcpyAsync(to, from, kBytes, cudaMemcpyDeviceToDevice);
    cudaEventRecord(end);
    fine =
        good(cudaEventSynchronize(end), "copying") && good(cudaEventElapsedTime(&milliseconds, begin, end), "timing");
  }
  cudaFree(from);
  cudaFree(to);
  *bytes_per_second =
      fine ? 2.0 * static_cast<double>(kBytes) * kRepeats / (1e-3 * static_cast<double>(milliseconds)) : 0.0;
  return fine ? 0 : 1;
}

extern "C" int bench_used_bytes(double* bytes) {
  size_t free = 0, total = 0;
  if (!good(cudaMemGetInfo(&free, &total), "memory")) return 1;
  *bytes = static_cast<double>(total - free);
  return 0;
}
