"""`lockstep info` from outside: text, JSON, CSV, pipes, --strict."""

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import unittest
from pathlib import Path

import schema_check
from cli_test_case import BASE_NS, PROGRAM, CliTestCase, complete, kineto, main, small_events

SCHEMA = Path(__file__).parents[2] / "docs/reference/info.schema.json"


class InfoJson(CliTestCase):
    def test_figures_of_a_small_trace_are_exact(self):
        document = self.info(self.small_trace())
        self.assertEqual(document["schema"], "lockstep.info/2")
        self.assertEqual(document["format"], "kineto")
        self.assertEqual(document["compression"], "none")
        self.assertEqual(document["clock"], "epoch")
        self.assertEqual(document["origin_ns"], str(BASE_NS + 1_000_000))
        self.assertEqual(document["events"], 12)
        self.assertEqual(document["by_kind"],
                         {"kernel": 4, "host_op": 1, "runtime_call": 4, "annotation": 3})
        self.assertEqual(document["kernels"], 4)
        self.assertEqual(document["host_events"], 8)
        self.assertEqual(document["flows"], 4)
        self.assertEqual(document["host_threads"], 1)
        self.assertEqual(document["span_ns"], 1_100_000)
        self.assertEqual(document["device_span_ns"], 650_000)
        self.assertEqual(document["device_busy_ns"], 299_500)
        self.assertEqual(document["diagnostics"], [])

    def test_steps_annotations_and_kernels_are_listed(self):
        document = self.info(self.small_trace())
        self.assertEqual(document["steps"], [
            {"name": "ProfilerStep#1", "start_ns": 0, "end_ns": 500_000, "kernels": 2, "device_start_ns": 100_000,
             "device_end_ns": 300_000},
            {"name": "ProfilerStep#2", "start_ns": 500_000, "end_ns": 1_100_000, "kernels": 2,
             "device_start_ns": 600_000, "device_end_ns": 750_000}])
        self.assertEqual(document["annotations"], [{"name": "decode", "count": 1}])
        self.assertEqual(document["top_kernels"][0], {
            "name": "gemm", "role": "gemm", "count": 2, "total_ns": 200_000, "min_ns": 100_000,
            "max_ns": 100_000})
        self.assertEqual([kernel["name"] for kernel in document["top_kernels"]],
                         ["gemm", 'copy, "quoted"', "axpy(float*)"])

    def test_devices_and_streams_are_listed_by_value(self):
        document = self.info(self.small_trace())
        self.assertEqual([r["devices"] for r in document["ranks"]], [[{
            "id": "0", "name": "NVIDIA H200", "kernels": 4, "busy_ns": 299_500,
            "kernel_busy_ns": 299_500, "compute_busy_ns": 299_500, "communication_busy_ns": 0, "streams": [
                {"id": "7", "kernels": 3, "busy_ns": 249_500},
                {"id": "20", "kernels": 1, "busy_ns": 100_000}]}]])

    def test_documents_match_the_schema(self):
        schema = json.loads(SCHEMA.read_text())
        cut = self.run_lockstep("info", "--json", self.truncated_trace())
        several = self.info(self.small_trace("a.json"), self.small_trace("b.json"))
        cpu_only = self.info(self.write("cpu.json", kineto([
            complete("cpu_op", "aten::mm", 1, 1, 10, 5)])))
        for document in [self.info(self.small_trace()), json.loads(cut.stdout), several, cpu_only]:
            self.assertEqual(list(schema_check.faults(document, schema)), [])

    def test_the_schema_refuses_a_wrong_document(self):
        schema = json.loads(SCHEMA.read_text())
        document = self.info(self.small_trace())
        document["ranks"][0]["devices"][0]["id"] = 0
        document["surprise"] = 1
        del document["events"]
        self.assertEqual(sorted(schema_check.faults(document, schema)), [
            "$.ranks[0].devices[0].id: is no string", "$: has surprise, which is not known",
            "$: lacks events"])

    def test_same_input_gives_the_same_bytes(self):
        trace = self.small_trace()
        self.assertEqual(self.succeed("info", "--json", trace),
                         self.succeed("info", "--json", trace))

    def test_cpu_only_trace_is_done_with_a_diagnostic(self):
        document = self.info(self.write("cpu.json", kineto([
            complete("cpu_op", "aten::mm", 1, 1, 10, 5)])))
        self.assertEqual(document["kernels"], 0)
        self.assertIn("no_device_events", [one["kind"] for one in document["diagnostics"]])

    def test_top_limits_the_kernels_and_zero_lists_all(self):
        trace = self.small_trace()
        self.assertEqual(len(self.info("--top", "1", trace)["top_kernels"]), 1)
        self.assertEqual(len(self.info("--top=0", trace)["top_kernels"]), 3)

    def test_top_lists_ten_kernels_unless_told_otherwise(self):
        events = [complete("kernel", f"kernel {i}", 0, 7, 10 + i, 1, device=0, stream=7)
                  for i in range(12)]
        self.assertEqual(len(self.info(self.write("a.json", kineto(events)))["top_kernels"]), 10)


class InfoInputs(CliTestCase):
    def test_pipe_is_read_like_the_file(self):
        trace = self.small_trace()
        piped = self.info("-", input=trace.read_bytes())
        self.assertEqual(piped["inputs"], ["-"])
        self.assertEqual(piped["size_bytes"], trace.stat().st_size)
        self.assertEqual(piped["device_busy_ns"], self.info(trace)["device_busy_ns"])

    def test_gzip_is_found_by_content(self):
        plain = self.small_trace()
        packed = self.write("wrong_name.json", gzip.compress(plain.read_bytes()))
        document = self.info(packed)
        self.assertEqual(document["compression"], "gzip")
        self.assertEqual(document["size_bytes"], packed.stat().st_size)
        self.assertEqual(document["inflated_bytes"], plain.stat().st_size)

    def test_several_inputs_are_ranks_of_one_run(self):
        traces = [self.write(f"r{rank}.json", kineto(
            small_events(), distributedInfo={"rank": rank, "world_size": 2})) for rank in (1, 0)]
        document = self.info(*traces)
        self.assertEqual(document["inputs"], [str(trace) for trace in traces])
        self.assertEqual([rank["rank"] for rank in document["ranks"]], [0, 1])
        self.assertEqual(document["kernels"], 8)
        self.assertEqual(document["device_busy_ns"], 599_000)

    def test_directory_is_its_traces(self):
        self.small_trace("a.json")
        self.write("b.json.gz", gzip.compress(kineto(small_events()).encode()))
        self.write("notes.txt", "not a trace")
        document = self.info(self.folder)
        self.assertEqual(len(document["inputs"]), 2)
        self.assertEqual(document["compression"], "mixed")

    def test_diagnostics_of_several_inputs_name_theirs(self):
        done = self.run_lockstep("info", "--json", self.small_trace(), self.truncated_trace())
        found = json.loads(done.stdout)["diagnostics"]
        self.assertTrue(found)
        self.assertEqual({Path(one["input"]).name for one in found}, {"cut.json"})


class InfoText(CliTestCase):
    def test_text_tells_what_matters(self):
        text = self.succeed("info", self.small_trace())
        for part in ["small.json", "kineto", "captured     2023-11-14 22:13:20 UTC",
                     "device busy  299.500 us, 46.1 % of the 650.000 us", "NVIDIA H200",
                     "ProfilerStep#1 to ProfilerStep#2", "decode", "axpy",
                     "nothing repaired, nothing dropped"]:
            self.assertIn(part, text)

    def test_text_in_a_pipe_has_no_colour(self):
        self.assertNotIn("\x1b", self.succeed("info", self.small_trace()))

    def test_columns_tell_the_width_where_there_is_no_terminal(self):
        event = complete("kernel", "k" * 500, 0, 7, 10, 1, device=0, stream=7)
        trace = self.write("a.json", kineto([event]))

        def widest_row(columns):
            text = self.succeed("info", trace, env={**os.environ, "COLUMNS": columns})
            return max(len(line) for line in text.splitlines() if "kkk" in line)

        self.assertEqual(widest_row("120"), 120)
        self.assertEqual(widest_row("60"), 60)
        self.assertEqual(widest_row("3"), 60)
        for nonsense in ["", "0", "wide", "-5", "80x"]:
            self.assertEqual(widest_row(nonsense), 100, nonsense)

    def test_same_trouble_in_several_inputs_is_told_once(self):
        text = self.succeed("info", *[self.truncated_trace(f"cut{i}.json") for i in range(3)],
                            self.small_trace())
        health = text[text.index("Health"):]
        self.assertEqual(health.count("  data loss  "), 1)
        self.assertEqual(" ".join(health.split()).count("In 3 of 4 inputs, first "),
                         health.count("  data loss  ") + health.count("  note  "), text)

    def test_damage_is_told_in_the_health_section(self):
        text = self.succeed("info", self.truncated_trace())
        health = text[text.index("Health"):]
        self.assertIn("data loss", health)

    def test_control_characters_of_names_do_not_reach_the_terminal(self):
        event = complete("kernel", "evil\x1b[2Jname", 0, 7, 10, 1, device=0, stream=7)
        text = self.succeed("info", self.write("a.json", kineto([event])))
        self.assertNotIn("\x1b", text)
        self.assertIn("evil\ufffd[2Jname", text)


class InfoCsv(CliTestCase):
    def test_csv_is_the_table_of_all_kernels(self):
        rows = list(csv.reader(io.StringIO(self.succeed("info", "--csv", self.small_trace()))))
        self.assertEqual(rows, [["name", "count", "total_ns", "min_ns", "max_ns"],
                                ["gemm", "2", "200000", "100000", "100000"],
                                ['copy, "quoted"', "1", "100000", "100000", "100000"],
                                ["axpy(float*)", "1", "49500", "49500", "49500"]])

    def test_csv_lists_more_than_ten_kernels_unless_told_otherwise(self):
        events = [complete("kernel", f"kernel {i}", 0, 7, 10 + i, 1, device=0, stream=7)
                  for i in range(12)]
        trace = self.write("a.json", kineto(events))
        self.assertEqual(self.succeed("info", "--csv", trace).count("\n"), 13)
        self.assertEqual(self.succeed("info", "--csv", "--top", "3", trace).count("\n"), 4)


class InfoStrict(CliTestCase):
    def test_strict_changes_nothing_on_a_whole_trace(self):
        trace = self.small_trace()
        self.assertEqual(self.succeed("info", "--strict", trace), self.succeed("info", trace))

    def test_strict_prints_the_answer_and_ends_with_3_on_loss(self):
        trace = self.truncated_trace()
        strict = self.run_lockstep("info", "--strict", trace)
        self.assertEqual(strict.returncode, 3)
        self.assertEqual(strict.stdout.decode(), self.succeed("info", trace))
        self.assertIn("--strict", strict.stderr.decode())

    def test_notes_are_not_a_loss(self):
        trace = self.write("cpu.json", kineto([complete("cpu_op", "aten::mm", 1, 1, 10, 5)]))
        self.succeed("info", "--strict", trace)

    def test_json_of_a_damaged_trace_warns_on_standard_error(self):
        done = self.run_lockstep("info", "--json", self.truncated_trace())
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stderr.decode().startswith("lockstep: data loss: "))
        self.assertEqual(json.loads(done.stdout)["kernels"], 3)


class InfoClosedPipe(CliTestCase):
    def end_of_run_without_reader(self, **options):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            return subprocess.run([PROGRAM, "info", self.small_trace()], stdout=writer,
                                  stderr=subprocess.PIPE, check=False, timeout=120, **options)
        finally:
            os.close(writer)

    def test_closed_pipe_ends_the_program_quietly(self):
        done = self.end_of_run_without_reader()
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, b""))

    def test_closed_pipe_is_quiet_also_where_the_caller_ignores_the_signal(self):
        done = self.end_of_run_without_reader(restore_signals=False)
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, b""))

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_full_disk_behind_standard_output_is_told(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "info", self.small_trace()], stdout=full,
                                  stderr=subprocess.PIPE, check=False, timeout=120)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr.decode(), "lockstep: standard output: writing failed: No space "
                         "left on device. Free some space where it leads\n")


if __name__ == "__main__":
    main()
