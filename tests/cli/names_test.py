"""Names that would move a terminal's cursor, break XML or are no text: in traces, in files and on the command line."""

import csv
import io
import json
import os
import unicodedata
import zipfile
from xml.etree import ElementTree

from cli_test_case import CliTestCase, complete, kineto, launch, main
from kernel_file import EVENTS, MMA, WAIT, Lane, launch_entry, lkp
from loop_trace import KERNELS, PASS_US
from stall_trace import stall_events

# As bytes inside a JSON string: what XML forbids, escape codes in both forms, line ends, a lone
# surrogate, an override of direction, and bytes that are no UTF-8.
BAD = (rb"\ufffe\uffff\u0001\u0000\ud800\u001b]0;t\u0007\u001b[31m\r\n\t\u2028\u009b31m\u202e\u007f" +
       b"\x7f\xef\xbf\xbe\xc2\x9b\xe2\x80\xae\xed\xa0\x80\xff")
MARK = "@@"
# As bytes of a file's name.
BAD_NAME = b"a\x1b]0;t\x07\n\r\xc2\x9b31m\xe2\x80\xae\xed\xa0\x80\xffz"


def poisoned(document):
    """A JSON document in which every MARK has become all that is bad."""
    return document.encode().replace(MARK.encode(), BAD)


def shown_badly(text):
    """The characters of `text` that no report may hold."""
    return {f"U+{ord(c):04X}" for c in text
            if c != "\n" and (unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") or c in "\ufffe\uffff")}


def loop_document(slow_us=0):
    """A loop whose kernels, operators, process, stream and device have bad names."""
    events = [{"ph": "M", "name": "process_name", "pid": 100, "tid": 0, "args": {"name": "python3" + MARK}},
              {"ph": "M", "name": "thread_name", "pid": 100, "tid": 100, "args": {"name": "main" + MARK}},
              {"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": "stream" + MARK}},
              {"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "args": {"labels": "GPU 0" + MARK}},
              {"ph": "?" + MARK, "name": "no event" + MARK, "pid": 1, "tid": 1, "ts": 1}]
    correlation = 0
    for number in range(6):
        at = 1000 + number * PASS_US
        events.append(complete("user_annotation", "decode" + MARK, 100, 100, at - 70, 150))
        for name in KERNELS:
            correlation += 1
            events.append(complete("cpu_op", "aten::" + name + MARK, 100, 100, at - 65, 4))
            events += launch(correlation, name + MARK, at - 60, at, 10 + correlation % 3 + slow_us)
            at += 14 + slow_us
    return poisoned(kineto(events).replace("NVIDIA H200", "NVIDIA H200" + MARK))


# As PyTorch's are, and alike but for one argument.
LONG_NAMES = [f"void at::native::elementwise_kernel<128, {count}, at::native::gpu_kernel_impl<at::native::{functor}<float> >"
              "(at::TensorIteratorBase&)::{lambda(int)#1}>(int, float)"
              for functor in ("AddFunctor", "MulFunctor") for count in (2, 4)]


def long_names_document(slow_us=0):
    """A loop of kernels with long names, and a pause of the device in each pass."""
    events = []
    correlation = 0
    for number in range(8):
        at = 10_000 + number * 5000
        for name in LONG_NAMES:
            correlation += 1
            events += launch(correlation, name, at - 5, at, 100 + correlation + slow_us)
            at += 1000
    return kineto(events)


def long_names_launches():
    """A recording inside a launch of each of these kernels."""
    lanes = []
    for number in range(len(LONG_NAMES)):
        lane = Lane(0, 0, 0, 1000 + 10_000 * number, launch=number)
        lane.region(MMA, 500)
        lanes.append(lane)
    launches = [launch_entry(number, kernel=number, blocks=1, groups=1, lanes=1) for number in range(len(LONG_NAMES))]
    return lkp(lanes, launches, kernels=LONG_NAMES)


class LongNames(CliTestCase):
    def setUp(self):
        super().setUp()
        self.trace = self.write("long.json", long_names_document().encode())
        self.other = self.write("slower.json", long_names_document(slow_us=70).encode())
        self.lanes = self.write("long.lkp", long_names_launches())

    def texts_of(self, *options):
        for command, inputs in (("info", [self.trace]), ("cycles", [self.trace]), ("anomalies", [self.trace]),
                                ("compare", [self.trace, self.other]), ("kernel decode", [self.lanes])):
            with self.subTest(command=command):
                yield self.run_lockstep(*command.split(), *inputs, *options).stdout.decode()

    def test_are_short_and_told_apart_in_tables(self):
        for text in self.texts_of():
            for name in ("elementwise Add <2>", "elementwise Add <4>", "elementwise Mul <2>", "elementwise Mul <4>"):
                self.assertIn(name, text)
            self.assertNotIn("at::native", text)

    def test_are_whole_where_that_is_asked_for(self):
        for text in self.texts_of("--full-names"):
            for name in LONG_NAMES:
                self.assertIn(name, text)


    def test_are_whole_in_the_json_of_launches(self):
        document = json.loads(self.run_lockstep("kernel", "decode", self.lanes, "--json").stdout)
        self.assertEqual([launch["kernel"] for launch in document["launches"]], LONG_NAMES)


class NamesOfTraces(CliTestCase):
    def setUp(self):
        super().setUp()
        self.trace = self.write("loop.json", loop_document())
        self.other = self.write("other.json", loop_document(slow_us=3))

    def run_quietly(self, *arguments):
        """Standard output of a run that ends well; what it warns of is as harmless."""
        done = self.run_lockstep(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(shown_badly(done.stderr.decode()), set())
        return done.stdout.decode()

    def assert_readable(self, text):
        self.assertEqual(shown_badly(text), set())
        self.assertIn("flash_fwd_", text)
        self.assertIn("qkv_gemm\ufffd", text)

    def assert_book_is_whole(self, path):
        with zipfile.ZipFile(path) as book:
            texts = {name: book.read(name) for name in book.namelist()}
        self.assertGreater(len(texts), 5)
        for name, text in texts.items():
            with self.subTest(part=name):
                root = ElementTree.fromstring(text)
                self.assertEqual(shown_badly("".join(root.itertext())), set())
        self.assert_readable("".join(ElementTree.fromstring(texts["xl/sharedStrings.xml"]).itertext()))

    def test_text_is_harmless(self):
        for command in [("info", self.trace), ("info", self.trace, self.other), ("cycles", self.trace),
                        ("compare", self.trace, self.other, "--top", "0")]:
            with self.subTest(command=command):
                self.assert_readable(self.run_quietly(*command))

    def test_findings_are_harmless(self):
        done = self.run_lockstep("info", "--json", self.trace)
        text = done.stdout.decode()
        self.assertEqual(shown_badly(json.dumps(json.loads(text)["diagnostics"], ensure_ascii=False)), set())

    def test_stalls_are_told_harmlessly(self):
        events = stall_events()
        for event in events:
            if event.get("cat") in ("kernel", "cpu_op"):
                event["name"] += MARK
        trace = self.write("stall.json", poisoned(kineto(events)))
        out = self.folder / "report.md"
        self.assertIn("norm_kernel\ufffd", self.run_quietly("anomalies", trace, "--bubbles", "all", "--markdown", out))
        markdown = out.read_bytes().decode()
        self.assertEqual(shown_badly(markdown), set())
        self.assertIn("norm_kernel\ufffd", markdown)
        json.loads(self.run_quietly("anomalies", trace, "--json"))

    def test_json_is_json(self):
        for command in [("info", self.trace), ("cycles", self.trace), ("compare", self.trace, self.other)]:
            with self.subTest(command=command):
                text = self.run_quietly(*command, "--json")
                self.assertIn("flash_fwd_kernel", json.dumps(json.loads(text)))

    def test_csv_has_whole_rows(self):
        folder = self.folder / "csv"
        self.run_quietly("cycles", self.trace, "--csv", folder)
        tables = [path.read_bytes().decode() for path in folder.iterdir()]
        tables.append(self.run_quietly("info", self.trace, "--csv"))
        tables.append(self.run_quietly("compare", self.trace, self.other, "--csv", "-"))
        for table in tables:
            self.assert_readable(table)
            lines = [line for line in table.splitlines() if line and not line.startswith("#")]
            rows = list(csv.reader(io.StringIO("\n".join(lines))))
            self.assertEqual(len(rows), len(lines))
            self.assertEqual({len(row) for row in rows}, {len(rows[0])})

    def test_workbooks_are_well_formed(self):
        self.run_quietly("cycles", self.trace, "--xlsx", self.folder / "cycles.xlsx")
        self.assert_book_is_whole(self.folder / "cycles.xlsx")
        self.run_quietly("compare", self.trace, self.other, "--xlsx", self.folder / "compare.xlsx")
        self.assert_book_is_whole(self.folder / "compare.xlsx")

    def test_converted_traces_are_read_again(self):
        for name in ["out.json", "out.pftrace", "out.xplane.pb"]:
            out = self.folder / name
            self.run_quietly("convert", self.trace, "-o", out)
            self.assert_readable(self.run_quietly("info", out))
        json.loads((self.folder / "out.json").read_bytes().decode())

    def test_pictures_of_lanes_are_well_formed(self):
        lanes = [Lane(block, group, block, 1000) for block in range(2) for group in range(2)]
        for lane in lanes:
            lane.region(WAIT, 100)
            lane.region(MMA, 500)
        content = lkp(lanes, [launch_entry(0)], names=[name + MARK for name in EVENTS], kernels=["pipeline" + MARK])
        # In META the names are UTF-8: what is no UTF-8 would make all of it unreadable.
        bad = "\ufffe\uffff\x01\x1b]0;t\x07\r\n\x9b31m\u202e\x7f"
        escaped = json.dumps(bad).strip('"').encode()
        path = self.write("lanes.lkp", self.with_longer_meta(content, escaped))
        picture = self.folder / "lanes.svg"
        text = self.run_quietly("kernel", "decode", path, "--svg", picture)
        self.assertEqual(shown_badly(text), set())
        self.assertIn("mma\ufffd", text)
        words = "".join(ElementTree.fromstring(picture.read_bytes()).itertext())
        self.assertEqual(shown_badly(words), set())
        self.assertIn("mma\ufffd", words)
        json.loads(self.run_quietly("kernel", "decode", path, "--json"))

    @staticmethod
    def with_longer_meta(content, bad):
        """The file with its META, which is moved to the end, poisoned."""
        start = int.from_bytes(content[64 + 8:64 + 16], "little")
        size = int.from_bytes(content[64 + 16:64 + 24], "little")
        meta = content[start:start + size].replace(MARK.encode(), bad)
        content += bytes(-len(content) % 64)
        entry = len(content).to_bytes(8, "little") + len(meta).to_bytes(8, "little")
        total = (len(content) + len(meta)).to_bytes(8, "little")
        return content[:16] + total + content[24:64 + 8] + entry + content[64 + 24:] + meta


class NamesOfFiles(CliTestCase):
    def setUp(self):
        super().setUp()
        self.bad = os.path.join(os.fsencode(self.folder), BAD_NAME)

    def run_named(self, *arguments):
        done = self.run_lockstep(*(os.fsdecode(word) for word in arguments))
        # JSON is for programs, which get names as they are.
        streams = [done.stderr] if "--json" in arguments else [done.stdout, done.stderr]
        for stream in streams:
            self.assertEqual(shown_badly(stream.decode()), set(), arguments)
        return done

    def test_what_was_written_is_told_on_one_line(self):
        trace = self.small_trace()
        for suffix in [b".json", b".pftrace", b".json.gz"]:
            done = self.run_named("convert", trace, "-o", self.bad + suffix)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stdout.count(b"\n"), 1)
            self.assertIn("wrote ", done.stdout.decode())
            self.assertTrue(os.path.exists(self.bad + suffix))
        loop = self.write("loop.json", loop_document())
        for words in [("cycles", loop, "--xlsx", self.bad + b".xlsx"), ("cycles", loop, "--csv", self.bad + b".csv"),
                      ("cycles", loop, "--annotate", self.bad + b".pb"),
                      ("compare", loop, loop, "--csv", self.bad + b".c.csv"),
                      ("compare", loop, loop, "--xlsx", self.bad + b".c.xlsx"),
                      ("anomalies", loop, "--markdown", self.bad + b".md"),
                      ("anomalies", loop, "--annotate", self.bad + b".a.pb")]:
            done = self.run_named(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            last = done.stdout.decode().rstrip("\n").splitlines()[-1]
            self.assertTrue(last.startswith("wrote ") and "a\ufffd]0;t\ufffd" in last, last)

    def test_inputs_are_named_harmlessly(self):
        with open(self.bad, "wb") as file:
            file.write(loop_document())
        os.mkdir(self.bad + b".folder")
        with open(self.bad + b".folder/" + BAD_NAME, "wb") as file:
            file.write(loop_document()[:-300])
        for words in [("info", self.bad), ("info", self.bad + b".folder"),
                      ("info", self.bad, self.bad + b".folder"), ("info", "--json", self.bad, self.bad + b".folder"),
                      ("cycles", self.bad, self.bad + b".folder"), ("anomalies", self.bad),
                      ("compare", self.bad, self.bad + b".folder")]:
            done = self.run_named(*words)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_errors_are_one_harmless_line(self):
        trace = os.fsencode(self.small_trace())
        nowhere = self.bad + b".nowhere/x"
        for words in [("info", nowhere), ("info", self.folder, self.bad), (BAD_NAME,), (b"--" + BAD_NAME,),
                      ("info", b"--" + BAD_NAME), ("info", b"--top=" + BAD_NAME, trace),
                      ("convert", trace, "-o", nowhere + b".json"), ("convert", trace, "-o", self.bad),
                      ("convert", trace, "-o", "a.json", "--to", BAD_NAME),
                      ("convert", trace, "-o", "a.json", b"--slice=" + BAD_NAME),
                      ("convert", trace, "-o", "a.json", b"--kinds=" + BAD_NAME),
                      ("cycles", trace, "--xlsx", self.bad), ("cycles", trace, b"--mode=" + BAD_NAME),
                      ("compare", trace, BAD_NAME), ("kernel", BAD_NAME), ("kernel", "decode", nowhere),
                      ("kernel", "decode", trace, b"--format=" + BAD_NAME), ("help", BAD_NAME)]:
            with self.subTest(words=words):
                done = self.run_named(*words)
                self.assertIn(done.returncode, (2, 3))
                self.assertEqual(done.stderr.count(b"\n"), 1)
                self.assertTrue(done.stderr.startswith(b"lockstep: "))
                self.assertIn("\ufffd", done.stderr.decode())


if __name__ == "__main__":
    main()
