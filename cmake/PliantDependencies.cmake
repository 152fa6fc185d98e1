# Everything comes from the system's packages; scripts/setup installs them on Debian.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(ZLIB REQUIRED)
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
