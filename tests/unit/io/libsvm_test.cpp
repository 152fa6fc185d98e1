#include "io/libsvm.hpp"

#include "support/random.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

namespace pliant {
namespace {

using testing::Random;

class Libsvm : public ::testing::Test {
 protected:
  Libsvm() : file_(std::filesystem::path(::testing::TempDir()) / fmt::format("libsvm_{}.txt", getpid())) {}
  ~Libsvm() override { std::filesystem::remove(file_); }

  void write(const std::string& text, bool compressed) const {
    if (!compressed) {
      std::ofstream(file_, std::ios::binary) << text;
      return;
    }
    gzFile out = gzopen(file_.c_str(), "wb");
    ASSERT_EQ(gzwrite(out, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
    ASSERT_EQ(gzclose(out), Z_OK);
  }
  std::string message(const std::string& text) const {
    write(text, false);
    try {
      io::read_libsvm(file_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path file_;
};

TEST_F(Libsvm, ReadsWhatWasWrittenPlainAndCompressed) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index rows = random.integer(2, 3000), cols = random.integer(1, 40);
    Matrix expected = Matrix::Zero(rows, cols);
    Vector labels(rows);
    std::string text = "# made up\n\n";
    for (Index i = 0; i < rows; ++i) {
      const bool positive = i == 0 || (i > 1 && random.uniform() < 0.5);
      labels[i] = positive ? 1.0 : -1.0;
      text += positive ? "+2" : "0";
      for (Index j = 0; j < cols; ++j) {
        if (random.uniform() < 0.7 && !(i == 0 && j == cols - 1)) continue;
        expected(i, j) = random.normal();
        text += fmt::format(" {}:{:.17g}", j + 1, expected(i, j));
      }
      text += i % 3 == 0 ? " # end\r\n" : " \n";
    }
    if (seed % 2 == 0) text.pop_back();  // the last line may lack its end
    for (const bool compressed : {false, true}) {
      write(text, compressed);
      const io::LabelledRows data = io::read_libsvm(file_);
      data.rows.validate("rows");
      ASSERT_EQ(data.rows.rows(), rows);
      ASSERT_EQ(data.rows.cols(), cols);
      for (Index i = 0; i < rows; ++i) {
        ASSERT_EQ(data.rows.row(i), Vector(expected.row(i).transpose())) << i;
        ASSERT_EQ(data.labels[i], labels[i]) << i;
      }
    }
  }
}

TEST_F(Libsvm, NamesFileAndLineOfWhatIsWrong) {
  const std::string begin = file_.string() + ": line 2: ";
  EXPECT_EQ(message("1 1:1\nx 1:1\n"), begin + "expected a label, got 'x'");
  EXPECT_EQ(message("1 1:1\nnan 1:1\n"), begin + "expected a label, got 'nan'");
  EXPECT_EQ(message("1 1:1\n0 7\n"), begin + "expected index:value, got '7'");
  EXPECT_EQ(message("1 1:1\n0 1:\n"), begin + "expected index:value, got '1:'");
  EXPECT_EQ(message("1 1:1\n0 1:2x\n"), begin + "expected index:value, got '1:2x'");
  EXPECT_EQ(message("1 1:1\n0 0:1\n"), begin + "expected an index >= 1, got 0");
  EXPECT_EQ(message("1 1:1\n0 2:1 2:1\n"), begin + "index 2 after 2; expected ascending ones");
  EXPECT_EQ(message("1 1:1\n0 1:inf\n"), begin + "the value of index 1 is inf");
  EXPECT_EQ(message("1 1:1\n0 1:1\n2 1:1\n"), file_.string() + ": line 3: a third label, 2; expected two classes");
  EXPECT_EQ(message("1 1:1\n1 1:1\n"), file_.string() + ": 1 different labels, expected two classes");
  EXPECT_EQ(message("1\n2\n"), file_.string() + ": no features");
  EXPECT_EQ(message(""), file_.string() + ": 0 different labels, expected two classes");
}

TEST_F(Libsvm, RefusesTruncatedFilesAndThoseThatAreNotThere) {
  std::string text;
  Random random(7);
  for (int i = 0; i < 4000; ++i) text += fmt::format("{} 1:{:.17g}\n", i % 2, random.normal());
  write(text, true);
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) / 2);
  EXPECT_THROW(io::read_libsvm(file_), InputError);
  std::filesystem::remove(file_);
  EXPECT_THROW(io::read_libsvm(file_), InputError);
  EXPECT_THROW(io::read_libsvm(::testing::TempDir()), InputError);
}

}  // namespace
}  // namespace pliant
