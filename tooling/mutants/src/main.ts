import { mutants } from "./mutants.ts";
import type { Mutant } from "./mutant.ts";
import { renderTable } from "./render-table.ts";
import type { Outcome } from "./render-table.ts";
import { runTests } from "./run-tests.ts";
import { createSourceTree } from "./source-tree.ts";
import type { SourceTree } from "./source-tree.ts";

const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(name, () => stopping.abort());

const wanted = process.argv.slice(2).filter((word) => word !== "--");
const chosen = mutants.filter(
  ({ name }) =>
    wanted.length === 0 ||
    wanted.some((word) => name.toLowerCase().includes(word.toLowerCase())),
);

const outcomes: Outcome[] = [];
try {
  for (const folder of new Set(chosen.map(({ folder }) => folder)))
    await tryPackage(folder);
  console.log(`\n${renderTable(outcomes)}`);
  if (outcomes.some(({ state }) => state === "survived")) process.exitCode = 1;
} catch (error) {
  if (!stopping.signal.aborted) throw error;
  process.exitCode = 130;
}

/** Tries the mutants of one package. @throws Error if its tests fail by themselves; the reason of the signal if it aborts */
async function tryPackage(folder: Mutant["folder"]): Promise<void> {
  const own = chosen.filter((mutant) => mutant.folder === folder);
  const tree = await createSourceTree(folder);
  try {
    // A test that fails anyhow would notice everything.
    const all = [...new Set(own.flatMap(({ tests }) => tests))];
    console.log(
      `Running ${all.length} files of tests of ${folder} as they are…`,
    );
    const before = await runTests(tree.folder, all, stopping.signal);
    stopping.signal.throwIfAborted();
    if (!before.passed)
      throw new Error(`They fail by themselves: ${before.failure}`);
    for (const mutant of own) {
      const outcome = await tryOne(tree, mutant);
      stopping.signal.throwIfAborted();
      outcomes.push(outcome);
      const { name, state, by } = outcome;
      console.log(`${state.padEnd(8)} ${name}${by ? `: ${by}` : ""}`);
    }
  } finally {
    await tree.remove();
  }
}

async function tryOne(tree: SourceTree, mutant: Mutant): Promise<Outcome> {
  const start = performance.now();
  const restore = await tree.apply(mutant);
  const run = await runTests(tree.folder, mutant.tests, stopping.signal);
  await restore();
  const ms = performance.now() - start;
  return run.passed
    ? { name: mutant.name, state: "survived", by: mutant.tests.join(", "), ms }
    : { name: mutant.name, state: "killed", by: run.failure, ms };
}
