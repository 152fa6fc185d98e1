// What HDF5 does when a process ends.
#pragma once

namespace pliant::io {

/// HDF5 loses track of objects of damaged files, and may crash over them in what it cleans up at the end of the process, long
/// after the error was reported. For programs that close all of their files themselves: leaves that out. Before the first file.
void leave_out_hdf5_at_exit();

}  // namespace pliant::io
