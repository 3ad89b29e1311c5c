/**
 * Measures things round by round, in turns, so that whatever else the machine does meets all of them alike. Each second
 * round goes backwards, so that none always comes after the same other one.
 *
 * @throws the signal's reason, before the next thing is measured
 */
export async function interleave<Name extends string, Result>(
  { rounds, signal }: { rounds: number; signal?: AbortSignal },
  measures: Readonly<Record<Name, () => Promise<Result>>>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(measures) as Name[];
  const results = Object.fromEntries(
    names.map((name) => [name, [] as Result[]]),
  ) as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      signal?.throwIfAborted();
      results[name].push(await measures[name]());
    }
  }
  return results;
}
