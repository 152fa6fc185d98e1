#include "parallel/shared_reads.hpp"

#include "parallel/stop.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace pliant::parallel {
namespace {

thread_local SharedReads::Member* current_member = nullptr;

// While it lives, what this thread reads is nobody else's: what a shared loop itself runs, for one.
class NoMember {
 public:
  NoMember() : before_(std::exchange(current_member, nullptr)) {}
  ~NoMember() { current_member = before_; }
  NoMember(const NoMember&) = delete;
  NoMember& operator=(const NoMember&) = delete;

 private:
  SharedReads::Member* before_;
};

// All loops have the same chunks and blocks.
void run_together(const std::vector<const BlockLoop*>& loops) {
  const BlockLoop& first = *loops.front();
  Index dim = 0;
  for (const BlockLoop* loop : loops) dim += loop->dim;
  std::vector<double> sums(static_cast<std::size_t>(dim), 0.0);
  reduce_chunks(
      first.chunks, dim,
      [&](Index, Index begin, Index end, double* partial) {
        for (Index k = begin; k < end; k += first.block) {
          const Index count = std::min(first.block, end - k);
          double* part = partial;
          for (const BlockLoop* loop : loops) {
            loop->f(k, count, part);
            part += loop->dim;
          }
        }
      },
      sums.data());
  const double* sum = sums.data();
  for (const BlockLoop* loop : loops) {
    for (Index j = 0; j < loop->dim; ++j) loop->out[j] += sum[j];
    sum += loop->dim;
  }
}

void run_alone(const BlockLoop& loop) {
  reduce_chunks(
      loop.chunks, loop.dim,
      [&](Index, Index begin, Index end, double* partial) {
        for (Index k = begin; k < end; k += loop.block) loop.f(k, std::min(loop.block, end - k), partial);
      },
      loop.out);
}

}  // namespace

void reduce_blocks(const BlockLoop& loop, const void* data) {
  SharedReads::Member* const member = current_member;
  if (member == nullptr || data == nullptr || loop.chunks.total == 0) return run_alone(loop);
  const NoMember alone;
  member->group_.join(loop, data, *member);
}

SharedReads::SharedReads(Index members, int threads)
    : live_(members), threads_(threads > 0 ? threads : parallel::threads()) {}

SharedReads::Member::Member(SharedReads& group) : group_(group) { current_member = this; }

SharedReads::Member::~Member() {
  current_member = nullptr;
  group_.withdraw();
}

bool SharedReads::alike(const Request& a, const Request& b) {
  const Chunks &p = a.loop->chunks, &q = b.loop->chunks;
  return a.data == b.data && p.total == q.total && p.count == q.count && a.loop->block == b.loop->block;
}

void SharedReads::join(const BlockLoop& loop, const void* data, Member& member) {
  Request request{&loop, data};
  {
    std::unique_lock lock(mutex_);
    requests_.push_back(&request);
    if (static_cast<Index>(requests_.size()) == live_) serve();
    served_.wait(lock, [&] { return request.done; });
  }
  if (request.error) {
    // Limits of one of them need not be those of another.
    try {
      std::rethrow_exception(request.error);
    } catch (const Stopped&) {
      return run_alone(loop);
    }
  }
  member.bytes_saved_ += loop.bytes * (1.0 - 1.0 / static_cast<double>(request.sharers));
}

void SharedReads::withdraw() {
  const std::lock_guard lock(mutex_);
  --live_;
  if (live_ > 0 && static_cast<Index>(requests_.size()) == live_) serve();
}

// All who are left wait: one of them reads for everyone. Nothing is thrown here: whatever fails, memory for the list of
// loops included, is told to those who wait, who would wait for ever otherwise.
void SharedReads::serve() {
  const ThreadScope scope(threads_);
  std::vector<Request*> left = std::move(requests_);
  requests_.clear();
  while (!left.empty()) {
    const Request& first = *left.front();
    const auto others = std::stable_partition(left.begin(), left.end(), [&](Request* r) { return alike(first, *r); });
    std::exception_ptr error;
    try {
      std::vector<const BlockLoop*> loops;
      for (auto r = left.begin(); r != others; ++r) loops.push_back((*r)->loop);
      run_together(loops);
    } catch (...) {  // every one of them throws it in its own thread
      error = std::current_exception();
    }
    const auto sharers = static_cast<Index>(others - left.begin());
    for (auto r = left.begin(); r != others; ++r) {
      (*r)->sharers = sharers;
      (*r)->error = error;
      (*r)->done = true;
    }
    left.erase(left.begin(), others);
  }
  served_.notify_all();
}

}  // namespace pliant::parallel
