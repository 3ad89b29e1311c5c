/**
 * Whether this is a long run (`vitest run --mode long`), in which tests repeat what they do more often than each change
 * needs. Files named `*.long.test.ts` run only then.
 *
 * @example
 * fc.assert(property, { numRuns: isLongRun ? 5_000 : 200 });
 */
export const isLongRun: boolean = process.env.GANTRY_LONG_RUN === "1";
