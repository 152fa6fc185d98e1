// BLAS, LAPACK and MUMPS: the library refers to them, readers do not call them. A reader that did would end here.
#include <cstdlib>

extern "C" {

void dgemm_() { std::abort(); }
void dgeqrf_() { std::abort(); }
void dgesdd_() { std::abort(); }
void dmumps_c() { std::abort(); }
void dormqr_() { std::abort(); }
void dpotrf_() { std::abort(); }
void dpotri_() { std::abort(); }
void dsyevd_() { std::abort(); }
void dtrsm_() { std::abort(); }

}  // extern "C"
