"""Names of outputs that would replace something else, however they are written."""

import kernel_file
from cli_test_case import CliTestCase, main
from loop_trace import loop_trace


class BareNames(CliTestCase):
    """As people type them: in the folder, without a path."""

    def refuse(self, sentence, *words):
        before = self.names_in_folder()
        message = self.fails_with(2, "", *words, cwd=self.folder)
        self.assertEqual(message, f"lockstep: {sentence}\n")
        self.assertEqual(self.names_in_folder(), before)

    def test_two_outputs_are_one_file_in_any_spelling(self):
        self.write("loop.json", loop_trace())
        (self.folder / "sub").mkdir()
        (self.folder / "link.xlsx").symlink_to("x.xlsx")
        for other in ["x.xlsx", "./x.xlsx", "sub/../x.xlsx", "link.xlsx", self.folder / "x.xlsx"]:
            with self.subTest(other):
                self.refuse("--xlsx and --markdown name the same file, 'x.xlsx'. Each needs one of its own",
                            "cycles", "loop.json", "--markdown", "x.xlsx", "--xlsx", other)

    def test_a_folder_of_tables_is_no_file(self):
        self.write("loop.json", loop_trace())
        sentence = "--csv and --markdown name the same file, '{}'. Each needs one of its own"
        for name in ["d", "./d", "d/", self.folder / "d"]:
            with self.subTest(name):
                self.refuse(sentence.format(name), "cycles", "loop.json", "--markdown", name, "--csv", "d")
        (self.folder / "d").mkdir()
        self.refuse(sentence.format("./d"), "cycles", "loop.json", "--csv", "d/", "--markdown", "./d")

    def test_a_file_is_no_table_of_a_folder(self):
        self.write("loop.json", loop_trace())
        folder = self.folder / "dd"
        folder.mkdir()
        (self.folder / "link").symlink_to("dd")
        sentence = "--markdown names '{}', which may be a table of --csv. Choose another name or folder"
        for out in ["dd", "link", folder]:
            for name in ["dd/cycle_0_layer.csv", "link/cycle_0_layer.csv", folder / "cycle_0_layer.csv"]:
                with self.subTest((out, name)):
                    self.refuse(sentence.format(name), "cycles", "loop.json", "--csv", out, "--markdown", name)
        self.assertEqual(list(folder.iterdir()), [])

    def test_other_files_may_lie_beside_tables(self):
        self.write("loop.json", loop_trace())
        self.succeed("cycles", "loop.json", "--csv", ".", "--xlsx", "x.xlsx", "--markdown", "x.md", cwd=self.folder)
        self.assertEqual(self.names_in_folder(), ["cycle_0_layer.csv", "loop.json", "x.md", "x.xlsx"])

    def test_logs_of_a_database_are_no_outputs(self):
        self.write("nsys.sqlite", b"SQLite format 3\0" + bytes(4080))
        for suffix in ["-wal", "-journal", "-shm"]:
            for log in [f"nsys.sqlite{suffix}", f"./nsys.sqlite{suffix}", self.folder / f"nsys.sqlite{suffix}"]:
                with self.subTest(log):
                    self.refuse(f"the output '{log}' has the name of a log of the input 'nsys.sqlite'. "
                                "Choose another name with --markdown",
                                "info", "nsys.sqlite", "--markdown", log)

    def test_nothing_behind_an_equals_sign_is_no_name(self):
        """As of a variable that is not set. What follows is an input, which stays."""
        inputs = [self.write(name, loop_trace()) for name in ("v.json", "loop.json")]
        inputs += [self.write(name, kernel_file.pipeline()) for name in ("v.lkp", "a.lkp")]
        before = [path.read_bytes() for path in inputs]
        for command, option, *names in [("info", "--markdown", "v.json", "loop.json"),
                                        ("info", "--top", "v.json", "loop.json"),
                                        ("cycles", "--csv", "v.json", "loop.json"),
                                        ("convert", "--output", "v.json", "loop.json"),
                                        ("kernel decode", "--output", "v.lkp", "a.lkp")]:
            sentence = f"{command}: {option} needs a value. See 'lockstep {command} --help'"
            for words in [[f"{option}=", *names], [*names, f"{option}="], [f"{option}=", "--strict", *names]]:
                with self.subTest((command, words)):
                    self.refuse(sentence, *command.split(), *words)
        self.assertEqual([path.read_bytes() for path in inputs], before)


if __name__ == "__main__":
    main()
