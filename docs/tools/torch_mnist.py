#!/usr/bin/env python3
"""The rival of chapter 16's trainer: the same network, batch, precision and optimiser in PyTorch.

  docs/tools/torch_mnist.py --data DIR --json FILE [--network small|example] [--format F] [--batch B]
                            [--epochs N] [--seed S] [--mode eager|captured]
  docs/tools/torch_mnist.py --data DIR --serve [--mode eager|captured]

DIR has MNIST's four files, plain or .gz. Both sets stay on the device, batches are picked there, and
only training is timed, as in `./learn run 16`. `eager` is the usual loop. `captured` compiles the
model (torch.compile) and replays a whole step as one CUDA graph; it wants a GPU and PyTorch 2. FP16
scales the loss: with GradScaler in eager, by a constant in captured, where nobody may look at the
gradient in between. Writes JSON as `./learn run 16 -- --json FILE` does.

With --serve it trains as often as it is asked to, and PyTorch starts and compiles only once: each line
of the input is a JSON object of settings, {"network": "small", "format": "bf16", "batch": 256,
"epochs": 2}, and is answered by a line of JSON, the run or {"error": "..."}.
"""
import argparse
import gzip
import json
import pathlib
import struct
import sys
import time

try:
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError:
    sys.exit(f"torch_mnist.py: {sys.executable} has no PyTorch; expected one that has")

FORMATS = {"fp32": None, "tf32": None, "fp16": torch.float16, "bf16": torch.bfloat16}
STATIC_LOSS_SCALE = 1024.0


def read_idx(folder, name):
    """The bytes of an IDX file, shaped as it says."""
    for path in (folder / name, folder / (name + ".gz")):
        if path.exists():
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            shape = struct.unpack(f">{data[3]}I", data[4:4 + 4 * data[3]])
            values = torch.frombuffer(bytearray(data[4 + 4 * data[3]:]), dtype=torch.uint8)
            return values.reshape(shape)
    sys.exit(f"torch_mnist.py: {folder} has no {name}; expected MNIST's four files, plain or .gz")


def load(folder, device):
    sets = []
    for part in ("train", "t10k"):
        images = read_idx(folder, f"{part}-images-idx3-ubyte").to(device)
        labels = read_idx(folder, f"{part}-labels-idx1-ubyte").to(device).long()
        sets.append((images.unsqueeze(1).float() / 255, labels))
    return sets


def make_network(name):
    if name == "small":
        return nn.Sequential(nn.Conv2d(1, 8, 5), nn.ReLU(), nn.MaxPool2d(2),
                             nn.Conv2d(8, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
                             nn.Flatten(), nn.Linear(256, 10))
    return nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(),
                         nn.MaxPool2d(2), nn.Dropout(0.25), nn.Flatten(), nn.Linear(9216, 128),
                         nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10))


class EagerStep:
    """The usual loop's step."""

    def __init__(self, model, optimiser, options, device):
        self.model, self.optimiser, self.device = model, optimiser, device
        self.dtype = FORMATS[options.format]
        self.scaler = torch.cuda.amp.GradScaler(enabled=options.format == "fp16")

    def __call__(self, images, labels):
        self.optimiser.zero_grad()
        with torch.autocast(self.device.type, dtype=self.dtype, enabled=self.dtype is not None):
            loss = functional.cross_entropy(self.model(images), labels)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimiser)
        self.scaler.update()
        return loss.detach()


class CapturedStep:
    """A step of compiled kernels, recorded once and replayed. Batches of another size run eagerly."""

    def __init__(self, model, optimiser, options, device):
        self.model, self.optimiser, self.device = torch.compile(model), optimiser, device
        self.dtype = FORMATS[options.format]
        self.scale = STATIC_LOSS_SCALE if options.format == "fp16" else 1.0
        self.images = torch.zeros(options.batch, 1, 28, 28, device=device)
        self.labels = torch.zeros(options.batch, dtype=torch.long, device=device)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.work()
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.loss = self.work()

    def work(self):
        self.optimiser.zero_grad(set_to_none=False)
        with torch.autocast(self.device.type, dtype=self.dtype, enabled=self.dtype is not None):
            loss = functional.cross_entropy(self.model(self.images), self.labels)
        (loss * self.scale).backward()
        if self.scale != 1.0:
            for parameter in self.model.parameters():
                parameter.grad.div_(self.scale)
        self.optimiser.step()
        return loss.detach()

    def __call__(self, images, labels):
        if len(images) != len(self.images):
            return None  # the last, smaller batch: left out, and not counted
        self.images.copy_(images)
        self.labels.copy_(labels)
        self.graph.replay()
        return self.loss


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def run_epoch(step, images, labels, batch, device):
    order = torch.randperm(len(images), device=device)
    loss_sum = torch.zeros((), device=device)
    trained = 0
    synchronize(device)
    start = time.perf_counter()
    for first in range(0, len(images), batch):
        chosen = order[first:first + batch]
        loss = step(images[chosen], labels[chosen])
        if loss is not None:
            loss_sum += loss * len(chosen)
            trained += len(chosen)
    synchronize(device)
    return float(loss_sum) / trained, trained / (time.perf_counter() - start)


@torch.no_grad()
def accuracy(model, images, labels):
    model.eval()
    right = sum(int((model(x).argmax(1) == y).sum())
                for x, y in zip(images.split(1000), labels.split(1000)))
    model.train()
    return right / len(images)


class Training:
    """A network and what trains it: made once for its settings, begun anew as often as is asked for."""

    def __init__(self, options, device):
        torch.manual_seed(options.seed)
        tf32 = options.format == "tf32"
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
        self.model = make_network(options.network).to(device)
        self.optimiser = torch.optim.SGD(self.model.parameters(), lr=0.02, momentum=0.9)
        self.beginning = [p.detach().clone() for p in self.model.parameters()]
        make_step = CapturedStep if options.mode == "captured" else EagerStep
        self.step = make_step(self.model, self.optimiser, options, device)

    @torch.no_grad()
    def begin(self):
        """As if nothing had been trained. What a graph has recorded stays where it is in memory."""
        for parameter, value in zip(self.model.parameters(), self.beginning):
            parameter.copy_(value)
        for state in self.optimiser.state.values():
            if state.get("momentum_buffer") is not None:
                state["momentum_buffer"].zero_()


def train(training, options, data, device):
    """Trains, and returns what `./learn run 16 -- --json FILE` would write."""
    (images, labels), test = data
    tf32 = options.format == "tf32"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    training.begin()
    epochs = []
    for epoch in range(1, options.epochs + 1):
        loss, rate = run_epoch(training.step, images, labels, options.batch, device)
        epochs.append({"epoch": epoch, "train_loss": loss,
                       "test_accuracy": accuracy(training.model, *test), "images_per_second": rate})
    name = torch.cuda.get_device_name() if device.type == "cuda" else "CPU"
    return {"backend": f"PyTorch {torch.__version__}, {options.mode}, on {name}",
            "network": options.network, "train_images": len(images),
            "settings": {"epochs": options.epochs, "batch": options.batch,
                         "format": options.format, "seed": options.seed, "optimiser": "sgd",
                         "lr": 0.02, "momentum": 0.9, "decay": "none"},
            "epochs": epochs}


def serve(options, data, device):
    """Answers each line of the input."""
    answers, sys.stdout = sys.stdout, sys.stderr  # what PyTorch prints is no answer
    trainings = {}
    for line in sys.stdin:
        try:
            asked = argparse.Namespace(**{**vars(options), **json.loads(line)})
            key = (asked.network, asked.format, asked.batch, asked.seed)
            if key not in trainings:
                trainings[key] = Training(asked, device)
            answer = train(trainings[key], asked, data, device)
        except Exception as error:  # whatever PyTorch or its compiler has to say
            answer = {"error": f"{type(error).__name__}: {error}"[:500]}
        print(json.dumps(answer), file=answers, flush=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--network", choices=("small", "example"), default="small")
    parser.add_argument("--format", choices=tuple(FORMATS), default="fp32")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mode", choices=("eager", "captured"), default="eager")
    options = parser.parse_args()
    if options.mode == "captured" and not (torch.cuda.is_available() and hasattr(torch, "compile")):
        parser.error("--mode captured wants a GPU and PyTorch 2 or newer")
    if options.batch < 1 or options.epochs < 1:
        parser.error("--batch and --epochs: expected at least 1")
    if options.serve == (options.json is not None):
        parser.error("expected --json FILE for one training, or --serve for many")
    return options


def main():
    options = parse()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cudnn.benchmark = True
    data = load(options.data, device)
    if options.serve:
        serve(options, data, device)
        return 0
    result = train(Training(options, device), options, data, device)
    options.json.write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
