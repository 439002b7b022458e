// Checks of header and section entries: every size comes from the file and may be anything.
#include "formats/kernel_profile/lkp_sections.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "formats/kernel_profile/kernel_findings.h"

namespace lockstep {
namespace {

// There are six kinds; a table much longer than that is no table.
constexpr std::size_t kMaxSections = 4096;

Result<lkp::Header> checked_header(std::span<const std::byte> bytes, Diagnostics& findings) {
  if (bytes.size() < sizeof(lkp::Header)) {
    return input_error({}, fmt::format("the file ends inside its header ({} of {} bytes)",
                                       bytes.size(), sizeof(lkp::Header)));
  }
  const auto header = load<lkp::Header>(bytes.data());
  if (header.version != lkp::kVersion) {
    return input_error({}, fmt::format("version {} of .lkp is not known", header.version),
                       "This lockstep reads version 1; a newer one may read it");
  }
  if (header.header_bytes < sizeof(lkp::Header)) {
    return input_error({}, fmt::format("a header of {} bytes is too short", header.header_bytes));
  }
  if (header.file_bytes > bytes.size()) {
    findings.add(kTruncatedProfile, Place::byte(bytes.size()),
                 fmt::format("{} bytes are missing at the end", header.file_bytes - bytes.size()));
  } else if (header.file_bytes < bytes.size()) {
    findings.add(kBytesAfterProfile, Place::byte(header.file_bytes),
                 fmt::format("{} bytes", bytes.size() - header.file_bytes),
                 bytes.size() - header.file_bytes);
  }
  return header;
}

// The bytes of the section that lie in the file.
std::span<const std::byte> bytes_of(const lkp::Section& section, std::span<const std::byte> file,
                                    Diagnostics& findings) {
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
  return file.subspan(section.offset, items * section.item_bytes);
}

class SectionFiller {
 public:
  SectionFiller(std::span<const std::byte> file, Diagnostics& findings)
      : file_(file), findings_(findings) {}

  void fill(const lkp::Section& section, std::uint64_t place) {
    place_ = place;
    section_ = section;
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
        return fill_view(sections_.records);
      case lkp::SectionKind::kRegion:
        return fill_view(sections_.regions);
    }
    findings_.add(kUnknownSection, Place::byte(place), fmt::format("kind {}", section.kind));
  }
  [[nodiscard]] const LkpSections& sections() const { return sections_; }

 private:
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
    sections_.meta = bytes_of(section_, file_, findings_);
  }
  template <typename Item>
  void fill_view(ItemView<Item>& view) {
    if (!is_usable(sizeof(Item), !view.empty())) return;
    view = ItemView<Item>(bytes_of(section_, file_, findings_), section_.item_bytes);
  }

  std::span<const std::byte> file_;
  Diagnostics& findings_;
  lkp::Section section_{};
  std::uint64_t place_ = 0;
  LkpSections sections_;
};

}  // namespace

bool is_lkp(std::span<const std::byte> bytes) {
  return bytes.size() >= lkp::kMagic.size() &&
         std::memcmp(bytes.data(), lkp::kMagic.data(), lkp::kMagic.size()) == 0;
}

Result<LkpSections> find_lkp_sections(std::span<const std::byte> bytes, Diagnostics& findings) {
  LOCKSTEP_ASSIGN_OR_RETURN(const lkp::Header header, checked_header(bytes, findings));
  const std::span<const std::byte> table = header.header_bytes < bytes.size()
                                               ? bytes.subspan(header.header_bytes)
                                               : std::span<const std::byte>{};
  const ItemView<lkp::Section> entries(table);
  if (entries.size() < header.sections) {
    findings.add(
        kTruncatedProfile, Place::byte(bytes.size()),
        fmt::format("{} of {} section entries are there", entries.size(), header.sections));
  }
  const std::size_t stated = std::min<std::size_t>(entries.size(), header.sections);
  if (stated > kMaxSections) {
    findings.add(kBadSection, Place::byte(header.header_bytes),
                 fmt::format("{} sections; the first {} were looked at", stated, kMaxSections));
  }
  SectionFiller filler(bytes, findings);
  for (std::size_t i = 0; i < std::min(stated, kMaxSections); ++i) {
    filler.fill(entries[i], header.header_bytes + i * sizeof(lkp::Section));
  }
  return filler.sections();
}

}  // namespace lockstep
