import { fileURLToPath } from "node:url";
import { readArguments, renderUsage } from "./arguments.ts";
import { agents } from "./benches/agents.ts";
import { automations } from "./benches/automations.ts";
import { backup } from "./benches/backup.ts";
import type { Bench } from "./benches/bench.ts";
import { browser } from "./benches/browser.ts";
import { childProcesses } from "./benches/child-processes.ts";
import { conversation } from "./benches/conversation.ts";
import { gitStatus } from "./benches/git-status.ts";
import { homePage } from "./benches/home-page.ts";
import { httpWrites } from "./benches/http-writes.ts";
import { idle } from "./benches/idle.ts";
import { largeHome } from "./benches/large-home.ts";
import { longList } from "./benches/long-list.ts";
import { overshoot } from "./benches/overshoot.ts";
import { smallJson } from "./benches/small-json.ts";
import { snippets } from "./benches/snippets.ts";
import { start } from "./benches/start.ts";
import { storeWrites } from "./benches/store-writes.ts";
import { terminals } from "./benches/terminals.ts";
import { transfers } from "./benches/transfers.ts";
import { webhookStorm } from "./benches/webhook-storm.ts";
import { appendRun, createRun, renderHistory } from "./measure/history.ts";
import { describeMachine } from "./measure/machine.ts";
import { renderTable } from "./measure/row.ts";
import type { Row } from "./measure/row.ts";

/** The last runs, for a comparison of commits. */
const HISTORY = fileURLToPath(
  new URL("../../../artifacts/bench-history.json", import.meta.url),
);
const EXIT = { unmeasured: 1, usage: 2, interrupted: 130 } as const;

const benches: readonly Bench[] = [
  smallJson,
  storeWrites,
  httpWrites,
  longList,
  snippets,
  childProcesses,
  gitStatus,
  terminals,
  start,
  largeHome,
  idle,
  homePage,
  agents,
  conversation,
  transfers,
  backup,
  automations,
  webhookStorm,
  overshoot,
  browser,
];

const known = benches.map(({ name }) => name);
const settings = readArguments(process.argv.slice(2), known);
if (!settings) {
  console.error(renderUsage(known));
  process.exit(EXIT.usage);
}

// An interrupt waits until all processes have ended and all folders are gone; a second one does not.
const interrupted = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => {
    if (interrupted.signal.aborted) process.exit(EXIT.interrupted);
    console.error("Stopping …");
    interrupted.abort(new Error(`Interrupted by ${name}.`));
  });
}

const { signal } = interrupted;
const { rounds, seconds, isQuick } = settings;
const rows: Row[] = [];
for (const bench of benches) {
  if (signal.aborted || !settings.names.includes(bench.name)) continue;
  console.error(`${bench.title} …`);
  const say = (text: string) => console.error(`  ${text}`);
  try {
    rows.push(...(await bench.run({ rounds, seconds, isQuick, signal, say })));
  } catch (error) {
    if (signal.aborted) continue;
    console.error(`  could not be measured: ${String(error)}`);
    process.exitCode = EXIT.unmeasured;
  }
}
if (signal.aborted) process.exit(EXIT.interrupted);
console.log(
  `\nMedians of ${rounds} rounds in turns. ${describeMachine()} A missed aim is no failure of the command.\n`,
);
console.log(renderTable(rows));
if (rows.length > 0) {
  const runs = await appendRun(
    HISTORY,
    await createRun(rows, describeMachine()),
  );
  console.log(`\nThe last runs, kept in ${HISTORY}:\n`);
  console.log(renderHistory(runs));
}
