// How the HDF5 library reaches the file it writes.
//
// The library cannot close a file whose last bytes cannot be written (a full disk): it reports the
// failure, keeps the file half open and crashes when the process ends. This driver tells the library
// that all is well, remembers the system's reason, and writes nothing more; the caller looks at the
// reason after closing and discards the file.
#pragma once

#include "io/hdf5_handle.hpp"

namespace pliant::io {

struct WriteFailure {
  int error = 0;  ///< errno of the first operation that failed, 0: none
};

/// Makes files created with these access properties use the driver; `failure` must outlive them.
void use_write_driver(const Hdf5Handle& access, WriteFailure& failure, const Hdf5Place& place);

}  // namespace pliant::io
