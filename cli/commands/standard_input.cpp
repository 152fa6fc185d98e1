#include "commands/standard_input.hpp"

#include "pliant/types.hpp"

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

void write_all(int file, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(file, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

}  // namespace

KeptInput::KeptInput() : name_((std::filesystem::temp_directory_path() / "pliant-XXXXXX").string()) {
  const int file = ::mkstemp(name_.data());
  if (file < 0) fail(errno);
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
    write_all(file, buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace pliant::cli
