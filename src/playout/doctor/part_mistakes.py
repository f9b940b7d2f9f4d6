"""Every mistake of a policy or backup that the doctor can find: what happened, the likely cause, and the fix."""

PART_MISTAKES: dict[str, tuple[str, str, str]] = {
    "not-compiled": (
        "{reason}",
        "parts may use what Numba compiles: numbers, the fields of what they are given, arrays, loops",
        "write that line with those; a helper that it calls wants @numba.njit",
    ),
    "raises": (
        "raised {error}, at {place}",
        "a case that was not thought of",
        "mend that line; NUMBA_DISABLE_JIT=1 lets a debugger stop there",
    ),
    "never-returns": (
        "did not return within {seconds:g} s of processor time; it was at {place}",
        "a loop without an end for these numbers",
        "let every loop end, for instance by a limit on its rounds",
    ),
    "not-a-number": (
        "{how}, asked with {asked}",
        "0 / 0, the root or logarithm of a number below zero, or a way through the function without `return`",
        "return a number for every edge that can be asked, max(1, edge.visits) where it divides",
    ),
    "infinite-score": (
        "gave {value:g} to {count} visited edges of one node, asked with {asked}",
        "a division by zero, or an infinity that stands for a wish: equal infinities can't be compared",
        "return finite numbers for edges that were visited",
    ),
    "writes": (
        "writes {what}, asked with {asked}",
        "it remembers something where it should only look: the write is lost, or changes later answers",
        "work on local variables; what an edge is to remember is a column, what the tree is to remember a table, and "
        "`update` writes both",
    ),
    "hidden-randomness": (
        "{how}",
        "randomness or memory outside of what it is given",
        "draw with po.random(rng) or po.normal(rng) in `score` or `prepare`, so that a seed reproduces everything",
    ),
    "compiled-differs": (
        "does not do the same compiled and uncompiled ({contrast}), asked with {asked}",
        "compiled, whole numbers have 64 bits and wrap, and globals are as they were when it was compiled",
        "reckon with floats (float(edge.visits)), and make globals settings",
    ),
    "by-prior-broken": (
        "gave {low:.6g} to an unvisited edge of prior {high_prior:.4g} and {high:.6g} to one of prior {low_prior:.4g}, "
        "asked with {asked}",
        "`by_prior = True` promises that a higher prior never scores lower, and only the first edge is asked",
        "leave by_prior out, or let the score grow with edge.prior where edge.visits is 0",
    ),
    "sets-value": (
        "sets edge.value, asked with {asked}",
        "a policy's update may write its columns; what an edge is worth is the backup's to say, and the write is lost",
        "write a po.Backup for the value, or keep it in a column",
    ),
    "unknown-field": (
        "writes edge.{name}, which is neither a field nor a column",
        "a column that was not declared, or a misspelt name",
        "declare it: columns = np.dtype([('{name}', np.float64)])",
    ),
    "terms-differ": (
        "gave {terms}, together {total:.6g}, but the score is {score:.6g}, asked with {asked}",
        "the formula was changed in one of the two",
        "let the terms add up to what `score` returns",
    ),
    "terms-count": (
        "gave {count} numbers, and term_names has {names}",
        "a term was added in one place only",
        "return one number for each of term_names",
    ),
    "leaves-range": (
        "made the value {value:.6g} of returns from {least:.6g} to {greatest:.6g}, after {visits} of them ({asked})",
        "the weights don't sum to one, or something is added to the returns",
        "let the value stay between the least and the greatest return: where proofs are on, the run would end",
    ),
    "value-not-set": (
        "left edge.value as it was through {visits} returns",
        "the new value is returned or kept in a local variable",
        "write it: edge.value = …",
    ),
    "not-the-mean": (
        "made the value {value:.6g} of returns whose mean is {mean:.6g}",
        "`plain_mean = True` promises the mean, and the search then keeps it by itself and never calls `update`",
        "leave plain_mean out",
    ),
    "search-fails": (
        "ends a search of {game}: {message}",
        "numbers that were not among those it was asked with",
        "mend what it names",
    ),
}
