"""What tests of `lockstep cycles` share."""

import json

from cli_test_case import CliTestCase
from loop_trace import loop_trace


class CyclesTestCase(CliTestCase):
    def loop(self, name="loop.json", **options):
        return self.write(name, loop_trace(**options))

    def cycles(self, *arguments, **options):
        return json.loads(self.succeed("cycles", "--json", *arguments, **options))

    def only_loop(self, *arguments):
        loops = self.cycles(*arguments)["streams"][0]["loops"]
        self.assertEqual(len(loops), 1)
        return loops[0]
