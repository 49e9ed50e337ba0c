"""PyTorch's side of the comparison, as far as it goes without PyTorch: it answers what it is asked."""
import argparse
import contextlib
import importlib
import io
import json
import pathlib
import sys
import unittest
from unittest import mock

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tools"


def torch_mnist():
    """The module, with nothing behind `import torch`."""
    nothing = mock.MagicMock()
    nothing.no_grad = lambda: lambda function: function
    with mock.patch.dict(sys.modules, {"torch": nothing, "torch.nn": nothing.nn}), \
            mock.patch.object(sys, "path", [str(TOOLS), *sys.path]):
        sys.modules.pop("torch_mnist", None)
        return importlib.import_module("torch_mnist")


class Serve(unittest.TestCase):
    def ask(self, *lines):
        """The answers, and for which settings something was made."""
        module, made = torch_mnist(), []

        def training(options, device):
            made.append((options.network, options.format))
            return object()

        def train(training, options, data, device):
            print("PyTorch says something")
            if options.format == "bad":
                raise ValueError("no such format")
            return {"batch": options.batch, "epochs": options.epochs}

        options = argparse.Namespace(network="small", format="fp32", batch=32, epochs=3, seed=1,
                                     mode="eager")
        answers, said = io.StringIO(), io.StringIO()
        with mock.patch.object(module, "Training", training), \
                mock.patch.object(module, "train", train), \
                mock.patch.object(sys, "stdin", io.StringIO("".join(line + "\n" for line in lines))), \
                contextlib.redirect_stderr(said), contextlib.redirect_stdout(answers):
            module.serve(options, None, None)
        self.assertIn("PyTorch says something", said.getvalue())
        return [json.loads(line) for line in answers.getvalue().splitlines()], made

    def test_each_line_is_answered_and_what_was_made_is_used_again(self):
        answers, made = self.ask('{"batch": 64}', '{"format": "bf16", "epochs": 1}', '{"batch": 64}')
        self.assertEqual(answers, [{"batch": 64, "epochs": 3}, {"batch": 32, "epochs": 1},
                                   {"batch": 64, "epochs": 3}])
        self.assertEqual(made, [("small", "fp32"), ("small", "bf16")])

    def test_what_goes_wrong_is_an_answer_and_the_next_line_is_answered_too(self):
        answers, _ = self.ask('{"format": "bad"}', "no json", '{"batch": 1}')
        self.assertEqual(answers[0], {"error": "ValueError: no such format"})
        self.assertIn("JSONDecodeError", answers[1]["error"])
        self.assertEqual(answers[2]["batch"], 1)


if __name__ == "__main__":
    unittest.main()
