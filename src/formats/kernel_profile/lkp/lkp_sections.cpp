// Checks of header and section entries: every size comes from the file and may be anything.
#include "formats/kernel_profile/lkp/lkp_sections.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "formats/kernel_profile/kernel_findings.h"

namespace lockstep::formats::kernel_profile {
namespace {

// There are six kinds; a table much longer than that is no table.
constexpr std::size_t kMaxSections = 4096;

Result<lkp::Header> checked_header(const io::FileBytes& file, Diagnostics& findings) {
  if (file.size() < sizeof(lkp::Header)) {
    return input_error({}, fmt::format("the file ends inside its header ({} of {} bytes)",
                                       file.size(), sizeof(lkp::Header)));
  }
  lkp::Header header{};
  file.read(0, std::as_writable_bytes(std::span(&header, 1)));
  if (header.version != lkp::kVersion) {
    return input_error({}, fmt::format("version {} of .lkp is not known", header.version),
                       "This lockstep reads version 1; a newer one may read it");
  }
  if (header.header_bytes < sizeof(lkp::Header)) {
    return input_error({}, fmt::format("a header of {} bytes is too short", header.header_bytes));
  }
  if (header.file_bytes > file.size()) {
    findings.add(kTruncatedProfile, Place::byte(file.size()),
                 fmt::format("{} bytes are missing at the end", header.file_bytes - file.size()));
  } else if (header.file_bytes < std::min<std::uint64_t>(header.header_bytes, file.size())) {
    findings.add(
        kBadSection, Place::byte(offsetof(lkp::Header, file_bytes)),
        fmt::format("the file states its end at byte {}, inside its header", header.file_bytes));
  } else if (header.file_bytes < file.size()) {
    findings.add(kBytesAfterProfile, Place::byte(header.file_bytes),
                 fmt::format("{} bytes", file.size() - header.file_bytes),
                 file.size() - header.file_bytes);
  }
  return header;
}

// The items of the section that lie in the file.
LkpItems items_of(const lkp::Section& section, const io::FileBytes& file, Diagnostics& findings) {
  if (section.offset >= file.size()) {
    if (section.items > 0) {
      findings.add(kTruncatedProfile, Place::byte(file.size()),
                   fmt::format("section {} begins behind the end", section.kind));
    }
    return {};
  }
  const std::uint64_t room = (file.size() - section.offset) / section.item_bytes;
  const std::uint64_t items = std::min(section.items, room);
  if (items < section.items) {
    findings.add(
        kTruncatedProfile, Place::byte(file.size()),
        fmt::format("{} of {} items of section {} are there", items, section.items, section.kind));
  }
  return {section.offset, section.item_bytes, items};
}

class SectionFiller {
 public:
  SectionFiller(const io::FileBytes& file, Diagnostics& findings)
      : file_(file), findings_(findings) {}

  void fill(const lkp::Section& section, std::uint64_t place) {
    place_ = place;
    section_ = section;
    if (section.kind < seen_.size()) seen_[section.kind] = true;
    switch (static_cast<lkp::SectionKind>(section.kind)) {
      case lkp::SectionKind::kMeta:
        return fill_meta();
      case lkp::SectionKind::kLaunch:
        return fill_view(sections_.launches);
      case lkp::SectionKind::kLane:
        return fill_view(sections_.lanes);
      case lkp::SectionKind::kAnchor:
        return fill_view(sections_.anchors);
      case lkp::SectionKind::kRecord:
        return fill_items(sections_.records, sizeof(lkp::Record));
      case lkp::SectionKind::kRegion:
        return fill_items(sections_.regions, sizeof(lkp::Region));
    }
    // No version will have a section 0; zeroes stand where an entry was.
    if (section.kind == 0) return refuse("is none");
    if (!is_usable(1, false)) return;
    items_of(section, file_, findings_);
    findings_.add(kUnknownSection, Place::byte(place), fmt::format("kind {}", section.kind));
    has_unknown_ = true;
  }
  // A section that a later version has added stands beside those of this one, not in their place.
  void judge_unknown() {
    using enum lkp::SectionKind;
    if (!has_unknown_) return;
    for (const lkp::SectionKind kind : {kMeta, kLaunch, kLane}) {
      if (has_seen(kind)) continue;
      findings_.add(kBadSection, {},
                    fmt::format("section {} is missing, and one of an unknown kind is there",
                                static_cast<std::uint32_t>(kind)));
    }
    if (!has_seen(kRecord) && !has_seen(kRegion)) {
      findings_.add(kBadSection, {},
                    "no section holds records, and one of an unknown kind is there");
    }
  }
  [[nodiscard]] LkpSections take() { return std::move(sections_); }

 private:
  [[nodiscard]] bool has_seen(lkp::SectionKind kind) const {
    return seen_[static_cast<std::size_t>(kind)];
  }
  void refuse(const std::string& why) {
    findings_.add(kBadSection, Place::byte(place_),
                  fmt::format("section {} {}", section_.kind, why));
  }
  bool is_usable(std::size_t known_bytes, bool is_taken) {
    if (section_.item_bytes < known_bytes) {
      refuse(fmt::format("has items of {} bytes, {} are needed", section_.item_bytes, known_bytes));
    } else if (section_.offset % lkp::kSectionAlignment != 0) {
      refuse(fmt::format("begins at byte {}, no multiple of 64", section_.offset));
    } else if (section_.offset < sizeof(lkp::Header)) {
      refuse("lies in the header");
    } else if (is_taken) {
      refuse("is there twice");
    } else {
      return true;
    }
    return false;
  }
  void fill_meta() {
    if (!is_usable(1, !sections_.meta.empty())) return;
    if (section_.item_bytes != 1) return refuse("is text, and has items of more than one byte");
    sections_.meta = read();
  }
  template <typename Item>
  void fill_view(ItemView<Item>& view) {
    if (!is_usable(sizeof(Item), !view.empty())) return;
    view = ItemView<Item>(read(), section_.item_bytes);
  }
  void fill_items(LkpItems& items, std::size_t known_bytes) {
    if (!is_usable(known_bytes, items.size != 0)) return;
    items = items_of(section_, file_, findings_);
  }
  std::span<const std::byte> read() {
    const LkpItems items = items_of(section_, file_, findings_);
    return file_.read(items.offset, items.size * items.item_bytes, sections_.kept.emplace_back());
  }

  const io::FileBytes& file_;
  Diagnostics& findings_;
  lkp::Section section_{};
  std::uint64_t place_ = 0;
  std::array<bool, 7> seen_{};  // by kind
  bool has_unknown_ = false;
  LkpSections sections_;
};

}  // namespace

bool is_lkp(const io::FileBytes& file) {
  std::array<std::byte, lkp::kMagic.size()> first{};
  if (file.size() < first.size()) return false;
  file.read(0, first);
  return std::memcmp(first.data(), lkp::kMagic.data(), first.size()) == 0;
}

Result<LkpSections> find_lkp_sections(const io::FileBytes& file, Diagnostics& findings) {
  LOCKSTEP_ASSIGN_OR_RETURN(const lkp::Header header, checked_header(file, findings));
  const std::uint64_t room = header.header_bytes < file.size()
                                 ? (file.size() - header.header_bytes) / sizeof(lkp::Section)
                                 : 0;
  if (room < header.sections) {
    findings.add(kTruncatedProfile, Place::byte(file.size()),
                 fmt::format("{} of {} section entries are there", room, header.sections));
  }
  if (header.sections == 0 && file.size() > header.header_bytes) {
    findings.add(kBadSection, Place::byte(offsetof(lkp::Header, sections)),
                 "the header states no sections, and the file goes on behind it");
  }
  const auto stated = std::min<std::uint64_t>(room, header.sections);
  if (stated > kMaxSections) {
    findings.add(kBadSection, Place::byte(header.header_bytes),
                 fmt::format("{} sections; the first {} were looked at", stated, kMaxSections));
  }
  std::vector<lkp::Section> entries(std::min<std::uint64_t>(stated, kMaxSections));
  if (!entries.empty()) file.read(header.header_bytes, std::as_writable_bytes(std::span(entries)));
  SectionFiller filler(file, findings);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    filler.fill(entries[i], header.header_bytes + i * sizeof(lkp::Section));
  }
  filler.judge_unknown();
  return filler.take();
}

}  // namespace lockstep::formats::kernel_profile
