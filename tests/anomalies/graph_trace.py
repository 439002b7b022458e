"""Made-up traces of graph replay and of work that a profiler did not record. No device in them idles."""
from planted_trace import EPOCH_NS, MAIN_STREAM, PROCESS, US, Shape, Simulation


class GraphSimulation(Simulation):
    """Steps of one graph launch each, then a synchronising call until the replay is over."""

    def __init__(self, random, shape=None):
        super().__init__(random, shape or Shape(steps=random.randrange(6, 12), has_step_sync=True))

    def run_graphs(self, replay):
        self.now = EPOCH_NS + 20 * US
        for step in range(self.shape.steps):
            start = self.now
            self.now += self.random.randrange(10, 40) * US
            done = replay()
            begin = self.now + 2 * US
            self.now = done + self.random.randrange(3, 9) * US
            self.call(self.calls["sync"][0], begin, self.now)
            self.now += self.random.randrange(5, 20) * US
            self.host("user_annotation", f"ProfilerStep#{step + 1}", start, self.now)
            self.trace.markers.append((start, self.now))
        self.trace.origin = self.trace.markers[0][0]
        return self.trace

    def _graph_launch(self):
        call_start = self.now
        self.now += self.random.randrange(8, 30) * US
        self.call(self.calls["graph"], call_start, self.now)
        return call_start

    def replay_with_gaps(self, longest_gap):
        """All kernels of a graph, with gaps between them that nobody can fill."""
        call_start = self._graph_launch()
        at = self.now + 3 * US
        for _, kernel, length, _ in self.body:
            at += self.random.randrange(500, longest_gap)
            end = at + self.jitter(length)
            self.trace.span("kernel", kernel, 0, MAIN_STREAM, at, end, device=0,
                            stream=MAIN_STREAM, correlation=self.correlation, **{"graph id": 1})
            self.trace.kernels.append((at, end))
            at = end
        self.trace.arrow("s", PROCESS, self.thread, call_start, self.correlation)
        self.free[MAIN_STREAM] = at
        return at

    def opaque_replay(self, length):
        """Of a graph that ran for `length` only the first kernels were recorded."""
        call_start = self._graph_launch()
        at = self.now + 3 * US
        for name in ("graph_head_kernel", "fill_kernel")[:self.random.randrange(1, 3)]:
            self.work("kernel", name, MAIN_STREAM, at, at + 4 * US, call_start)
            at += 5 * US
        done = at + self.jitter(length)
        if self.random.random() < 0.5:  # the result is read when the graph is done
            call_start = self.now + US
            self.now += 7 * US
            self.call("cudaMemcpyAsync", call_start, self.now)
            self.work("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", MAIN_STREAM, done,
                      done + 2 * US, call_start, bytes=4)
            done += 2 * US
        return done

    def unrecorded_work(self, length):
        """A kernel that was launched early runs late: something that is not in the file ran."""
        for name, late in (("first_kernel", 0), ("last_kernel", self.jitter(length))):
            call_start = self.now
            self.now += 6 * US
            self.call(self.calls["launch"], call_start, self.now)
            start = self.now + 2 * US + late
            self.work("kernel", name, MAIN_STREAM, start, start + 30 * US, call_start)
            self.now += 2 * US
        return self.free[MAIN_STREAM]
