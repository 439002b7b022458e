"""Real traces that lockstep does not read rightly yet, and why: tests that go through the whole corpus
leave them out by name. A line goes away with the change that mends it. compare_corpus_test.cpp leaves
out one more, param_linear_kineto.json.gz, whose steps begin in the wrong place.
"""

KNOWN_GAPS = {
    "proton_intra_triton36.json.gz": "in-kernel scopes of Proton are not read as a recording",
}


def without_gaps(paths):
    kept = []
    for path in paths:
        reason = KNOWN_GAPS.get(str(path).rsplit("/", 1)[-1])
        if reason:
            print(f"left out {path}: {reason}")
        else:
            kept.append(path)
    return kept
