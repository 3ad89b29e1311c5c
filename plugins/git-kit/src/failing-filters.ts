/** Commands that compare files with commits, for which git runs filters. */
const FILTERING = new Set(["diff", "show", "status"]);

/** Arguments with which git prints the programs of the user's filters. The repository's are not read. */
export const LIST_FILTERS = [
  "config",
  "--null",
  "--get-regexp",
  "^filter\\..*\\.(clean|process)$",
];

/** Whether a command may have failed because of a filter. */
export function runsFilters(command: string): boolean {
  return FILTERING.has(command);
}

/** Filters that are switched off each alone, before all are. */
const MAX_SINGLE = 4;

/**
 * Sets of filters to switch off, one after the other until git succeeds: those whose program is named in what git said,
 * then each alone, then all.
 *
 * @param listed What {@link LIST_FILTERS} prints.
 */
export function guessFailingFilters(
  listed: string,
  stderr: string,
): string[][] {
  const programs = listed.split("\0").flatMap((entry) => {
    const [, name, program] =
      /^filter\.(.*)\.[^.\n]*\n\s*(\S+)/s.exec(entry) ?? [];
    return name !== undefined && program ? [{ name, program }] : [];
  });
  const words = new Set(stderr.split(/[^\w./-]+/));
  const named = programs.filter(
    ({ name, program }) =>
      words.has(program) || stderr.includes(`filter '${name}'`),
  );
  const toNames = (some: typeof programs) => [
    ...new Set(some.map(({ name }) => name)),
  ];
  const all = toNames(programs);
  const single = all.slice(0, MAX_SINGLE).map((name) => [name]);
  return [toNames(named), ...single, all].filter((names) => names.length > 0);
}

/** Settings that switch filters off. */
export function withoutFilters(
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => [
      [`filter.${name}.clean`, ""],
      [`filter.${name}.smudge`, ""],
      [`filter.${name}.process`, ""],
      [`filter.${name}.required`, "false"],
    ]),
  );
}
