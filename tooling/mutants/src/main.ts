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

const tree = await createSourceTree();
try {
  process.exitCode = await tryAll(tree);
} finally {
  await tree.remove();
}

async function tryAll(tree: SourceTree): Promise<number> {
  // A test that fails anyhow would notice everything.
  for (const folder of new Set(chosen.map((each) => tree.packageOf(each)))) {
    const inFolder = chosen.filter((each) => tree.packageOf(each) === folder);
    const all = [...new Set(inFolder.flatMap(({ tests }) => tests))];
    console.log(`Running ${all.length} files of tests as they are…`);
    const before = await runTests(folder, all, stopping.signal);
    if (stopping.signal.aborted) return 130;
    if (before.passed) continue;
    console.error(`They fail by themselves: ${before.failure}`);
    return 1;
  }
  const outcomes: Outcome[] = [];
  for (const mutant of chosen) {
    const outcome = await tryOne(tree, mutant);
    if (stopping.signal.aborted) return 130;
    outcomes.push(outcome);
    const { name, state, by } = outcome;
    console.log(`${state.padEnd(8)} ${name}${by ? `: ${by}` : ""}`);
  }
  console.log(`\n${renderTable(outcomes)}`);
  return outcomes.some(({ state }) => state === "survived") ? 1 : 0;
}

async function tryOne(tree: SourceTree, mutant: Mutant): Promise<Outcome> {
  const start = performance.now();
  const restore = await tree.apply(mutant);
  const run = await runTests(
    tree.packageOf(mutant),
    mutant.tests,
    stopping.signal,
  );
  await restore();
  const ms = performance.now() - start;
  return run.passed
    ? { name: mutant.name, state: "survived", by: mutant.tests.join(", "), ms }
    : { name: mutant.name, state: "killed", by: run.failure, ms };
}
