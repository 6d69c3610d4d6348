#include "witness_thread.h"

#include <algorithm>

#include "text.h"
#include "thread_name.h"

namespace pollux {

void WitnessThread::start() {
  thread_ = std::thread([this] {
    name_this_thread("witness");
    run();
  });
}

void WitnessThread::stop() {
  jobs_.stop();
  if (thread_.joinable()) thread_.join();
}

void WitnessThread::give(Job job) {
  if (jobs_.size() < jobs_max) return jobs_.push(std::move(job));
  const std::string why = "the witness has not answered for a while";
  if (const auto* read = std::get_if<ReadWitness>(&job)) {
    answer(read->ticket, {.outcome = WitnessSaid::Outcome::in_doubt, .view = {}, .text = why});
  } else if (const auto* proposal = std::get_if<ProposeWitness>(&job)) {
    answer(proposal->ticket, {.outcome = WitnessSaid::Outcome::in_doubt, .view = {}, .text = why});
  } else if (const auto* adoption = std::get_if<AdoptWitness>(&job)) {
    answer(adoption->ticket, {.outcome = WitnessSaid::Outcome::in_doubt, .view = {}, .text = why});
  }
}

void WitnessThread::run() {
  std::vector<Job> jobs;
  while (jobs_.take_all(jobs) != Taken::stopped) {
    // A floor costs a flush and nobody waits for it: first what is waited for, then the newest floor only.
    std::optional<RaiseFloor> floor;
    for (Job& job : jobs) {
      if (auto* raise = std::get_if<RaiseFloor>(&job)) {
        floor = std::move(*raise);
      } else {
        std::visit([this](const auto& each) { carry_out(each); }, job);
      }
    }
    jobs.clear();
    if (floor) carry_out(*floor);
  }
}

void WitnessThread::carry_out(const ReadWitness& job) {
  parts_.counters.witness_calls.fetch_add(1, std::memory_order_relaxed);
  answer(job.ticket, parts_.witness.read());
}

void WitnessThread::carry_out(const ProposeWitness& job) {
  parts_.counters.witness_calls.fetch_add(1, std::memory_order_relaxed);
  answer(job.ticket, parts_.witness.propose(job.next));
}

void WitnessThread::carry_out(const AdoptWitness& job) {
  parts_.counters.witness_calls.fetch_add(1, std::memory_order_relaxed);
  Witness::Answer said = parts_.witness.adopt(job.refused, job.next);
  if (said.outcome != WitnessSaid::Outcome::won) {
    parts_.log.warning(cat("the witness does not take what this pair knows: ", said.text));
  }
  answer(job.ticket, std::move(said));
}

void WitnessThread::carry_out(const RaiseFloor& job) {
  parts_.counters.witness_calls.fetch_add(1, std::memory_order_relaxed);
  const auto raised = parts_.witness.raise_floor(job.configuration);
  // Refused: another configuration stands there by now, and core learns of it anyway.
  const bool failed = !raised && raised.error().code != Code::witness_refused;
  if (failed && !floor_failed_) parts_.log.warning(cat("the witness can't take a floor: ", raised.error().text));
  floor_failed_ = failed;
}

void WitnessThread::answer(std::uint64_t ticket, Witness::Answer answer) {
  parts_.inbox.post(Event{WitnessSaid{.ticket = ticket,
                                      .outcome = answer.outcome,
                                      .view = std::move(answer.view),
                                      .text = std::move(answer.text)}});
}

}  // namespace pollux
