#include "commands/standard_input.hpp"

#include "pliant/types.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace pliant::cli {
namespace {

[[noreturn]] void fail(int error) {
  throw InputError(fmt::format("{}: cannot be read ({})", kStandardInput, std::strerror(error)));
}

[[noreturn]] void fail_keeping(const std::string& place, int error) {
  throw InputError(fmt::format("{}: cannot be kept in {} ({}); TMPDIR names another folder", kStandardInput, place,
                               std::strerror(error)));
}

// TMPDIR, or where the system keeps such files.
std::string name_in_temporary_folder() {
  const char* const chosen = std::getenv("TMPDIR");
  const std::filesystem::path folder = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
  return (folder / "pliant-XXXXXX").string();
}

void write_all(const std::string& name, int file, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(file, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_keeping(name, errno);
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

}  // namespace

KeptInput::KeptInput() : name_(name_in_temporary_folder()) {
  const int file = ::mkostemp(name_.data(), O_CLOEXEC);
  if (file < 0) fail_keeping(std::filesystem::path(name_).parent_path().string(), errno);
  listed_.emplace(name_);
  try {
    copy_to(file);
  } catch (const InputError&) {
    ::close(file);
    ::unlink(name_.c_str());
    throw;
  }
  ::close(file);
}

KeptInput::~KeptInput() { ::unlink(name_.c_str()); }

void KeptInput::copy_to(int file) const {
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno);
    if (got == 0) return;
    write_all(name_, file, buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace pliant::cli
