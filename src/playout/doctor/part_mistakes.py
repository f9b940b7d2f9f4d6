"""Every mistake in a policy or backup that the doctor can find: what happened, the likely cause, and the fix."""

PART_MISTAKES: dict[str, tuple[str, str, str]] = {
    "not-compiled": (
        "{reason}",
        "parts may only use what Numba can compile: numbers, arrays, loops, the fields of their arguments",
        "rewrite that line with these; a helper function that it calls needs @numba.njit",
    ),
    "raises": (
        "raised {error}, at {place}",
        "an unhandled case",
        "fix that line; with NUMBA_DISABLE_JIT=1 a debugger can stop there",
    ),
    "never-returns": (
        "did not return within {seconds:g} s of processor time; it was at {place}",
        "an endless loop for these numbers",
        "make sure that every loop ends, for instance with a limit on its rounds",
    ),
    "not-a-number": (
        "{how}, called with {asked}",
        "0 / 0, the root or logarithm of a negative number, or a path through the function without `return`",
        "return a number for every edge; divide by max(1, edge.visits)",
    ),
    "infinite-score": (
        "gave {value:g} to {count} visited edges of one node, called with {asked}",
        "a division by zero, or infinity used as a bonus: equal infinities can't be compared",
        "return finite numbers for visited edges",
    ),
    "writes": (
        "writes {what}, called with {asked}",
        "it stores something where it should only read: the write is lost, or changes later answers",
        "work on local variables; store data about an edge in a column and data about the tree in a table, and write "
        "both in `update`",
    ),
    "hidden-randomness": (
        "{how}",
        "the function uses randomness or memory other than its arguments",
        "draw with po.random(rng) or po.normal(rng) in `score` or `prepare`, so that a seed reproduces everything",
    ),
    "compiled-differs": (
        "differs between compiled and uncompiled ({contrast}), called with {asked}",
        "compiled, integers have 64 bits and wrap around, and globals keep the values from compile time",
        "compute with floats (float(edge.visits)), and turn globals into settings",
    ),
    "by-prior-broken": (
        "gave {low:.6g} to an unvisited edge of prior {high_prior:.4g} and {high:.6g} to one of prior {low_prior:.4g}, "
        "called with {asked}",
        "`by_prior = True` promises that a higher prior never scores lower, and only the first edge is scored",
        "remove by_prior, or make the score grow with edge.prior where edge.visits is 0",
    ),
    "sets-value": (
        "sets edge.value, called with {asked}",
        "a policy's update may only write its columns: the backup sets the value, and this write is lost",
        "write a po.Backup for the value, or store it in a column",
    ),
    "unknown-field": (
        "writes edge.{name}, which is neither a field nor a column",
        "an undeclared column, or a misspelled name",
        "declare it: columns = np.dtype([('{name}', np.float64)])",
    ),
    "terms-differ": (
        "gave {terms}, which sum to {total:.6g}, but the score is {score:.6g}, called with {asked}",
        "the formula was changed in only one of the two",
        "make the terms add up to what `score` returns",
    ),
    "terms-count": (
        "gave {count} numbers, but term_names has {names}",
        "a term was added in only one place",
        "return one number for each of term_names",
    ),
    "leaves-range": (
        "made the value {value:.6g} of returns from {least:.6g} to {greatest:.6g}, after {visits} of them ({asked})",
        "the weights don't sum to one, or something is added to the returns",
        "keep the value between the lowest and the highest return: with the solver on, a run would stop with an error",
    ),
    "value-not-set": (
        "left edge.value unchanged after {visits} returns",
        "the new value is returned, or stays in a local variable",
        "assign it: edge.value = …",
    ),
    "not-the-mean": (
        "made the value {value:.6g} of returns whose mean is {mean:.6g}",
        "`plain_mean = True` promises the mean, so the search computes it itself and never calls `update`",
        "remove plain_mean",
    ),
    "search-fails": (
        "makes a search of {game} fail: {message}",
        "numbers that the checks did not cover",
        "fix what the message names",
    ),
}
