"""What became of the mutants: tables, JSON, and what is wrong with it."""
import collections
import hashlib
import json
import math

NOT_FOUND = ("survived", "equivalent")
COLUMNS = ("check mode", "values", "budget", "compile", "timeout", "equivalent", "survived")


class Result:
    def __init__(self, exercise, mutant, outcome, root):
        self.chapter = exercise.chapter
        self.file = str(exercise.source.relative_to(root))
        self.mutant = mutant
        self.outcome = outcome  # "check: race", "values", "budget", "compile", ..., "survived"

    @property
    def key(self):
        """What survivors.json knows a mutant by: no line numbers, which move."""
        return self.file, self.mutant.operator, self.mutant.before, self.mutant.after

    @property
    def column(self):
        if self.outcome.startswith("check: "):
            return "check mode"
        return self.outcome if self.outcome in COLUMNS else "values"

    def __str__(self):
        return (f"{self.file}:{self.mutant.line}: {self.mutant.operator}: {self.mutant.before}  =>  "
                f"{self.mutant.after or '(nothing)'}")


def figures(results):
    counts = collections.Counter(result.column for result in results)
    counted = len(results) - counts["equivalent"]
    found = counted - counts["survived"]
    return {"mutants": len(results), "found": found,
            "percent": round(100.0 * found / counted, 2) if counted else 100.0,
            **{column: counts[column] for column in COLUMNS}}


def grouped(results, name):
    groups = collections.defaultdict(list)
    for result in results:
        groups[name(result)].append(result)
    return sorted(groups.items())


def print_table(title, groups):
    heads = ("mutants", "found", *COLUMNS)
    print(f"\n{title:28}" + "".join(f"{head:>11}" for head in heads))
    for name, results in groups:
        row = figures(results)
        print(f"{name:28}" + "".join(f"{row[head]:>11}" for head in heads))


def print_tables(results):
    print_table("by operator", grouped(results, lambda r: r.mutant.operator))
    print_table("by chapter", grouped(results, lambda r: r.chapter))
    print_table("by exercise", grouped(results, lambda r: r.file.split("/")[-1]))
    print("\nfound by")
    for outcome, count in sorted(collections.Counter(r.outcome for r in results).items()):
        print(f"{outcome:28}{count:>11}")
    for outcome in ("equivalent", "survived"):
        print(f"\n{outcome}")
        print("\n".join(f"  {result}" for result in results if result.outcome == outcome))
    row = figures(results)
    print(f"\n{row['mutants']} mutants, {row['equivalent']} of them equivalent: "
          f"{row['found']} found, {row['survived']} survived: {row['percent']} %")


def version_of(exercise, root):
    """What an exercise's outcomes depend on: its solution and its test."""
    test = root / "tests" / exercise.source.parent.name / f"{exercise.name}_test.cpp"
    digest = hashlib.sha256()
    for file in (exercise.source, test):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def read_known(path, versions):
    """The outcomes in a file that write_json has written, of exercises that are as they were then:
    for each key (see Result.key) a list, in the file's order."""
    known = collections.defaultdict(list)
    if not path.exists():
        return known
    stored = json.loads(path.read_text())
    same = {row["file"] for row in stored.get("versions", [])
            if versions.get(row["file"]) == row["version"]}
    for row in stored["mutants"]:
        if row["file"] in same:
            known[row["file"], row["operator"], row["before"], row["after"]].append(row["outcome"])
    return known


def write_json(results, path, versions):
    """Rows as docs/tools/check_prose.py reads them; every mutant, one a line; and which version of
    each exercise it was. `versions`: of each solution's file."""
    rows = [{"name": "all", **figures(results)}]
    rows += [{"name": f"operator/{name}", **figures(group)}
             for name, group in grouped(results, lambda r: r.mutant.operator)]
    rows += [{"name": f"chapter/{name}", **figures(group)}
             for name, group in grouped(results, lambda r: r.chapter)]
    rows += [{"name": f"outcome/{name}", "mutants": len(group)}
             for name, group in grouped(results, lambda r: r.outcome)]
    mutants = [{"file": r.file, "line": r.mutant.line, "operator": r.mutant.operator,
                "before": r.mutant.before, "after": r.mutant.after, "outcome": r.outcome}
               for r in results]
    tried = [{"file": file, "version": versions[file]} for file in sorted({r.file for r in results})]
    parts = [f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in part) + "\n]"
             for name, part in (("benchmarks", rows), ("mutants", mutants), ("versions", tried))]
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n")


def is_enough(found, counted, least_percent):
    """Whether so many are found, exactly: 94.99 % is not 95 %."""
    return 100 * found >= least_percent * counted


def too_few(name, results, harmless, least_percent):
    """What is wrong with the share that is found; "" if nothing is. Those that are harmless do not count."""
    counted = [r for r in results if r.column != "equivalent" and r.key not in harmless]
    found = sum(r.column != "survived" for r in counted)
    if is_enough(found, len(counted), least_percent):
        return ""
    percent = math.floor(10000 * found / len(counted)) / 100  # never shown as what it does not reach
    return f"{name}{found} of {len(counted)} found, {percent:.2f} %; expected at least {least_percent} %"


def faults(results, listed, least_percent, whole, least_of_exercise=None):
    """Why this run fails: lines to print. `whole`: all mutants were tried. `least_of_exercise`: the percentage
    that each exercise must reach by itself, without the survivors that are listed as harmless; None where the
    run tried a sample."""
    lines = []
    reasons = {(e["file"], e["operator"], e["before"], e["after"]): e["reason"] for e in listed}
    harmless = {(e["file"], e["operator"], e["before"], e["after"]) for e in listed if e.get("harmless")}
    survivors = {result.key for result in results if result.outcome == "survived"}
    for result in results:
        if result.outcome == "survived" and not reasons.get(result.key):
            lines.append(f"not listed in survivors.json: {result}")
    if least_of_exercise is not None:
        few = [too_few(f"{file}: ", group, harmless & survivors, least_of_exercise)
               for file, group in grouped(results, lambda r: r.file)]
        lines += [line for line in few if line]
    if whole:
        lines += [f"listed in survivors.json, but found now, or gone: {' | '.join(key)}"
                  for key in reasons if key not in survivors]
        few = too_few("", results, set(), least_percent)
        lines += [few] if few else []
    return lines
