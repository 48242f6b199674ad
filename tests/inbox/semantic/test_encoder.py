"""The model: what it says is alike, and files that are not the ones that were tried."""

import numpy as np
import pytest

from inbox.semantic import encoder
from inbox.semantic.encoder import DIMENSIONS, MODEL, Encoder, UnknownModelError
from inbox.semantic.loading import find_encoder, is_on


@pytest.fixture(scope="module")
def model():
    return Encoder()


def cosine(one, other):
    one, other = one.astype(float), other.astype(float)
    return one @ other / np.linalg.norm(one) / np.linalg.norm(other)


def test_what_means_the_same_in_other_words_is_near(model):
    asked, same, other = model.encode([
        "When does our rental agreement expire?",
        "The lease of the flat ends in March.",
        "The choir sings on Thursdays.",
    ])  # fmt: skip
    assert asked.dtype == np.int8
    assert asked.shape == (DIMENSIONS,)
    assert cosine(asked, same) > 0.3
    assert cosine(asked, other) < 0.2


def test_a_text_is_read_the_same_alone_and_among_longer_ones(model):
    text, long = "The printer jams.", "word " * 5000
    alone, among = (
        model.encode([text])[0],
        model.encode([long, text, "", "\0 \ud800".encode("utf-8", "replace").decode()])[1],
    )
    assert cosine(alone, among) > 0.97


@pytest.mark.parametrize(
    ("package", "path", "why"),
    [
        (MODEL.package, MODEL.path, "SHA-256 differs"),
        (MODEL.package, "elsewhere.onnx", "missing"),
        ("no_such_package", "model.onnx", "not installed"),
    ],
)
def test_a_file_that_was_not_tried_is_not_read(package, path, why):
    with pytest.raises(UnknownModelError, match=why):
        encoder._File(package, path, "0" * 64).read()


def test_it_is_off_unless_it_is_switched_on(settings):
    assert (is_on(), find_encoder()) == (False, None)


def test_without_it_nothing_of_the_extra_is_imported(at_start):
    assert "inbox.search" in at_start.modules
    assert not {"numpy", "onnxruntime", "tokenizers"}.intersection(at_start.modules)
