# SPDX-License-Identifier: GPL-2.0-or-later
"""Which files name each other's types, and the cycles that this makes."""


class TypeGraph:
    """Files as nodes; an arrow to each other file whose types a file names.

    A name means what it means to the compiler, as far as tokens say: a type of the file itself, or else one at the top of a
    file of its module or of an imported one, or else one that is nested in another. If several have the name, it means none.
    """

    def __init__(self, sources):
        self.top, self.nested, own, extended = {}, {}, {}, {}
        for source in sources:
            for keyword, name, depth, _ in source.declarations():
                if keyword == "extension":
                    extended.setdefault(name.split(".")[-1], set()).add(source)
                elif keyword != "associatedtype":
                    (self.nested if depth else self.top).setdefault(name, set()).add(source)
                    own.setdefault(source, set()).add(name)
        # For each file, the types of other files that it names, with these files.
        self.named = {
            source: {
                name: owner
                for name, module in source.names.items()
                if (module or name not in own.get(source, ())) and (owner := self._owner(name, module, source))
            }
            for source in sources
        }
        # The files of its module that extend a type: whoever names it may use what they add.
        self.extensions = {
            (name, owner): {file for file in files if file.module == owner.module and self.named[file].get(name) is owner}
            for name, files in extended.items()
            for owner in self.top.get(name, ())
        }

    def _owner(self, name, module, source):
        for declared in (self.top.get(name, ()), self.nested.get(name, ())):
            inside = [owner for owner in declared if owner.module == (module or source.module)]
            seen = inside or [owner for owner in declared if not module and owner.module in source.imports]
            if seen:
                return seen[0] if len(seen) == 1 else None
        return None

    def cycles(self, files=None, without=frozenset(), with_extensions=False):
        """The cycles of several files, the largest first, among some files; the names `without` make no arrows."""
        files = set(self.named if files is None else files)
        arrows = {}
        for file in files:
            named = {name: owner for name, owner in self.named[file].items() if name not in without}
            arrows[file] = set(named.values()) & files
            if with_extensions:
                arrows[file].update(*(self.extensions.get(entry, set()) & files for entry in named.items()))
        return sorted((found for found in components(arrows) if len(found) > 1), key=len, reverse=True)

    def binding(self, cycle, steps):
        """The types that hold a cycle together: each the one without which the largest rest is smallest, with its size."""
        removed, rest = {}, list(cycle)
        while len(removed) < steps and len(rest) > 1:
            inside = set(rest)
            names = {name for file in rest for name, owner in self.named[file].items() if owner in inside}

            def size(name):
                return max(map(len, self.cycles(rest, {*removed, name})), default=0)

            best = min(sorted(names - set(removed)), key=size)
            removed[best] = size(best)
            rest = next(iter(self.cycles(rest, set(removed))), [])
        return removed


def components(arrows):
    """The strongly connected components of a graph (Tarjan), without recursion."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for root in sorted(arrows, key=lambda node: str(node.path)):
        if root in index:
            continue
        work = [(root, iter(arrows[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(arrows[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = []
                    while not component or component[-1] is not node:
                        component.append(stack.pop())
                        on_stack.discard(component[-1])
                    found.append(component)
    return found
