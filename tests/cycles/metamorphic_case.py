"""What tests of changed traces share: where traces are, what `lockstep cycles` says of them and what is compared."""
import glob
import json
import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("cli", "corpus")]
from cli_test_case import CliTestCase, some_of  # noqa: E402

import loop_oracle  # noqa: E402
from known_gaps import without_gaps  # noqa: E402

ROOT = Path(__file__).parents[2]
FIXTURES = sorted(glob.glob(str(ROOT / "tests/models/fixtures/*.json.gz")))
EXAMPLES = [str(ROOT / "examples" / name) for name in ("llama_eager.json.gz", "llama_compiled.json.gz")]


def all_of_corpus(*patterns):
    root = os.environ.get("LOCKSTEP_CORPUS")
    if not root:
        return []
    return without_gaps(sorted(path for pattern in patterns for path in glob.glob(os.path.join(root, pattern))))


def corpus(*patterns):
    return some_of(all_of_corpus(*patterns))


def place(loop):
    return loop["start"], loop["complete"], loop["period"]


def shape(document):
    """All loops, as where they are and what they lie in."""
    shapes = []
    for stream in document["streams"]:
        periods = {loop["id"]: loop["period"] for loop in stream["loops"]}
        shapes += [(stream["device"], stream["stream"], loop["depth"], *place(loop),
                    periods.get(loop["parent"]), loop["exact"], loop["exceptions"],
                    loop["instances"]) for loop in stream["loops"]]
    return shapes


class MetamorphicTestCase(CliTestCase):
    maxDiff = 2000

    def cycles(self, text, check=False):
        """Of a document, as text; `check` also asks the oracle."""
        path = self.write("trace.json", text)
        document = json.loads(self.succeed("cycles", "--json", path))
        if check:
            self.assertEqual(loop_oracle.faults(document, path), [])
        return document

    def loops(self, text, check=False):
        (stream,) = self.cycles(text, check)["streams"]
        return stream["loops"]
