"""What tests of `lockstep kernel decode` share."""

import json
from pathlib import Path

import schema_check
from cli_test_case import CliTestCase
from kernel_file import pipeline

SCHEMA = Path(__file__).parents[2] / "docs/reference/kernel-decode.schema.json"


class KernelTestCase(CliTestCase):
    def pipeline(self, name="a.lkp", **how):
        return self.write(name, pipeline(**how))

    def decode(self, *arguments, **options):
        document = json.loads(self.succeed("kernel", "decode", "--json", *arguments, **options))
        faults = list(schema_check.faults(document, json.loads(SCHEMA.read_text())))
        self.assertEqual(faults, [])
        return document

    def decode_with_findings(self, *arguments):
        """The document of an input that the program warns of."""
        done = self.run_lockstep("kernel", "decode", "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(list(schema_check.faults(document, json.loads(SCHEMA.read_text()))), [])
        return document, done.stderr.decode()
