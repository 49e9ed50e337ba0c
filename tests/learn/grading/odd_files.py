"""Students whose files or names are odd: archives of all kinds, links, devices, sizes, names."""
import io
import os
import tarfile
import zipfile

from course import EXERCISES, file_of, version



def solved():
    """The three exercises' files, each where it stands in the course."""
    return {file_of(exercise): version(exercise, "solution") for exercise in EXERCISES}


def add_tar(path, entries, mode="w:gz"):
    """`entries`: a name with text, or with a type and what it leads to."""
    with tarfile.open(path, mode) as archive:
        for name, what in entries:
            entry = tarfile.TarInfo(name)
            if isinstance(what, str):
                data = what.encode()
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
            else:
                entry.type, entry.linkname = what
                archive.addfile(entry)


def add_zip(path, entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries:
            archive.writestr(name, text)


def add_right_archives(folder):
    files = list(solved().items())
    add_zip(folder / "zipped.zip", [(f"hw1/{name}", text) for name, text in files])
    add_tar(folder / "packed.tar.gz", [(f"./course/{name}", text) for name, text in files])
    add_tar(folder / "loose.tar", [(name.rpartition("/")[2], text) for name, text in files], "w")
    add_tar(folder / "squeezed.tar.xz", files, "w:xz")
    # A whole course in which hundreds of other files lie, as a Mac packs it.
    add_zip(folder / "with_the_rest.zip", files + [(f"common/{k}.hpp", "//\n") for k in range(400)]
            + [(f"__MACOSX/{name.replace('exercises/', 'exercises/._')}", "x") for name, _ in files])
    (folder / "inside").mkdir()
    add_zip(folder / "inside/homework.zip", files)
    # All of exercises/, with what was given, and beside it what ./learn submit has packed.
    given = [(name.replace("exercises/", "exercises/given/"), "the stub\n") for name, _ in files]
    for name, text in files + given:
        (folder / "everything" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "everything" / name).write_text(text)
    add_tar(folder / "everything/submission.tar.gz", files)
    return {name: (10, 10, 10) for name in ("zipped", "packed", "loose", "squeezed", "with_the_rest", "inside",
                                            "everything")}


def add_bad_archives(folder):
    """Each with the words that tell why nothing of it counts."""
    reverse = version("reverse", "solution")
    passwd = "/etc/passwd"
    add_tar(folder / "leads_out.tar.gz", [("../reverse.cu", reverse)])
    add_tar(folder / "absolute.tar.gz", [("/tmp/reverse.cu", reverse)])
    add_tar(folder / "linked.tar.gz", [("reverse.cu", (tarfile.SYMTYPE, passwd))])
    add_tar(folder / "hard_linked.tar.gz", [("reverse.cu", (tarfile.LNKTYPE, passwd))])
    add_tar(folder / "a_device.tar.gz", [("reverse.cu", (tarfile.CHRTYPE, ""))])
    add_tar(folder / "ten_thousand.tar.gz", [(f"files/{k}", "") for k in range(10001)] + [("reverse.cu", reverse)])
    add_tar(folder / "same_name.tar.gz", [("a/reverse.cu", reverse), ("b/reverse.cu", reverse + "//\n")])
    add_zip(folder / "bomb.zip", [("reverse.cu", b"\0" * (400 << 20))])
    add_zip(folder / "too_long.zip", [("reverse.cu", b" " * (2 << 20))])
    add_zip(folder / "no_source.zip", [("report.pdf", b"%PDF")])
    (folder / "damaged.zip").write_bytes(b"PK\3\4 and no more")
    return {"leads_out": "leads out of it", "absolute": "is absolute", "linked": "it is a link", "hard_linked": "it is a link",
            "a_device": "no regular file", "ten_thousand": "more than 10000 entries", "same_name": "2 files of this name",
            "bomb": "bytes, unpacked", "too_long": "expected 1048576 at most", "no_source": "ignored: 'report.pdf'", "damaged": "damaged"}


def add_odd_folders(folder):
    reverse = version("reverse", "solution")

    def place(name):
        (folder / name).mkdir()
        return folder / name

    place("nothing")
    for part in ("a", "b"):
        (folder / "two_files" / part).mkdir(parents=True)
        (folder / "two_files" / part / "reverse.cu").write_text(reverse + f"// {part}\n")
    os.symlink("/etc/passwd", place("a_link") / "reverse.cu")
    os.symlink("..", place("a_loop") / "others")
    os.mkfifo(place("a_pipe") / "reverse.cu")
    (place("a_folder") / "reverse.cu").mkdir()
    with open(place("gigabyte") / "reverse.cu", "wb") as file:
        file.truncate(1 << 30)
    (place("other_ending") / "reverse.c").write_text(reverse)
    (place("latin_1") / "reverse.cu").write_bytes(reverse.replace("Enough", "Genügend").encode("latin-1"))
    (place("utf_16") / "reverse.cu").write_bytes(reverse.encode("utf-16"))
    os.symlink("/etc", folder / "linked_away")
    return {"nothing": "not handed in", "two_files": "2 files of this name", "a_link": "it is a link", "a_loop": "not handed in",
            "a_pipe": "no regular file", "a_folder": "no regular file", "gigabyte": "1073741824 bytes; expected 1048576 at most",
            "other_ending": "ignored: 'reverse.c'", "latin_1": "is no UTF-8", "utf_16": "UTF-8", "linked_away": "is a link, which is not followed"}


# Names as they are in the folder, and as they are shown.
NAMES = {
    b"-rf name": "-rf name",
    b"two\nlines": "two\\x0alines",
    b"=1+1": "=1+1",
    b"a\xffb": "a\\xffb",
    "Zoë Ångström".encode(): "Zoë Ångström",
    b"<b>&amp;\"'": "<b>&amp;\"'",
    b"right\xe2\x80\xaeleft": "right\\xe2\\x80\\xaeleft",
    b"n" * 200: "n" * 200,
    b"a, b": "a, b",
}


def add_odd_names(folder):
    for name in NAMES:
        place = os.path.join(os.fsencode(folder), name)
        os.mkdir(place)
        for file, text in solved().items():
            with open(os.path.join(place, os.fsencode(file.rpartition("/")[2])), "w", encoding="utf-8") as written:
                written.write(text)
    return {shown: (10, 10, 10) for shown in NAMES.values()}
