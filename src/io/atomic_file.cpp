#include "io/atomic_file.hpp"

#include "pliant/types.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>

namespace pliant::io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, std::string_view what, int error) {
  throw InputError(fmt::format("{}: {} ({})", file.string(), what, std::strerror(error)));
}

bool exists_but_irregular(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status);
}

// A link keeps pointing where it points: the file behind it is replaced, not the link.
fs::path behind_links(const fs::path& path) {
  std::error_code error;
  fs::path resolved = fs::canonical(path, error);
  return error ? path : resolved;
}

// Creates an empty file nobody else uses; the mode follows the umask as for any new file.
fs::path reserve_beside(const fs::path& target, const fs::path& shown) {
  static std::atomic<unsigned> counter{0};
  while (true) {
    fs::path candidate = target;
    candidate.replace_filename(fmt::format(".pliant-{}-{}.tmp", ::getpid(), counter.fetch_add(1)));
    const int descriptor = ::open(candidate.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      ::close(descriptor);
      return candidate;
    }
    if (errno != EEXIST) fail(shown, "cannot be written", errno);
  }
}

void flush_to_disk(const fs::path& path, const fs::path& shown) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(shown, "cannot be written", errno);
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error != 0 && error != EINVAL && error != EROFS)
    fail(shown, "cannot be written", error);  // EINVAL: no such thing there
}

// The new name. The file is complete by now, so a folder that cannot be flushed is no failure.
void flush_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

// The write that failed may be long past and errno overwritten since; another one meets the same obstacle.
int reason_of_failure(std::ostream& stream) {
  if (errno != 0) return errno;
  stream.clear();
  stream << std::endl;
  return errno != 0 ? errno : EIO;
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& target) : shown_(target), target_(behind_links(target)) {
  std::error_code ignored;
  if (!target_.has_filename() || fs::is_directory(target_, ignored)) fail(shown_, "cannot be written", EISDIR);
  if (exists_but_irregular(target_)) {
    throw InputError(fmt::format("{}: cannot be written (not a regular file)", shown_.string()));
  }
  temporary_ = reserve_beside(target_, shown_);
  pending_.emplace(temporary_);
}

AtomicFile::~AtomicFile() {
  std::error_code ignored;
  if (pending_) fs::remove(temporary_, ignored);
}

void AtomicFile::commit() {
  // On the disk before it has its name: a machine that stops in between leaves the old file or the new one.
  flush_to_disk(temporary_, shown_);
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) fail(shown_, "cannot be written", error.value());
  pending_.reset();
  const fs::path folder = target_.parent_path();
  flush_folder(folder.empty() ? fs::path(".") : folder);
}

TextOutput::TextOutput(const fs::path& target) : shown_(target), stream_(&owned_) {
  if (target == "-") {
    shown_ = "standard output";
    stream_ = &std::cout;
    return;
  }
  std::error_code ignored;
  const bool in_place = exists_but_irregular(target) && !fs::is_directory(target, ignored);
  if (!in_place) file_ = std::make_unique<AtomicFile>(target);
  errno = 0;
  owned_.open(in_place ? target : file_->temporary(), std::ios::binary);
  if (!owned_) fail(shown_, "cannot be written", errno);
}

TextOutput::~TextOutput() = default;

void TextOutput::commit() {
  errno = 0;
  stream_->flush();
  if (owned_.is_open() && owned_.good()) owned_.close();
  if (!stream_->good()) fail(shown_, "writing failed", reason_of_failure(*stream_));
  if (file_) file_->commit();
}

void write_text(const fs::path& target, std::string_view text) {
  TextOutput out(target);
  out.stream().write(text.data(), static_cast<std::streamsize>(text.size()));
  out.commit();
}

}  // namespace pliant::io
