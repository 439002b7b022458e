// Device by device.
#include "report/anomalies/words/anomaly_words.h"

#include "report/anomalies/words/artefact_words.h"
#include "report/anomalies/words/cause_words.h"
#include "report/anomalies/words/evidence_gap_words.h"
#include "report/anomalies/words/small_ops_words.h"

namespace lockstep::report::anomalies {
namespace {

DeviceWords device_sentences(const analysis::anomalies::DeviceAnomalies& device,
                             const trace::Trace& trace) {
  DeviceWords words;
  words.answers = answer_words(trace, device);
  for (const analysis::anomalies::Finding& finding : device.findings)
    words.findings.push_back(finding_words(trace, device, finding));
  for (const analysis::anomalies::SoftCause& cause : device.causes)
    words.causes.push_back(cause_words(cause));
  for (const analysis::anomalies::Artefact& artefact : device.artefacts)
    words.artefacts.push_back(artefact_words(trace, device, artefact));
  words.small_ops = small_ops_words(device.ops.small);
  return words;
}

}  // namespace

AnomalyWords anomaly_words(const analysis::anomalies::Anomalies& anomalies,
                           const trace::Trace& trace) {
  AnomalyWords words;
  for (const analysis::anomalies::DeviceAnomalies& device : anomalies.devices)
    words.devices.push_back(device_sentences(device, trace));
  for (const analysis::anomalies::Recommendation& one : anomalies.recommendations)
    words.recommendations.push_back(recommendation_words(trace, one));
  for (const analysis::anomalies::EvidenceGap& gap : anomalies.evidence_gaps)
    words.evidence_gaps.push_back(evidence_gap_words(trace, anomalies.devices, gap));
  return words;
}

}  // namespace lockstep::report::anomalies
