// cuBLASLt's product: D = epilogue(alpha op(A) op(B) + beta C).
// Source: cuBLAS documentation, cublasLtMatmul() and cublasLtEpilogue_t.
#include <cmath>

#include "gemm.hpp"
#include "lt.hpp"

namespace simt::cublas {
namespace {

KernelInfo kernel{"cublasLt_matmul", "cublas", 0, 0};

bool is_float(int type) { return type == CUDA_R_32F || type == CUDA_R_16F || type == CUDA_R_16BF; }

/// Memory whose elements have a type that is known when the program runs.
struct Elements {
  void* data = nullptr;
  int type = CUDA_R_32F;
  std::ptrdiff_t batch_stride = 0;

  float load(int batch, std::ptrdiff_t i) const {
    i += batch * batch_stride;
    switch (type) {
      case CUDA_R_16F:
        return convert<float>(static_cast<const __half*>(data)[i]);
      case CUDA_R_16BF:
        return convert<float>(static_cast<const __nv_bfloat16*>(data)[i]);
      default:
        return static_cast<const float*>(data)[i];
    }
  }
  void store(int batch, std::ptrdiff_t i, float value) const {
    i += batch * batch_stride;
    switch (type) {
      case CUDA_R_16F:
        static_cast<__half*>(data)[i] = static_cast<__half>(value);
        break;
      case CUDA_R_16BF:
        static_cast<__nv_bfloat16*>(data)[i] = static_cast<__nv_bfloat16>(value);
        break;
      default:
        static_cast<float*>(data)[i] = value;
    }
  }
  void tell(MemoryUses& all, int batch, std::ptrdiff_t width, std::ptrdiff_t rows,
            std::ptrdiff_t pitch, bool writes) const {
    if (type == CUDA_R_32F) {
      tell_as<float>(all, batch, width, rows, pitch, writes);
    } else {
      tell_as<std::uint16_t>(all, batch, width, rows, pitch, writes);
    }
  }

 private:
  template <class T>
  void tell_as(MemoryUses& all, int batch, std::ptrdiff_t width, std::ptrdiff_t rows,
               std::ptrdiff_t pitch, bool writes) const {
    const T* const first = static_cast<const T*>(data) + batch * batch_stride;
    if (writes) {
      all.write_rows(first, width, rows, pitch);
    } else {
      all.read_rows(first, width, rows, pitch);
    }
  }
};

/// A matrix of a batch, by columns or by rows.
struct MatrixOf {
  Elements elements;
  std::ptrdiff_t down, right;

  MatrixOf(const LtLayout& layout, void* data)
      : elements{data, layout.type, layout.batch_stride},
        down(layout.order == CUBLASLT_ORDER_ROW ? layout.ld : 1),
        right(layout.order == CUBLASLT_ORDER_ROW ? 1 : layout.ld) {}

  std::ptrdiff_t at(int row, int column) const { return row * down + column * right; }
  void tell(MemoryUses& all, const LtLayout& layout, int batch, bool writes) const {
    const auto rows = static_cast<std::ptrdiff_t>(layout.rows);
    const auto cols = static_cast<std::ptrdiff_t>(layout.cols);
    const bool by_rows = layout.order == CUBLASLT_ORDER_ROW;
    elements.tell(all, batch, by_rows ? cols : rows, by_rows ? rows : cols, layout.ld, writes);
  }
};

struct Epilogue {
  bool bias, relu, gelu, keeps_aux, gelu_gradient, a_sums, b_sums;

  explicit Epilogue(cublasLtEpilogue_t which)
      : bias((which & CUBLASLT_EPILOGUE_BIAS) != 0),
        relu((which & CUBLASLT_EPILOGUE_RELU) != 0),
        gelu((which & CUBLASLT_EPILOGUE_GELU) != 0),
        keeps_aux(which == CUBLASLT_EPILOGUE_GELU_AUX || which == CUBLASLT_EPILOGUE_GELU_AUX_BIAS),
        gelu_gradient(which == CUBLASLT_EPILOGUE_DGELU),
        a_sums(which == CUBLASLT_EPILOGUE_BGRADA),
        b_sums(which == CUBLASLT_EPILOGUE_BGRADB) {}

  bool uses_aux() const { return keeps_aux || gelu_gradient; }
  bool uses_bias() const { return bias || a_sums || b_sums; }
};

bool is_supported(cublasLtEpilogue_t which) {
  switch (which) {
    case CUBLASLT_EPILOGUE_DEFAULT:
    case CUBLASLT_EPILOGUE_RELU:
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
    case CUBLASLT_EPILOGUE_GELU:
    case CUBLASLT_EPILOGUE_GELU_BIAS:
    case CUBLASLT_EPILOGUE_GELU_AUX:
    case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
    case CUBLASLT_EPILOGUE_DGELU:
    case CUBLASLT_EPILOGUE_BGRADA:
    case CUBLASLT_EPILOGUE_BGRADB:
      return true;
    default:
      return false;
  }
}

constexpr float kGeluScale = 0.7978845608F;  // sqrt(2 / pi)
constexpr float kGeluCube = 0.044715F;

float gelu(float x) { return 0.5F * x * (1 + std::tanh(kGeluScale * (x + kGeluCube * x * x * x))); }
float gelu_gradient(float x) {
  const float t = std::tanh(kGeluScale * (x + kGeluCube * x * x * x));
  return 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * kGeluScale * (1 + 3 * kGeluCube * x * x);
}

/// alpha or beta, of type float or half.
struct Factor {
  const void* device;
  int type;
  float value;

  Factor(const LtDesc& desc, const void* p)
      : device(desc.pointer_mode == CUBLASLT_POINTER_MODE_DEVICE ? p : nullptr),
        type(desc.scale),
        value(device != nullptr ? 0 : load(p)) {}

  float load(const void* p) const { return Elements{const_cast<void*>(p), type}.load(0, 0); }
  float get() const { return device != nullptr ? load(device) : value; }
  void tell(MemoryUses& all) const {
    if (device == nullptr) return;
    Elements{const_cast<void*>(device), type}.tell(all, 0, 1, 1, 1, false);
  }
};

InputRounding rounding_of(cublasComputeType_t compute) {
  switch (compute) {
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      return InputRounding::kTf32;
    case CUBLAS_COMPUTE_32F_FAST_16F:
      return InputRounding::kHalf;
    case CUBLAS_COMPUTE_32F_FAST_16BF:
      return InputRounding::kBfloat16;
    default:
      return InputRounding::kNone;
  }
}

template <class In>
class Product {
 public:
  Product(const LtMatmul& call, const void* alpha, const void* a, const void* b, const void* beta,
          const void* c, void* d)
      : call_(call),
        epilogue_(call.desc.epilogue),
        alpha_(call.desc, alpha),
        beta_(call.desc, beta),
        a_(static_cast<const In*>(a)),
        b_(static_cast<const In*>(b)),
        c_(call.c, const_cast<void*>(c)),
        d_(call.d, d),
        bias_{call.desc.bias, type_or_d(call.desc.bias_type), call.desc.bias_stride},
        aux_{call.desc.aux, type_or_d(call.desc.aux_type), call.desc.aux_stride} {
    const bool a_turned = (call.desc.transa != CUBLAS_OP_N) != by_rows(call.a);
    const bool b_turned = (call.desc.transb != CUBLAS_OP_N) != by_rows(call.b);
    const std::uint64_t k = call.desc.transa == CUBLAS_OP_N ? call.a.cols : call.a.rows;
    shape_ = {a_turned,
              b_turned,
              static_cast<int>(call.d.rows),
              static_cast<int>(call.d.cols),
              static_cast<int>(k),
              static_cast<int>(call.a.ld),
              static_cast<int>(call.b.ld),
              0};
  }

  const GemmShape& shape() const { return shape_; }

  void tell(MemoryUses& all) const {
    alpha_.tell(all);
    beta_.tell(all);
    for (int i = 0; i < call_.d.batch; ++i) {
      MatrixOf(call_.a, const_cast<In*>(a_)).tell(all, call_.a, i, false);
      MatrixOf(call_.b, const_cast<In*>(b_)).tell(all, call_.b, i, false);
      if (beta_.get() != 0) c_.tell(all, call_.c, i, false);
      if (epilogue_.bias) bias_.tell(all, i, shape_.m, 1, shape_.m, false);
      if (epilogue_.a_sums) bias_.tell(all, i, shape_.m, 1, shape_.m, true);
      if (epilogue_.b_sums) bias_.tell(all, i, shape_.n, 1, shape_.n, true);
      if (epilogue_.uses_aux()) {
        aux_.tell(all, i, shape_.m, shape_.n, call_.desc.aux_ld, epilogue_.keeps_aux);
      }
      d_.tell(all, call_.d, i, true);
    }
  }

  void compute(int batch, Tile t) const {
    const In* a = a_ + batch * call_.a.batch_stride;
    const In* b = b_ + batch * call_.b.batch_stride;
    const Matrix<float> sum = multiply<float>(shape_, t, a, b, rounding_of(call_.desc.compute),
                                              call_.desc.compute == CUBLAS_COMPUTE_16F);
    const float alpha = alpha_.get(), beta = beta_.get();
    for (int j = 0; j < t.columns; ++j) {
      for (int i = 0; i < t.rows; ++i) {
        finish(batch, t.row + i, t.column + j, alpha * sum(i, j), beta);
      }
    }
    if (epilogue_.a_sums && t.column == 0) sum_rows(batch, t, a);
    if (epilogue_.b_sums && t.row == 0) sum_columns(batch, t, b);
  }

 private:
  static bool by_rows(const LtLayout& layout) { return layout.order == CUBLASLT_ORDER_ROW; }
  int type_or_d(std::int32_t type) const { return type < 0 ? call_.d.type : type; }

  void finish(int batch, int row, int column, float value, float beta) const {
    if (beta != 0) value += beta * c_.elements.load(batch, c_.at(row, column));
    if (epilogue_.bias) value += bias_.load(batch, row);
    const std::ptrdiff_t aux = row + column * call_.desc.aux_ld;
    if (epilogue_.keeps_aux) aux_.store(batch, aux, value);
    if (epilogue_.relu) value = value > 0 ? value : 0;
    if (epilogue_.gelu) value = gelu(value);
    if (epilogue_.gelu_gradient) value *= cublas::gelu_gradient(aux_.load(batch, aux));
    d_.elements.store(batch, d_.at(row, column), value);
  }

  /// The gradient of a bias: the sums over k of op(A)'s rows, or of op(B)'s columns.
  void sum_rows(int batch, Tile t, const In* a) const {
    const Matrix<float> dense = gather<float>(a, shape_.lda, shape_.transpose_a, t.row, t.rows, 0,
                                              shape_.k, InputRounding::kNone);
    for (int i = 0; i < t.rows; ++i) bias_.store(batch, t.row + i, dense.row(i).sum());
  }
  void sum_columns(int batch, Tile t, const In* b) const {
    const Matrix<float> dense = gather<float>(b, shape_.ldb, shape_.transpose_b, 0, shape_.k,
                                              t.column, t.columns, InputRounding::kNone);
    for (int j = 0; j < t.columns; ++j) bias_.store(batch, t.column + j, dense.col(j).sum());
  }

  LtMatmul call_;
  Epilogue epilogue_;
  Factor alpha_, beta_;
  const In *a_, *b_;
  MatrixOf c_, d_;
  Elements bias_, aux_;
  GemmShape shape_{};
};

template <class In>
cublasStatus_t run_as(const LtMatmul& call, const Product<In>& product, cudaStream_t stream) {
  if (product.shape().m == 0 || product.shape().n == 0) return CUBLAS_STATUS_SUCCESS;
  const Tiling tiling(product.shape());
  const auto pieces = static_cast<unsigned>(tiling.count()) * static_cast<unsigned>(call.d.batch);
  const auto uses = [=](MemoryUses& all) { product.tell(all); };
  const bool ran = run_library(kernel, pieces, stream, uses, [=](unsigned piece) {
    const int i = static_cast<int>(piece);
    product.compute(i / tiling.count(), tiling[i % tiling.count()]);
  });
  return ran ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

bool fits_in(const LtLayout& layout) {
  const auto side = layout.order == CUBLASLT_ORDER_ROW ? layout.cols : layout.rows;
  return layout.ld > 0 && static_cast<std::uint64_t>(layout.ld) >= side &&
         layout.rows <= INT32_MAX && layout.cols <= INT32_MAX && layout.ld <= INT32_MAX;
}

bool is_supported(const LtDesc& desc) {
  const bool in_half = desc.compute == CUBLAS_COMPUTE_16F;
  const bool in_float = desc.compute == CUBLAS_COMPUTE_32F ||
                        desc.compute == CUBLAS_COMPUTE_32F_PEDANTIC ||
                        rounding_of(desc.compute) != InputRounding::kNone;
  const bool scaled = desc.a_scale != nullptr || desc.b_scale != nullptr ||
                      desc.c_scale != nullptr || desc.d_scale != nullptr ||
                      desc.d_largest != nullptr;
  return (in_half ? desc.scale == CUDA_R_16F : in_float && desc.scale == CUDA_R_32F) && !scaled &&
         desc.pointer_mode <= CUBLASLT_POINTER_MODE_DEVICE && desc.transc == CUBLAS_OP_N &&
         desc.fill == CUBLAS_FILL_MODE_FULL && is_supported(desc.epilogue) &&
         (desc.aux_type < 0 || is_float(desc.aux_type)) &&
         (desc.bias_type < 0 || is_float(desc.bias_type));
}

/// Whether products of a batch would store to the same place, the last one by chance.
bool share_results(const LtMatmul& call, const Epilogue& epilogue) {
  const LtDesc& desc = call.desc;
  return call.d.batch > 1 &&
         (call.d.batch_stride == 0 || (epilogue.keeps_aux && desc.aux_stride == 0) ||
          ((epilogue.a_sums || epilogue.b_sums) && desc.bias_stride == 0));
}

}  // namespace

cublasStatus_t check(const LtMatmul& call) {
  const LtDesc& desc = call.desc;
  if (!is_operation(desc.transa) || !is_operation(desc.transb)) return CUBLAS_STATUS_INVALID_VALUE;
  const bool a_turned = desc.transa != CUBLAS_OP_N, b_turned = desc.transb != CUBLAS_OP_N;
  const std::uint64_t k = a_turned ? call.a.rows : call.a.cols;
  const bool shapes = (a_turned ? call.a.cols : call.a.rows) == call.d.rows &&
                      (b_turned ? call.b.rows : call.b.cols) == call.d.cols &&
                      (b_turned ? call.b.cols : call.b.rows) == k && call.c.rows == call.d.rows &&
                      call.c.cols == call.d.cols;
  if (!shapes) return CUBLAS_STATUS_INVALID_VALUE;
  for (const LtLayout* layout : {&call.a, &call.b, &call.c, &call.d}) {
    if (!fits_in(*layout) || layout->batch != call.d.batch || layout->batch < 1) {
      return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (layout->order > CUBLASLT_ORDER_ROW || !is_float(layout->type)) {
      return CUBLAS_STATUS_NOT_SUPPORTED;
    }
  }
  const bool types = call.a.type == call.b.type && call.c.type == call.d.type &&
                     (call.d.type == call.a.type || call.d.type == CUDA_R_32F);
  if (!types || !is_supported(desc)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const Epilogue epilogue(desc.epilogue);
  if (epilogue.uses_bias() && desc.bias == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (share_results(call, epilogue)) return CUBLAS_STATUS_INVALID_VALUE;
  const bool aux = desc.aux != nullptr && desc.aux_ld >= static_cast<std::int64_t>(call.d.rows);
  return epilogue.uses_aux() && !aux ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t run(const LtMatmul& call, const void* alpha, const void* a, const void* b,
                   const void* beta, const void* c, void* d, cudaStream_t stream) {
  switch (call.a.type) {
    case CUDA_R_16F:
      return run_as(call, Product<__half>(call, alpha, a, b, beta, c, d), stream);
    case CUDA_R_16BF:
      return run_as(call, Product<__nv_bfloat16>(call, alpha, a, b, beta, c, d), stream);
    default:
      return run_as(call, Product<float>(call, alpha, a, b, beta, c, d), stream);
  }
}

}  // namespace simt::cublas
