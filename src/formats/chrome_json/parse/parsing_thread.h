// Cuts and parses a document on a thread of its own, and hands over batches of events.
//
// Three threads share the work on a file: one reads and inflates (ReadAhead), one cuts and parses
// (this), the caller maps events to rows.
#pragma once

#include <memory>
#include <optional>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/threads/bounded_queue.h"
#include "base/threads/on_threads.h"
#include "formats/chrome_json/parse/event_batch.h"
#include "formats/chrome_json/parse/header_facts.h"
#include "formats/shared/format.h"
#include "io/byte_source.h"

namespace lockstep::formats::chrome_json {

// What is known of a document besides its events, once it has been read.
struct ParsedDocument {
  HeaderFacts header;
  Diagnostics diagnostics;
  bool found_event_array = false;
  bool well_formed = false;
};

class ParsingThread {
 public:
  // `bytes` must outlive this object and is used only by its threads until finish().
  ParsingThread(io::ByteSource& bytes, const shared::ReadOptions& options);
  ~ParsingThread();
  ParsingThread(const ParsingThread&) = delete;
  ParsingThread& operator=(const ParsingThread&) = delete;

  // The next batch, in the order of the file; nothing at the end.
  [[nodiscard]] std::unique_ptr<EventBatch> next();
  // Gives a batch back to be filled again.
  void recycle(std::unique_ptr<EventBatch> batch);
  // After the last batch. What was thrown on the thread is thrown here.
  [[nodiscard]] Result<ParsedDocument> finish();

 private:
  class Visitor;

  void run();
  Status parse();

  io::ByteSource& bytes_;
  const std::size_t chunk_bytes_;
  const trace::KeepArguments keep_arguments_;
  BoundedQueue<std::unique_ptr<EventBatch>> batches_;
  BoundedQueue<std::unique_ptr<EventBatch>> used_batches_;
  ParsedDocument document_;
  Status outcome_;
  PipelineThread thread_;
};

}  // namespace lockstep::formats::chrome_json
