"""A folder as one file, which opens whenever it is looked at."""
import gzip
import io
import os
import pathlib
import tarfile

MIB = 1 << 20
LOG_LIMIT = MIB // 8  # of a log this much is kept, half of it from the beginning
SUFFIXES = (".json", ".csv", ".txt", ".log")


def shortened(data):
    if len(data) <= LOG_LIMIT:
        return data
    half = LOG_LIMIT // 2
    gap = f"\n... {len(data) - 2 * half} bytes are left out here ...\n".encode()
    return data[:half] + gap + data[-half:]


def _contents(folder):
    """Name and bytes of what belongs into the archive."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in SUFFIXES:
            data = path.read_bytes()
            yield path.relative_to(folder).as_posix(), \
                shortened(data) if path.suffix == ".log" else data


def _write(entries, part):
    with open(part, "wb") as file:
        with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed, \
                tarfile.open(fileobj=packed, mode="w") as tar:
            for name, data in entries:
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
        file.flush()
        os.fsync(file.fileno())
    return part.stat().st_size


def pack(folder, archive, limit):
    """Makes the archive anew: it is there whole, before and after, whenever this is killed. Where it
    would be larger than `limit` bytes, logs are left out, the longest first; returns their names."""
    part = archive.with_name(archive.name + ".part")
    entries = list(_contents(folder))
    left_out = []
    while _write(entries, part) > limit:
        logs = [entry for entry in entries if entry[0].endswith(".log")]
        if not logs:
            break
        longest = max(logs, key=lambda entry: len(entry[1]))
        entries.remove(longest)
        left_out.append(longest[0])
    os.replace(part, archive)
    return left_out


def unpack(archive, folder):
    """Lays the archive's files into the folder and returns their names. Names that would lead
    elsewhere, and what is no file, are refused."""
    names = []
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                path = pathlib.PurePosixPath(member.name)
                if not member.isfile() or path.is_absolute() or ".." in path.parts:
                    raise ValueError(f"{archive} holds {member.name}, which is no result")
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(tar.extractfile(member).read())
                names.append(member.name)
    except (tarfile.TarError, EOFError) as error:
        raise ValueError(f"{archive} is no archive of measure.py") from error
    return names
