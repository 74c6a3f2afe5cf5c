/** The files of the first import cycle, in the order of the cycle; null when there is none. */
export function importCycle(
  files: readonly string[],
  importsOf: (path: string) => readonly string[],
): readonly string[] | null {
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): readonly string[] | null => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return null;
    for (const target of importsOf(path)) {
      const cycle = walk(target, [...trail, path]);
      if (cycle !== null) return cycle;
    }
    done.add(path);
    return null;
  };
  return files.map((path) => walk(path, [])).find((cycle) => cycle !== null) ?? null;
}
