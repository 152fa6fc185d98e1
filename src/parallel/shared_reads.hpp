// Loops over blocks of rows, and one read of memory for several of them.
//
// Solves that run at the same time, each in a thread of its own, and read the same rows (the same quantile regression for
// nine values of tau) can share their reads: each waits where it would read all rows until the others are there, too, and
// then every block that comes into the cache is handed to all of them. What a loop computes is the same to the last bit.
#pragma once

#include "parallel/parallel.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

namespace pliant::parallel {

/// f(begin, count, partial) for blocks of rows, one after the other within a chunk; out += the sum of the partial vectors.
struct BlockLoop {
  Chunks chunks;
  Index block = 1;  ///< rows that stay in a core's cache
  Index dim = 0;
  FunctionRef<void(Index begin, Index count, double* partial)> f;
  double* out = nullptr;
  double bytes = 0.0;  ///< that it reads
};

/// Runs a loop. `data` says which memory it reads, all of it: loops of several members of a group over the same memory
/// become one read. Null: it is not to be shared.
void reduce_blocks(const BlockLoop& loop, const void* data = nullptr);

/// A group of solves that share reads. Lives longer than its members.
class SharedReads {
 public:
  /// `members` must become Members, each in a thread of its own; shared reads use `threads` (0: as many as this one).
  explicit SharedReads(Index members, int threads = 0);
  SharedReads(const SharedReads&) = delete;
  SharedReads& operator=(const SharedReads&) = delete;

  /// One of the members will not come.
  void withdraw();

  /// The calling thread is a member while it lives.
  class Member {
   public:
    explicit Member(SharedReads& group);
    ~Member();
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    /// What it would have read alone, less its part of what was read together.
    double bytes_saved() const { return bytes_saved_; }

   private:
    friend class SharedReads;
    friend void reduce_blocks(const BlockLoop& loop, const void* data);
    SharedReads& group_;
    double bytes_saved_ = 0.0;
  };

 private:
  struct Request {
    const BlockLoop* loop;
    const void* data;
    bool done = false;
    Index sharers = 1;
    std::exception_ptr error = nullptr;
  };
  friend void reduce_blocks(const BlockLoop& loop, const void* data);
  void join(const BlockLoop& loop, const void* data, Member& member);
  void serve();
  static bool alike(const Request& a, const Request& b);

  std::mutex mutex_;
  std::condition_variable served_;
  Index live_;
  int threads_;
  std::vector<Request*> requests_;
};

}  // namespace pliant::parallel
