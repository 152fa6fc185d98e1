# Everything comes from the system's packages; scripts/setup installs them on Debian.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(ZLIB REQUIRED)
set(PLIANT_HDF5 "" CACHE PATH "Where a static HDF5 that needs zlib alone is installed (scripts/wheel); empty: the system's")
if(PLIANT_HDF5)
  set(HDF5_C_LIBRARIES ${PLIANT_HDF5}/lib/libhdf5.a)
  set(HDF5_C_INCLUDE_DIRS ${PLIANT_HDF5}/include)
else()
  find_package(HDF5 REQUIRED COMPONENTS C)
endif()
find_package(fmt REQUIRED)
find_package(nlohmann_json 3 REQUIRED)
find_package(CLI11 REQUIRED)

# OpenBLAS in its serial build: our own chunks are the only parallelism (docs/determinism.md).
find_library(PLIANT_OPENBLAS openblas
             PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial /usr/lib/openblas-serial
             PATH_SUFFIXES openblas-serial)
if(NOT PLIANT_OPENBLAS)
  message(FATAL_ERROR "OpenBLAS not found: install libopenblas-serial-dev, or run scripts/setup")
endif()

# MUMPS in its sequential build: sparse factorisations too large for the simplicial one. The versioned name is that of
# the run-time package, which spares the MPI the development package would bring.
find_path(PLIANT_MUMPS_INCLUDE dmumps_c.h)
find_library(PLIANT_MUMPS NAMES dmumps_seq dmumps_seq-5.5 dmumps_seq-5.6 dmumps_seq-5.7)
if(NOT PLIANT_MUMPS OR NOT PLIANT_MUMPS_INCLUDE)
  message(FATAL_ERROR "MUMPS not found: install libmumps-seq-5.5 and libmumps-headers-dev, or run scripts/setup")
endif()

# What the library links beside Eigen's headers.
set(PLIANT_LIBRARIES OpenMP::OpenMP_CXX ${HDF5_C_LIBRARIES} ZLIB::ZLIB fmt::fmt nlohmann_json::nlohmann_json
                     ${PLIANT_MUMPS} ${PLIANT_OPENBLAS})
