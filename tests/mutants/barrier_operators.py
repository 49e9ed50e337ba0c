"""Operators on what orders threads. Each yields (start, end, replacement) in characters."""
import re

from cuda_source import CLOSING

CALLS = {"__syncthreads", "__syncwarp", "__threadfence", "__threadfence_block",
         "__threadfence_system", "__pipeline_wait_prior"}
# One line of PTX each, by the names of common/tut/ptx.
PTX_CALLS = {"cluster_arrive", "cluster_wait", "cp_async_bulk_commit_group", "cp_async_bulk_wait_group_read",
             "cp_async_commit_group", "cp_async_wait_all", "cp_async_wait_group", "fence_proxy_async",
             "mbarrier_arrive", "mbarrier_arrive_expect_tx", "mbarrier_init", "mbarrier_init_fence",
             "mbarrier_wait", "wgmma_commit_group", "wgmma_fence", "wgmma_wait_group"}
ATOMICS = {"atomicAdd": "+=", "atomicSub": "-="}
FULL_MASK = re.compile(r"0[xX][fF]{8}([uU]?)$")


def barriers(source, first, last):
    """(first, last) token of each statement that is a barrier, a fence or a wait: `__syncthreads();`,
    `grid.sync();`, `ptx::wgmma_wait_group<0>();`."""
    for i in range(first, last):
        start, opening = i, i + 1
        if source.word(i) == "sync" and source.word(i - 1) == ".":
            start = i - 2
        elif source.word(i) in PTX_CALLS and source.word(i - 1) == "::":
            start = i - 2
            opening = after_template_arguments(source, i + 1)
        elif source.word(i) not in CALLS:
            continue
        if source.word(opening) != "(" or source.word(start - 1) not in (";", "{", "}", ")"):
            continue
        end = source.partner[opening] + 1
        if source.word(end) == ";":
            yield start, end


def after_template_arguments(source, i):
    if source.word(i) != "<":
        return i
    while source.word(i) not in (">", ";", ""):
        i += 1
    return i + 1


def span(source, first, last):
    return source.tokens[first].start, source.tokens[last].end


def removed(source, first, last):
    for start, end in barriers(source, first, last):
        yield (*span(source, start, end), ";" if source.word(start - 1) == ")" else "")


def into_the_if_before(source, first, last):
    for start, end in barriers(source, first, last):
        before = source.statement_before(start)
        if before is None or source.word(before) != "if":
            continue
        barrier = source.slice(start, end)
        body = source.partner[before + 1] + 1
        if source.word(body) == "{":
            closing = source.tokens[start - 1].start
            yield closing, source.tokens[end].end, f" {barrier} }}"
        else:
            text = source.slice(body, start - 1)
            yield (*span(source, body, end), f"{{ {text} {barrier} }}")


def is_declaration(source, i):
    return (source.tokens[i].kind == "name" and source.tokens[i + 1].kind == "name" or
            source.word(i + 1) in ("*", "&", "::", "<"))


def too_early(source, first, last):
    """The barrier changes places with the statement before it."""
    listed = list(barriers(source, first, last))
    ends = {end for _, end in listed}
    for start, end in listed:
        before = source.statement_before(start)
        if before is None or start - 1 in ends or is_declaration(source, before):
            continue
        text = f"{source.slice(start, end)} {source.slice(before, start - 1)}"
        yield (*span(source, before, end), text)


def waits_for_fewer(source, first, last):
    """One group more may be under way."""
    for start, end in barriers(source, first, last):
        if "_wait_group" in source.word(start + 2) and source.word(start + 3) == "<":
            last_of_count = after_template_arguments(source, start + 3) - 2
            yield (*span(source, start + 4, last_of_count),
                   f"{source.slice(start + 4, last_of_count)} + 1")


def atomic_made_plain(source, first, last):
    for i in range(first, last):
        name = source.word(i).removesuffix("_block").removesuffix("_system")
        if name not in ATOMICS or source.word(i + 1) != "(":
            continue
        (a, b), (c, d) = source.arguments(i + 1)
        target, value = source.slice(a, b), source.slice(c, d)
        plain = f"*({target}) {ATOMICS[name]} {value}"
        if source.word(i - 1) not in (";", "{", "}", ")"):
            plain = f"(({plain}) {'-' if name == 'atomicAdd' else '+'} ({value}))"
        yield (*span(source, i, source.partner[i + 1]), plain)


def mask_shortened(source, first, last):
    for i in range(first, last + 1):
        full = FULL_MASK.match(source.word(i))
        if full:
            yield (*span(source, i, i), f"0x7fffffff{full.group(1)}")
        elif source.word(i) == "~" and source.word(i + 1) in ("0u", "0U"):
            if source.word(i - 1) not in CLOSING:
                yield (*span(source, i, i + 1), "0x7fffffffu")
