"""Compares what `lockstep cycles --json` says of passes with the truth that tools/model_traces wrote beside a trace."""

import json
import subprocess

# What a scope may be called; None: inference of which nothing more can be known. "decode*9" is one of 9 layers that have
# no scopes, as where a compiler took them apart.
PHASES = {"prefill": "prefill", "draft prefill": "prefill", "decode": "decode", "draft": "decode", "verify": "decode",
          "mixed": "mixed", "encoder": "encoder", "step": "training"}
# A pass is found where it shares so much of its kernels with one that was told.
OVERLAP = 0.9


def without_forks(streams, name):
    """The scopes of a stream, but for those that have more in them on another stream: a library forked a part of them."""
    def kinds(scopes):
        return {path: len({other for other, _, _ in scopes if other.startswith(path + "/")}) for path, _, _ in scopes}
    most = {}
    for stream in streams.values():
        for path, count in kinds(stream["scopes"]).items():
            most[path] = max(count, most.get(path, 0))
    own = streams[name]["scopes"] if name in streams else []
    forked = {path for path, count in kinds(own).items() if count < most[path]}
    return [scope for scope in own if scope[0] not in forked]


def wanted_passes(scopes):
    """(begin, end, phase, layers) of each pass: the training steps, and outside of them the innermost scopes but layers."""
    inference = [scope for scope in scopes if scope[0].partition("/")[0] != "step"]
    around = {path.rpartition("/")[0] for path, _, _ in inference if not path.endswith("/layer")}
    chosen = [scope for scope in scopes if scope[0] == "step"]
    chosen += [scope for scope in inference if not scope[0].endswith("layer") and scope[0] not in around]
    passes = []
    for path, begin, end in chosen:
        layers = [other for other in scopes if other[0].startswith(path + "/") and other[0].endswith("layer") and
                  begin <= other[1] < end]
        micro = [other for other in scopes if other[0] == path + "/micro" and begin <= other[1] < end]
        kind, _, told = path.rpartition("/")[2].partition("*")
        count = int(told) if told else len(layers) // max(1, len(micro))
        if end - begin > 1 or layers:
            passes.append((begin, end, PHASES.get(kind), count or None))
    return passes


def told_passes(stream):
    return [(one["start"], one["end"], a_class["phase"], family["layers"]) for family in stream["families"]
            for a_class in family["classes"] for one in a_class["passes"]]


def overlap(one, other):
    common = min(one[1], other[1]) - max(one[0], other[0])
    return max(0, common) / (max(one[1], other[1]) - min(one[0], other[0]))


def cycles(program, path):
    result = subprocess.run([program, "cycles", "--json", path], capture_output=True, check=True)
    return json.loads(result.stdout)


def compare(document, truth):
    """Counts by what was said: passes found or not, layers and phases right, unknown or wrong; and the faults in words."""
    counts = dict.fromkeys(("passes", "found", "layers right", "layers unknown", "layers wrong", "phase right",
                            "phase unknown", "phase wrong"), 0)
    faults = []
    for stream in document["streams"]:
        told = told_passes(stream)
        for begin, end, phase, layers in wanted_passes(without_forks(truth["streams"], stream["stream"])):
            counts["passes"] += 1
            best = max(told, key=lambda one: overlap(one, (begin, end)), default=None)
            if best is None or overlap(best, (begin, end)) < OVERLAP:
                faults.append(f"no pass [{begin}, {end})")
                continue
            counts["found"] += 1
            word = "unknown" if best[3] is None else "right" if layers in (None, best[3]) else "wrong"
            counts["layers " + word] += 1
            if word == "wrong":
                faults.append(f"pass [{begin}, {end}) has {layers} layers, told are {best[3]}")
            is_unknown = best[2] in ("unknown", "forward") and phase != "training"
            word = "unknown" if is_unknown else "right" if best[2] == phase else "wrong"
            counts["phase " + word] += 1
            if word == "wrong":
                faults.append(f"pass [{begin}, {end}) is {phase or 'of no known phase'}, told is {best[2]}")
    return counts, faults
