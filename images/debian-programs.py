"""debian-programs.py OUT KNOWN PACKAGE PROGRAM…: the smallest set of Debian's files that lets programs run.

Debian's ffmpeg asks for 400 MB of packages, most of them to draw on screens. This copies below OUT the files of each
named PACKAGE (comma-separated), each PROGRAM, and the libraries that those load, so far as they are not in a package of the
base (KNOWN, one name a line). A copied file's package is written to var/lib/dpkg/status.d, where scanners look for packages.
"""

import os
import shutil
import subprocess
import sys

out, known_path, packages, *programs = sys.argv[1:]
known = set(open(known_path).read().split())
owners, taken, copied = {}, set(), set()


def command(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def canonical(path):
    """Where the file's folder really is: /lib is a link to /usr/lib."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def read_owners():
    for name in os.listdir("/var/lib/dpkg/info"):
        if name.endswith(".list"):
            package = name[: -len(".list")].split(":")[0]
            for line in open(f"/var/lib/dpkg/info/{name}"):
                path = line.rstrip("\n")
                if not os.path.isdir(path):
                    owners[canonical(path)] = package


def copy(path):
    path = canonical(path)
    if path in copied:
        return
    copied.add(path)
    owner = owners.get(path)
    if owner in known or not os.path.lexists(path):
        return
    if owner:
        taken.add(owner)
    target = out + path
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.islink(path):
        os.symlink(os.readlink(path), target)
        copy(os.path.join(os.path.dirname(path), os.readlink(path)))
        return
    shutil.copy2(path, target)
    if is_elf(path):
        for line in command("ldd", path).splitlines():
            library = line.split("=>")[-1].split()[0]
            if library.startswith("/"):
                copy(library)


def is_elf(path):
    with open(path, "rb") as file:
        is_program = file.read(4) == b"\x7fELF"
    return is_program and ".so" in os.path.basename(path) or is_program and os.access(path, os.X_OK)


def files_of(package):
    listed = command("dpkg-query", "--listfiles", package).splitlines()
    unwanted = ("/usr/share/doc/", "/usr/share/man/", "/usr/share/lintian/", "/usr/share/doc-base/")
    for path in listed:
        if not os.path.isdir(path) and not path.startswith(unwanted):
            yield path
    for path in listed:
        if path.startswith("/usr/share/doc/") and path.endswith("/copyright"):
            yield path


read_owners()
for package in packages.split(","):
    for path in files_of(package):
        copy(path)
for program in programs:
    copy(program)
status = f"{out}/var/lib/dpkg/status.d"
os.makedirs(status, exist_ok=True)
for package in sorted(taken):
    copy(f"/usr/share/doc/{package}/copyright")
    with open(f"{status}/{package}", "w") as file:
        file.write(command("dpkg-query", "--status", package))
