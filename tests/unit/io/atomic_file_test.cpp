#include "io/atomic_file.hpp"
#include "io_support.hpp"

#include <sys/resource.h>

#include <csignal>
#include <iostream>
#include <sstream>

namespace pliant::testing {
namespace {

using ::testing::HasSubstr;

TEST(AtomicFile, AppearsOnCommitOnly) {
  const TemporaryDirectory directory;
  const fs::path target = directory / "out.txt";
  {
    io::TextOutput out(target);
    out.stream() << "complete";
    EXPECT_FALSE(fs::exists(target));
    out.commit();
  }
  EXPECT_EQ(bytes_of(target), "complete");
  EXPECT_EQ(directory.entries(), 1u);
}

TEST(AtomicFile, KeepsTheOldFileWithoutCommit) {
  const TemporaryDirectory directory;
  const fs::path target = directory / "out.txt";
  write_bytes(target, "old");
  {
    io::TextOutput out(target);
    out.stream() << "half of the n";
  }
  EXPECT_EQ(bytes_of(target), "old");
  EXPECT_EQ(directory.entries(), 1u);
}

TEST(AtomicFile, ReplacesTheFileBehindALink) {
  const TemporaryDirectory directory;
  write_bytes(directory / "real.txt", "old");
  fs::create_symlink("real.txt", directory / "link.txt");
  io::write_text(directory / "link.txt", "new");
  EXPECT_TRUE(fs::is_symlink(directory / "link.txt"));
  EXPECT_EQ(bytes_of(directory / "real.txt"), "new");
}

TEST(AtomicFile, WritesDevicesInPlace) {
  io::write_text("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THAT(error_of([] { io::AtomicFile file("/dev/null"); }), HasSubstr("/dev/null: cannot be written"));
}

TEST(AtomicFile, DashIsStandardOutput) {
  std::ostringstream captured;
  std::streambuf* const original = std::cout.rdbuf(captured.rdbuf());
  io::write_text("-", "to the terminal\n");
  std::cout.rdbuf(original);
  EXPECT_EQ(captured.str(), "to the terminal\n");
}

TEST(AtomicFile, NamesPathAndReasonWhenThePlaceIsUnwritable) {
  const TemporaryDirectory directory;
  const fs::path lost = directory / "missing" / "out.json";
  EXPECT_EQ(error_of([&] { io::write_text(lost, "{}"); }),
            lost.string() + ": cannot be written (No such file or directory)");
  EXPECT_EQ(error_of([&] { io::write_text(directory.path(), "{}"); }),
            directory.path().string() + ": cannot be written (Is a directory)");
  write_bytes(directory / "file", "");
  EXPECT_THAT(error_of([&] { io::write_text(directory / "file" / "below", "{}"); }), HasSubstr("Not a directory"));
  EXPECT_EQ(directory.entries(), 1u);
}

// A full disk, imitated by a limit on the size of files.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &original_);
    const rlimit limited{bytes, original_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &original_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit original_;
};

TEST(AtomicFile, FullDiskLeavesNothingBehind) {
  const TemporaryDirectory directory;
  Solution large;
  large.x = Vector::Ones(100000);
  std::string text_error, data_error, metadata_error;
  {
    const FileSizeLimit limit(4096);
    text_error = error_of([&] { io::write_text(directory / "out.txt", std::string(100000, 'x')); });
    data_error = error_of([&] { write_solution(large, directory / "out.h5"); });
  }
  {
    const FileSizeLimit limit(1);
    metadata_error = error_of([&] { write_solution({Vector::Ones(1), {}, {}, {}, {}}, directory / "out.h5"); });
  }
  EXPECT_THAT(text_error, HasSubstr("out.txt: writing failed (File too large)"));
  EXPECT_EQ(data_error, (directory / "out.h5").string() + ": writing failed (File too large)");
  EXPECT_EQ(metadata_error, data_error);
  EXPECT_EQ(directory.entries(), 0u);
  write_solution(large, directory / "out.h5");
  EXPECT_EQ(read_solution(directory / "out.h5").x, large.x);
}

}  // namespace
}  // namespace pliant::testing
