// Ownership of HDF5 identifiers, the library's silence, and where in a file an error is.
#pragma once

#include "io/file_error.hpp"

#include <hdf5.h>

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace pliant::io {

/// Held while a file is read or written: the HDF5 library prints nothing (its messages become
/// InputErrors) and is entered by one thread only, which builds without thread safety need. After a
/// failure the silence stays: the library loses track of objects whose checksum was wrong, and would
/// complain about them when the process ends.
class Hdf5Session {
 public:
  Hdf5Session();
  ~Hdf5Session();
  Hdf5Session(const Hdf5Session&) = delete;
  Hdf5Session& operator=(const Hdf5Session&) = delete;

 private:
  std::unique_lock<std::mutex> lock_;
  int exceptions_;  // in flight when the session began
  H5E_auto2_t printer_ = nullptr;
  void* printer_data_ = nullptr;
};

/// An open HDF5 object, closed when it goes out of scope.
class Hdf5Handle {
 public:
  using Closer = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  ~Hdf5Handle() { close(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(closer_, other.closer_);
    return *this;
  }

  hid_t id() const { return id_; }
  bool valid() const { return id_ >= 0; }
  /// False if the library reports a failure; the handle is given up in any case.
  bool close() { return !valid() || closer_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Closer closer_ = nullptr;
};

/// The file exists, but is of another format.
class NotHdf5 : public FileError {
 public:
  using FileError::FileError;
};

/// A group, dataset or attribute of a file, for messages: "FILE: constraints/0/G: what".
struct Hdf5Place {
  std::string file;
  std::string inside;  // empty: the file itself

  Hdf5Place at(std::string_view name) const;
  Hdf5Place attribute(std::string_view name) const;
  [[noreturn]] void fail(std::string_view what) const;
  /// fail() with the HDF5 library's own reason in brackets.
  [[noreturn]] void fail_with_reason(std::string_view what) const;
  /// The handle, or fail_with_reason(what) if it is not valid.
  Hdf5Handle checked(Hdf5Handle handle, std::string_view what) const;
  void checked(herr_t result, std::string_view what) const;
  /// f(); what the model says against its arguments is reported as said of this place.
  template <class F>
  auto explain(F f) const {
    try {
      return f();
    } catch (const FileError&) {
      throw;
    } catch (const InputError& error) {
      fail(error.what());
    }
  }
};

}  // namespace pliant::io
