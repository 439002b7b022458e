// The reading thread and its chunks.
#include "io/read_ahead.h"

#include <utility>

namespace lockstep::io {
namespace {

constexpr std::size_t kChunksAhead = 8;
constexpr std::size_t kChunksKept = 24;

}  // namespace

ReadAhead::ReadAhead(ByteSource& source, std::size_t chunk_bytes)
    : source_(source),
      chunk_bytes_(chunk_bytes),
      free_(std::make_shared<ChunkQueue>(kChunksKept)),
      filled_(kChunksAhead),
      thread_("read ahead", [this] { read_all(); }, [this] { filled_.close(); }) {}

ReadAhead::~ReadAhead() { filled_.close(); }

void ReadAhead::read_all() {
  for (;;) {
    std::unique_ptr<Chunk> chunk = free_->try_pop().value_or(nullptr);
    if (!chunk) {
      chunk = std::make_unique<Chunk>();
      chunk->storage.resize(kFront + chunk_bytes_ + kBack);
    }
    auto got = source_.read(std::span(chunk->storage).subspan(kFront, chunk_bytes_));
    if (!got.ok()) failure_ = got.error();
    if (!got.ok() || got.value() == 0) return;
    chunk->size = got.value();
    if (!filled_.push(std::move(chunk))) return;
  }
}

Result<std::shared_ptr<ReadAhead::Chunk>> ReadAhead::next() {
  if (auto chunk = filled_.pop()) {
    const auto give_back = [free = free_](Chunk* used) {
      free->try_push(std::unique_ptr<Chunk>(used));
    };
    return std::shared_ptr<Chunk>(chunk->release(), give_back);
  }
  thread_.rethrow_if_any();
  if (failure_) return *failure_;
  return std::shared_ptr<Chunk>();
}

}  // namespace lockstep::io
