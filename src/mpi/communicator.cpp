#include "mpi/communicator.hpp"

#include "machine/memory.hpp"
#include "parallel/stop.hpp"
#include "pliant/types.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <thread>

namespace pliant::mpi {
namespace {

void expect(int code, const char* action) {
  if (code == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  throw InputError(fmt::format("MPI: {} failed: {}", action, text));
}

// Lengths as MPI counts them, and where each text begins when they lie one after the other.
struct Places {
  std::vector<int> lengths, begins;
  std::size_t total = 0;
  bool countable = true;  ///< by MPI, which counts to 2^31

  explicit Places(const std::vector<long long>& sizes) {
    for (const long long size : sizes) {
      begins.push_back(static_cast<int>(total));
      lengths.push_back(static_cast<int>(size));
      total += static_cast<std::size_t>(size);
    }
    countable = total <= static_cast<std::size_t>(std::numeric_limits<int>::max());
  }
};

// The tag of the one message that is no part of a collective.
constexpr int kStop = 1;

constexpr const char* kTooLong = "MPI: the messages of one round have more than 2 GB in all; take fewer rows at a time";

}  // namespace

// MPI spins while it waits, which takes the core from whoever shares it: the first process during its Newton steps. So we
// look, at first all the time, then at every sixteenth of the time waited: so much later than it could have been any answer is
// taken up, however short or long rounds are. A long message comes in pieces, each of which moves only when both
// sides look: once it is known to be on its way, nobody sleeps for as long as any message takes that is not stuck.
void Communicator::wait(MPI_Request& request, Awaited awaited) const {
  using namespace std::chrono;
  const auto kEager = awaited == Awaited::travelling ? microseconds(200'000) : microseconds(200);
  constexpr auto kLongest = microseconds(500);
  constexpr int kLooks = 16;                     // while the time waited doubles
  constexpr auto kPatience = milliseconds(500);  // mpirun lets a process live for a second after it told it to end
  const parallel::StopSign* const sign = parallel::stop_sign();
  // What is asked for after an interrupt, and in spite of it, takes as long as it takes.
  const bool expected = sign == nullptr && interrupt_ != nullptr && interrupt_->load();
  const auto begin = steady_clock::now();
  auto interrupted = steady_clock::time_point::max();
  int done = 0;
  for (;;) {
    expect(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "waiting");
    if (done != 0) return;
    const auto now = steady_clock::now();
    if (rank_ == 0 && sign != nullptr && sign->raised()) ask_others_to_stop();
    if (!expected && interrupt_ != nullptr && interrupt_->load()) interrupted = std::min(interrupted, now);
    if (interrupted < now - kPatience) {
      throw Silence("interrupted while other processes were silent");
    }
    if (now - begin < kEager) {
      ::sched_yield();
    } else {
      std::this_thread::sleep_for(std::min<steady_clock::duration>(kLongest, (now - begin) / kLooks));
    }
  }
}

// A message without content, which needs no buffer and is under way at once.
void Communicator::ask_others_to_stop() const {
  if (asked_to_stop_) return;
  asked_to_stop_ = true;
  for (int p = 1; p < size_; ++p) {
    MPI_Request request = MPI_REQUEST_NULL;
    expect(MPI_Isend(nullptr, 0, MPI_BYTE, p, kStop, comm_, &request), "asking others to stop");
    notes_.push_back(request);
  }
}

bool Communicator::told_to_stop() const {
  if (asked_to_stop_) return true;
  int there = 0;
  expect(MPI_Iprobe(0, kStop, comm_, &there, MPI_STATUS_IGNORE), "looking for messages");
  if (there == 0) return false;
  hear_stop();
  return true;
}

void Communicator::hear_stop() const {
  if (asked_to_stop_) return;
  expect(MPI_Recv(nullptr, 0, MPI_BYTE, 0, kStop, comm_, MPI_STATUS_IGNORE), "hearing of a stop");
  asked_to_stop_ = true;
}

Communicator::Communicator(MPI_Comm comm, const std::atomic<bool>* interrupt) : interrupt_(interrupt) {
  expect(MPI_Comm_dup(comm, &comm_), "duplicating the communicator");
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

Communicator::~Communicator() {
  int finished = 0;
  MPI_Finalized(&finished);
  if (finished != 0) return;
  for (MPI_Request& note : notes_) MPI_Request_free(&note);  // heard, or nobody is there to hear
  MPI_Comm_free(&comm_);
}

int Communicator::sum_here(int number) const {
  MPI_Comm here = MPI_COMM_NULL;
  expect(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here), "finding neighbours");
  int sum = 0;
  expect(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, here), "a sum");
  MPI_Comm_free(&here);
  return sum;
}

std::string Communicator::scatter(const std::vector<std::string>& texts) const {
  std::vector<long long> sizes;
  std::string all;
  for (const std::string& text : texts) {
    sizes.push_back(static_cast<long long>(text.size()));
    all += text;
  }
  const Places places(sizes);
  if (!places.countable) throw InputError(kTooLong);
  long long own = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  expect(MPI_Iscatter(sizes.data(), 1, MPI_LONG_LONG, &own, 1, MPI_LONG_LONG, 0, comm_, &request), "scatter");
  wait(request, Awaited::not_begun);
  std::string out(static_cast<std::size_t>(own), '\0');
  expect(MPI_Iscatterv(all.data(), places.lengths.data(), places.begins.data(), MPI_BYTE, out.data(),
                       static_cast<int>(own), MPI_BYTE, 0, comm_, &request),
         "scatter");
  wait(request, Awaited::travelling);
  return out;
}

Gathered Communicator::gather(const std::string& text) const {
  const auto own = static_cast<long long>(text.size());
  std::vector<long long> sizes(rank_ == 0 ? static_cast<std::size_t>(size_) : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  expect(MPI_Igather(&own, 1, MPI_LONG_LONG, sizes.data(), 1, MPI_LONG_LONG, 0, comm_, &request), "gather");
  wait(request, Awaited::not_begun);
  const Places places(sizes);
  if (!places.countable) {  // the others are under way already
    fmt::print(stderr, "pliant: {}\n", kTooLong);
    MPI_Abort(comm_, 1);
  }
  Gathered out{std::make_unique_for_overwrite<char[]>(places.total), {}};
  machine::prefer_large_pages(out.bytes.get(), static_cast<Index>(places.total));
  expect(MPI_Igatherv(text.data(), static_cast<int>(own), MPI_BYTE, out.bytes.get(), places.lengths.data(),
                      places.begins.data(), MPI_BYTE, 0, comm_, &request),
         "gather");
  wait(request, Awaited::travelling);
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    out.texts.emplace_back(out.bytes.get() + places.begins[p], static_cast<std::size_t>(sizes[p]));
  }
  return out;
}

std::string Communicator::broadcast(const std::string& text) const {
  return scatter(rank_ == 0 ? std::vector<std::string>(static_cast<std::size_t>(size_), text)
                            : std::vector<std::string>());
}

}  // namespace pliant::mpi
