#include "io/hdf5_handle.hpp"

#include "io/hdf5_at_exit.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <exception>
#include <new>

namespace pliant::io {
namespace {

std::mutex& library_mutex() {
  static std::mutex mutex;
  // A child must not wait for a thread that only its parent has.
  [[maybe_unused]] static const int handler = pthread_atfork(nullptr, nullptr, [] { new (&mutex) std::mutex; });
  return mutex;
}

// Keeps the innermost description: it says what went wrong, the outer ones which calls passed it on.
// The library calls this from C: no exception may leave it.
herr_t keep_innermost(unsigned depth, const H5E_error2_t* error, void* reason) noexcept {
  try {
    if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(reason) = error->desc;
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

std::string library_reason() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &reason);
  H5Eclear2(H5E_DEFAULT);
  return reason;
}

}  // namespace

void leave_out_hdf5_at_exit() { H5dont_atexit(); }

Hdf5Session::Hdf5Session() : lock_(library_mutex()), exceptions_(std::uncaught_exceptions()) {
  H5open();
  H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Session::~Hdf5Session() {
  if (std::uncaught_exceptions() == exceptions_) H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_);
}

Hdf5Place Hdf5Place::at(std::string_view name) const {
  return {file, inside.empty() ? std::string(name) : fmt::format("{}/{}", inside, name)};
}

Hdf5Place Hdf5Place::attribute(std::string_view name) const {
  return {file, fmt::format("{}{}attribute \"{}\"", inside, inside.empty() ? "" : ": ", name)};
}

void Hdf5Place::fail(std::string_view what) const {
  throw FileError(inside.empty() ? fmt::format("{}: {}", file, what)
                                 : fmt::format("{}: {}: {}", file, printable(inside), what));
}

void Hdf5Place::fail_with_reason(std::string_view what) const {
  const std::string reason = library_reason();
  fail(reason.empty() ? std::string(what) : fmt::format("{} ({})", what, printable(reason)));
}

Hdf5Handle Hdf5Place::checked(Hdf5Handle handle, std::string_view what) const {
  if (!handle.valid()) fail_with_reason(what);
  return handle;
}

void Hdf5Place::checked(herr_t result, std::string_view what) const {
  if (result < 0) fail_with_reason(what);
}

}  // namespace pliant::io
