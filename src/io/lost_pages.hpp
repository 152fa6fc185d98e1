// Mapped files that are cut short while they are read.
#pragma once

#include <string>

namespace pliant::io {

/// For a handler of SIGBUS, the signal of pages that a file has lost since it was mapped: puts pages of zeros where the
/// rest of its array was, so that whoever reads goes on, with numbers that mean nothing. False: none of ours.
bool cover_lost_pages(const void* address) noexcept;
/// A file some of whose pages are covered, for as long as they are mapped; empty: there is none.
std::string file_with_lost_pages();

}  // namespace pliant::io
