// Writes the bytes of a Kineto trace, laid out as PyTorch's profiler lays them out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "byte_sink.h"
#include "options.h"
#include "truth.h"
#include "workload.h"

namespace lockstep::tracegen {

// Usage: header(), pass() for each pass, footer(). Every event that is written is also told to
// Truth here, so that the truth cannot drift from the file. Within a pass the order is Kineto's:
// host operators, then for each launch the work, its flow end, the call, its flow start.
class KinetoEmitter {
 public:
  KinetoEmitter(const Options& options, ByteSink& sink, Truth& truth);

  void header();
  void pass(const Pass& pass);
  void footer();

  // The time of the run's first event as it stands in the file.
  std::int64_t first_ts_ns() const { return base_ns_; }

 private:
  void put(std::string_view text) {
    if (is_compact_) {
      put_compact(text);
    } else {
      sink_.append(text);
    }
  }
  void put_uint(std::uint64_t value) { sink_.append_uint(value); }
  void put_compact(std::string_view text);
  void open_event();
  void close_event() { put("\n  }"); }
  void put_name_and_place(Category category, std::string_view name, std::uint64_t pid,
                          std::uint64_t tid);
  void put_complete(Category category, std::int64_t start_ns, std::int64_t end_ns);

  void host_event(const HostEvent& event, const Pass& pass);
  void launch_events(const Launch& launch, const Pass& pass);
  void kernel_event(const Launch& launch, const Pass& pass);
  void memory_event(const Launch& launch);
  void api_event(const Launch& launch);
  void flow_start(const Launch& launch);
  void flow_finish(const Launch& launch, std::uint64_t pid, std::uint64_t tid, std::int64_t ns);
  void put_device_place(const Launch& launch);
  void put_collective(const Collective& call);
  void device_annotation(const DeviceAnnotation& annotation, const Pass& pass);
  void overhead(const Overhead& event);
  void counter(std::uint32_t device, const Pass& pass);

  void device_properties();
  void distributed_info();
  void metadata(std::string_view name, std::string_view pid, std::uint64_t tid,
                std::string_view args);
  void process_metadata();
  void thread_metadata();
  void closing_events();

  const Options& options_;
  ByteSink& sink_;
  Truth& truth_;
  const bool is_compact_;
  bool is_inside_string_ = false;
  bool is_first_event_ = true;
  std::int64_t base_ns_;
  std::uint32_t pid_;
  std::string_view flow_category_;
  std::string_view flow_name_;
  std::string group_json_;  // the arguments that say which ranks take part
};

}  // namespace lockstep::tracegen
