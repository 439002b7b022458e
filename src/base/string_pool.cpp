// Open-addressing hash table over an arena of characters.
#include "base/string_pool.h"

#include <algorithm>
#include <cstring>

#include <xxhash.h>

namespace lockstep {
namespace {

constexpr std::size_t kFirstSlots = 1024;
constexpr std::size_t kBlockBytes = 64 * 1024;

std::uint64_t hash_of(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }
std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

StringPool::StringPool() : slots_(kFirstSlots) { intern({}); }

std::size_t StringPool::find_slot(std::uint64_t hash, std::string_view text) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint32_t tag = tag_of(hash);
  std::size_t i = hash & mask;
  for (;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.id_plus_one == 0) return i;
    if (slot.tag == tag && views_[slot.id_plus_one - 1] == text) return i;
  }
}

StringId StringPool::intern(std::string_view text) {
  const std::uint64_t hash = hash_of(text);
  std::size_t i = find_slot(hash, text);
  if (slots_[i].id_plus_one != 0) return StringId{slots_[i].id_plus_one - 1};
  if ((views_.size() + 1) * 2 > slots_.size()) {
    grow();
    i = find_slot(hash, text);
  }
  views_.push_back(store(text));
  slots_[i] = {tag_of(hash), static_cast<std::uint32_t>(views_.size())};
  return StringId{static_cast<std::uint32_t>(views_.size() - 1)};
}

std::optional<StringId> StringPool::find(std::string_view text) const {
  const std::uint32_t id_plus_one = slots_[find_slot(hash_of(text), text)].id_plus_one;
  if (id_plus_one == 0) return std::nullopt;
  return StringId{id_plus_one - 1};
}

std::string_view StringPool::store(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > block_left_) {
    const std::size_t bytes = std::max(kBlockBytes, text.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
    block_next_ = blocks_.back().get();
    block_left_ = bytes;
  }
  std::memcpy(block_next_, text.data(), text.size());
  const std::string_view stored(block_next_, text.size());
  block_next_ += text.size();
  block_left_ -= text.size();
  return stored;
}

void StringPool::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.id_plus_one == 0) continue;
    const std::string_view text = views_[slot.id_plus_one - 1];
    slots_[find_slot(hash_of(text), text)] = slot;
  }
}

}  // namespace lockstep
