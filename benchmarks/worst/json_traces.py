"""Chrome JSON and rocprofv3's JSON: long runs of one thing, and damage at every turn."""

from .shape import shape, write

READER = "Chrome JSON"
HEAD = '{"schemaVersion":1,"traceEvents":['
TAIL = "]}"


def span(i, name="k", pid=0, tid=7, category="kernel", rest=""):
    return (f'{{"ph":"X","cat":"{category}","name":"{name}","pid":{pid},"tid":{tid},"ts":{1000 + 10 * i},'
            f'"dur":8{rest}}}')


ONE = span(0)


def document(folder, *parts):
    return write(folder / "trace.json", HEAD, *parts, TAIL)


@shape("blank behind an event, before the comma", READER, 64_000_000)
def blank_behind_event(n, folder):
    return document(folder, ONE, (" ", n), ",", span(1))


@shape("blank behind the last event, never closed", READER, 64_000_000)
def blank_at_end(n, folder):
    return write(folder / "trace.json", HEAD, ONE, ("\n", n))


@shape("blank behind a damaged event", READER, 16_000_000)
def blank_behind_damage(n, folder):
    return document(folder, ONE, ',{"ph":"X","a":}', (" ", n), ",", span(1))


@shape("blank before the comma of every event", READER, 200)
def blanks_behind_events(n, folder):
    return document(folder, ("," .join([span(1) + " " * 200_000]) + ",", n), ONE)


@shape("blank before the first key", READER, 64_000_000)
def blank_before_key(n, folder):
    return write(folder / "trace.json", "{", (" ", n), '"traceEvents":[', ONE, TAIL)


@shape("blank between key and colon", READER, 64_000_000)
def blank_before_colon(n, folder):
    return write(folder / "trace.json", '{"traceEvents"', (" ", n), ":[", ONE, TAIL)


@shape("blank behind a member of the root", READER, 64_000_000)
def blank_behind_member(n, folder):
    return write(folder / "trace.json", '{"a":1', (" ", n), ',"traceEvents":[', ONE, TAIL)


@shape("blank before the first event of an unnamed list", READER, 64_000_000)
def blank_in_unnamed_list(n, folder):
    return write(folder / "trace.json", '{"events":[', (" ", n), ONE, TAIL)


@shape("blank inside every event", READER, 200)
def blank_inside_events(n, folder):
    return document(folder, (ONE[:-1] + " " * 200_000 + "},", n), ONE)


@shape("commas between events", READER, 16_000_000)
def commas(n, folder):
    return document(folder, ONE, (",", n), span(1))


@shape("a name that never ends", READER, 32_000_000)
def endless_name(n, folder):
    return write(folder / "trace.json", HEAD, ONE, ',{"ph":"X","name":"', ("a", n))


@shape("an event of 15 MB after the other", READER, 2)
def huge_events(n, folder):
    return document(folder, ('{"ph":"X","ts":1,"name":"' + "a" * 15_000_000 + '"},', n), ONE)


@shape("a key of the root that never ends", READER, 32_000_000, code=3)
def endless_key(n, folder):
    return write(folder / "trace.json", '{"', ("a", n))


@shape("a number that never ends", READER, 32_000_000)
def endless_number(n, folder):
    return document(folder, ONE, ',{"ph":"X","ts":', ("1", n), "}")


@shape("backslashes without end", READER, 32_000_000)
def backslashes(n, folder):
    return document(folder, ONE, ',{"ph":"X","name":"', ("\\", n), '"}')


@shape("lists nested without end", READER, 16_000_000)
def nested_lists(n, folder):
    return document(folder, ONE, ',{"ph":"X","args":', ("[", n))


@shape("objects that open and never close", READER, 400_000)
def open_objects(n, folder):
    return document(folder, ('{"a":[', n), ONE)


@shape("objects far apart that never close", READER, 64)
def far_open_objects(n, folder):
    return document(folder, "x", ('{"a":[' + " " * 500_000, n), ONE)


@shape("events between objects that never close", READER, 100_000)
def events_in_open_objects(n, folder):
    return document(folder, (span(0) + ',{"a":[', n), ONE)


@shape("closing braces", READER, 2_000_000)
def closing_braces(n, folder):
    return document(folder, ONE, ("}", n), ",", span(1))


@shape("a closing brace behind every event", READER, 500_000)
def brace_behind_events(n, folder):
    return document(folder, ("{}}", n), ONE)


@shape("a comma behind the last member of every event", READER, 20_000)
def comma_behind_members(n, folder):
    return document(folder, (ONE[:-1] + ",},", n), ONE)


@shape("a comma behind the only member of every event", READER, 100_000)
def comma_behind_member(n, folder):
    return document(folder, ('{"a":1,},', n), ONE)


@shape("a comma behind the last argument of every event", READER, 20_000)
def comma_behind_arguments(n, folder):
    return document(folder, (ONE[:-1] + ',"args":{"correlation":1,}},', n), ONE)


@shape("two commas behind every event", READER, 400_000)
def comma_pairs(n, folder):
    return document(folder, ('{"ph":"X"},,', n), ONE)


@shape("opening brackets", READER, 8_000_000)
def opening_brackets(n, folder):
    return document(folder, ONE, ",", ("[", n), span(1))


@shape("opening braces", READER, 1_000_000)
def opening_braces(n, folder):
    return document(folder, ONE, ",", ("{", n), span(1))


@shape("a letter between events", READER, 30_000)
def letters_between(n, folder):
    return document(folder, (ONE + " x ", n), ONE)


@shape("a stray quote in every event", READER, 20_000)
def stray_quotes(n, folder):
    return document(folder, ('{"ph":"X","na"me":"k","ts":1},', n), ONE)


@shape("quotes", READER, 8_000_000)
def quotes(n, folder):
    return document(folder, ONE, ",", ('{"', n), span(1))


@shape("bytes that are no UTF-8 in every event", READER, 60_000)
def bad_utf8(n, folder):
    return document(folder, (ONE.replace('"k"', '"k\xff"').encode("latin-1") + b",", n), ONE)


@shape("no list of events, but numbers", READER, 8_000_000, code=3)
def numbers(n, folder):
    return write(folder / "trace.json", "[", ("1,", n), "1]")


@shape("documents behind the document", READER, 8_000_000)
def many_documents(n, folder):
    return write(folder / "trace.json", HEAD, ONE, TAIL, ("{}\n", n))


@shape("lists of one event", READER, 60_000)
def many_lists(n, folder):
    return write(folder / "trace.json", ("[" + ONE + "]\n,", n))


@shape("members of the root", READER, 200_000)
def members(n, folder):
    return write(folder / "trace.json", "{", (f'"member {i}":{i},' for i in range(n)), '"traceEvents":[', ONE, TAIL)


@shape("members of the root, written again", READER, 200_000, "convert", "IN", "-o", "OUT.json", gated=True)
def written_members(n, folder):
    return members(n, folder)


@shape("one member of the root again and again", READER, 200_000)
def same_member(n, folder):
    return write(folder / "trace.json", "{", ('"deviceProperties":[{"id":0,"name":"x"}],', n), '"traceEvents":[',
                 ONE, TAIL)


# As many as an event may have: it is dropped above 16 MiB.
MOST_ARGUMENTS = 600_000
MOST_KEYS = 1_400_000


@shape("arguments of few events", READER, 60_000, "convert", "IN", "-o", "OUT.json")
def arguments(n, folder):
    rows = (("" if i % MOST_ARGUMENTS else ONE[:-1] + ',"args":{') + f'"argument {i}":{i}' +
            ("}}," if (i + 1) % MOST_ARGUMENTS == 0 else ",") for i in range(n))
    return document(folder, rows, '"last":0}}' if n % MOST_ARGUMENTS else ONE)


@shape("one key of few events again and again", READER, 1_000_000)
def repeated_keys(n, folder):
    whole = [part for _ in range(n // MOST_KEYS) for part in (ONE[:-1], (',"name":"k"', MOST_KEYS), "},")]
    return document(folder, *whole, ONE[:-1], (',"name":"k"', n % MOST_KEYS), "}")


@shape("begins that never end", READER, 100_000)
def begins(n, folder):
    return document(folder, (f'{{"ph":"B","name":"n{i}","pid":1,"tid":1,"ts":{1000 + i}}},' for i in range(n)), ONE)


@shape("ends that leave all inside them open", READER, 50_000)
def crossing_ends(n, folder):
    def rows():
        for i in range(n):
            yield f'{{"ph":"B","name":"n{i}","pid":1,"tid":1,"ts":{1000 + i}}},'
        for i in range(n):
            yield f'{{"ph":"E","name":"n{i}","pid":1,"tid":1,"ts":{1000 + n + i}}},'
    return document(folder, rows(), ONE)


@shape("flows of one id", READER, 60_000)
def flows(n, folder):
    def rows():
        for i in range(n):
            yield span(i, "call", 1, 1, "cuda_runtime") + ","
            yield f'{{"ph":"{"sf"[i % 2]}","id":1,"cat":"ac2g","name":"f","pid":1,"tid":1,"ts":{1000 + 10 * i}}},'
    return document(folder, rows(), ONE)


@shape("ends of flows behind spans that end together", READER, 50_000, gated=True)
def flows_behind_spans(n, folder):
    def rows():
        for i in range(n):
            yield f'{{"ph":"X","name":"k","pid":1,"tid":1,"ts":{1000 + i},"dur":{n - i}}},'
            for phase in "sf":
                yield f'{{"ph":"{phase}","id":{i},"cat":"c","name":"f","pid":1,"tid":1,"ts":{1000 + n + i}}},'
    return document(folder, rows(), ONE)


@shape("names of 1 kB, all different", READER, 10_000)
def long_names(n, folder):
    return document(folder, (span(i, f"{i:08d}" * 125) + "," for i in range(n)), ONE)


@shape("records of one process", "rocprofv3 JSON", 20_000)
def rocprof_records(n, folder):
    row = ('{"size":184,"kind":4,"operation":2,"thread_id":1,"correlation_id":{"internal":%d,"external":0},'
           '"start_timestamp":%d,"end_timestamp":%d,"dispatch_info":{"size":72,"agent_id":{"handle":5},'
           '"queue_id":{"handle":16},"kernel_id":1,"dispatch_id":%d}},')
    rows = (row % (i, 10**12 + 10 * i, 10**12 + 10 * i + 8, i) for i in range(n))
    return write(folder / "results.json", '{"rocprofiler-sdk-tool":[{"metadata":{"pid":1},"agents":[],',
                 '"buffer_records":{"kernel_dispatch":[', rows, row[:-1] % (n, 10**12, 10**12 + 8, n), "]}}]}")


@shape("blank in the records", "rocprofv3 JSON", 64_000_000, code=3)
def rocprof_blank(n, folder):
    return write(folder / "results.json", '{"rocprofiler-sdk-tool":[{"metadata":{"pid":1},',
                 '"buffer_records":{"kernel_dispatch":[', (" ", n), "]}}]}")


@shape("lists that nobody knows", "rocprofv3 JSON", 20_000, gated=True)
def rocprof_lists(n, folder):
    one = "[" + ",".join(['{"start_timestamp":5,"end_timestamp":6}'] * 8) + "]"
    return write(folder / "results.json", '{"rocprofiler-sdk-tool":[{"metadata":{"pid":1},"buffer_records":{',
                 f'"hip_api":{one}', (f',"l{i}":{one}' for i in range(n)), "}}]}")


@shape("records that never close", "rocprofv3 JSON", 200_000, gated=True)
def rocprof_open_records(n, folder):
    return write(folder / "results.json", '{"rocprofiler-sdk-tool":[{"metadata":{"pid":1},"buffer_records":{',
                 '"hip_api":[{"start_timestamp":5,"end_timestamp":6}],"kernel_dispatch":[', ('{"a":[},', n), "{}]}}]}")


@shape("processes", "rocprofv3 JSON", 30_000, code=3)
def rocprof_processes(n, folder):
    return write(folder / "results.json", '{"rocprofiler-sdk-tool":[',
                 (f'{{"metadata":{{"pid":{i}}},"buffer_records":{{}}}},' for i in range(n)), "{}]}")


@shape("a process an event", READER, 100_000, "convert", "IN", "-o", "OUT.pftrace", memory=30)
def own_processes(n, folder):
    rows = (f'{{"ph":"i","ts":1,"pid":{i}}},' for i in range(n))
    return write(folder / "trace.json", "[", rows, '{"ph":"i","ts":1,"pid":0}]')


@shape("a stream an event", READER, 50_000, "anomalies", "--json", "IN", memory=30)
def own_streams(n, folder):
    rows = (f'{{"ph":"X","ts":1,"cat":"kernel","tid":{i}}},' for i in range(n))
    return write(folder / "trace.json", "[", rows, '{"ph":"X","ts":1,"cat":"kernel","tid":0}]')


@shape("a process, a stream and a name an event", READER, 50_000, "anomalies", "--json", "IN", memory=30)
def own_everything(n, folder):
    rows = (f'{{"ph":"X","ts":{i},"cat":"kernel","pid":{i},"tid":{i},"name":"k{i}"}},' for i in range(n))
    return write(folder / "trace.json", "[", rows, '{"ph":"X","ts":1,"cat":"kernel","tid":0}]')
