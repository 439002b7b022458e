// The parsing thread.
#include "formats/chrome_json/parse/parsing_thread.h"

#include <utility>

#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/parse/event_parser.h"
#include "formats/chrome_json/scan/document_cutter.h"
#include "formats/shared/text_damage.h"
#include "io/read_ahead.h"

namespace lockstep::formats::chrome_json {
namespace {

// Enough to keep both sides busy, few enough to stay in the cache.
constexpr std::size_t kBatchesInFlight = 8;

// Where fewer events come at a time, as between damaged ones, up to so many hand-overs become one.
constexpr std::size_t kManyEvents = 64;
constexpr std::size_t kMostJoined = 64;

// Of a key, to say which value is meant.
constexpr std::size_t kMaxExampleBytes = 100;

// Thrown on the thread and caught by it: the rest of the document would be parsed for nobody.
struct Abandoned {};

}  // namespace

// Receives the parts of the document in the order of the file.
class ParsingThread::Visitor : public DocumentVisitor {
 public:
  explicit Visitor(ParsingThread& owner) : owner_(owner), parser_(owner.keep_arguments_) {}

  void on_root_value(std::string_view key, std::string_view json) override {
    if (shared::is_damaged_text(key) || shared::is_damaged_text(json))
      add(shared::kDamagedText, {});
    say(key, owner_.document_.header.take(key, json));
  }

  void on_large_root_value(std::string_view key, std::string_view piece, bool is_last) override {
    large_is_damaged_ |= shared::is_damaged_text(piece);
    if (!is_last) return;
    if (std::exchange(large_is_damaged_, false) || shared::is_damaged_text(key))
      add(shared::kDamagedText, {});
    say(key, owner_.document_.header.pass_over(key));
  }

  std::size_t on_events(WindowBuffer& window, std::span<const EventCut> cuts) override {
    const std::shared_ptr<const void> owner = window.owner();
    if (batch_ && batch_->text_owner() != owner.get()) hand_over();
    if (!batch_) begin_batch(owner);
    batch_->make_room(cuts.size());
    const std::size_t taken = parser_.parse_window(window.data(), cuts, window.offset(), *batch_);
    if (batch_->events().size() >= kManyEvents || ++joined_ == kMostJoined) hand_over();
    return taken;
  }

  // What is still held back, to the caller. A queue that refuses has been closed by one that gave
  // up.
  void hand_over() {
    if (batch_ && !owner_.batches_.push(std::move(batch_))) throw Abandoned();
  }

 private:
  void begin_batch(std::shared_ptr<const void> text_owner) {
    batch_ = owner_.used_batches_.try_pop().value_or(nullptr);
    if (!batch_) batch_ = std::make_unique<EventBatch>();
    batch_->clear(std::move(text_owner));
    joined_ = 0;
  }

  void add(const DiagnosticKind& kind, std::string_view example) {
    owner_.document_.diagnostics.add(kind, Place::none(), example);
  }

  void say(std::string_view key, HeaderFacts::Taken taken) {
    if (!taken.is_read) {
      add(kUnreadHeader, key);
    } else if (!taken.is_kept) {
      add(kOversizedValue, key.substr(0, kMaxExampleBytes));
    }
  }

  ParsingThread& owner_;
  EventParser parser_;
  std::unique_ptr<EventBatch> batch_;  // that is being filled
  std::size_t joined_ = 0;             // so many hand-overs of the cutter are in it
  bool large_is_damaged_ = false;
};

ParsingThread::ParsingThread(io::ByteSource& bytes, const shared::ReadOptions& options)
    : bytes_(bytes),
      chunk_bytes_(options.chunk_bytes),
      keep_arguments_(options.keep_arguments),
      batches_(kBatchesInFlight),
      used_batches_(kBatchesInFlight),
      thread_("parse JSON", [this] { run(); }, [this] { batches_.close(); }) {}

ParsingThread::~ParsingThread() { batches_.close(); }

std::unique_ptr<EventBatch> ParsingThread::next() { return batches_.pop().value_or(nullptr); }

void ParsingThread::recycle(std::unique_ptr<EventBatch> batch) {
  batch->clear(nullptr);  // lets go of the text
  used_batches_.try_push(std::move(batch));
}

Result<ParsedDocument> ParsingThread::finish() {
  thread_.join();
  thread_.rethrow_if_any();
  if (!outcome_.ok()) return outcome_.error();
  return std::move(document_);
}

void ParsingThread::run() {
  try {
    outcome_ = parse();
  } catch (const Abandoned&) {
    // Nobody waits for the outcome.
  }
}

Status ParsingThread::parse() {
  io::ReadAhead chunks(bytes_, chunk_bytes_);
  Visitor visitor(*this);
  DocumentCutter cutter(chunks, visitor, document_.diagnostics);
  LOCKSTEP_RETURN_IF_ERROR(cutter.run());
  visitor.hand_over();
  document_.found_event_array = cutter.found_event_array();
  document_.well_formed = cutter.well_formed();
  return {};
}

}  // namespace lockstep::formats::chrome_json
