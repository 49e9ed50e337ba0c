// Eigen's products, for all the files whose calls come to them.
#include "gemm.hpp"

namespace simt::cublas {

template void multiply_in_place<float>(const GemmShape&, Tile, float, const float*, const float*,
                                       float, float*);
template void multiply_in_place<double>(const GemmShape&, Tile, double, const double*,
                                        const double*, double, double*);
template Matrix<float> dense_product<float>(const Matrix<float>&, const Matrix<float>&, bool);
template Matrix<double> dense_product<double>(const Matrix<double>&, const Matrix<double>&, bool);
template Matrix<std::int32_t> dense_product<std::int32_t>(const Matrix<std::int32_t>&,
                                                          const Matrix<std::int32_t>&, bool);

}  // namespace simt::cublas
