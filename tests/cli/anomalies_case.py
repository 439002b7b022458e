"""What the tests of `lockstep anomalies` share."""

import json
from pathlib import Path

from cli_test_case import CliTestCase
from stall_trace import stall_trace

ROOT = Path(__file__).parents[2]


class AnomaliesTestCase(CliTestCase):
    def stalls(self, name="stalls.json", **options):
        return self.write(name, stall_trace(**options))

    def anomalies(self, *arguments, **options):
        document = json.loads(self.succeed("anomalies", "--json", *arguments, **options))
        return document["anomaly_discovery"]
