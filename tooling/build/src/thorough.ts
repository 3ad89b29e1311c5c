/** Whether this is `npm run test:all`, in which tests prove in all ways what each change needs in one. */
export const isThorough: boolean = process.env.GANTRY_THOROUGH === "1";

/**
 * How often a property is tried: a fifth of `count`, but in `npm run test:all`.
 *
 * @example
 * fc.assert(property, { numRuns: runs(200) });
 */
export function runs(count: number): number {
  return isThorough ? count : Math.ceil(count / 5);
}

/**
 * The rows of a table of tests: the first ones, all of them in `npm run test:all`.
 *
 * @example
 * test.each(cases(["SIGTERM", "SIGINT", "SIGHUP"]))("%s ends it", async (signal) => …);
 */
export function cases<Row>(all: readonly Row[], count = 1): readonly Row[] {
  return isThorough ? all : all.slice(0, count);
}

/**
 * Tags of one of several tests of the same thing. For each change it is enough to run one of them.
 *
 * @example
 * for (const cli of CLIS)
 *   test(`${cli} has it once`, { tags: thoroughUnless(cli === "practice") }, async () => …);
 */
export function thoroughUnless(isEnough: boolean): string[] {
  return isEnough ? [] : ["thorough"];
}
