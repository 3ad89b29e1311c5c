import { CHROMIUM_HINT, findChromium } from "../../bootstrap/chromium.mjs";
import { readArguments, renderUsage } from "./arguments.ts";
import { agents } from "./benches/agents.ts";
import { automations } from "./benches/automations.ts";
import { backup } from "./benches/backup.ts";
import type { Bench } from "./benches/bench.ts";
import { childProcesses } from "./benches/child-processes.ts";
import { conversation } from "./benches/conversation.ts";
import { eventStreams } from "./benches/event-streams.ts";
import { gitStatus } from "./benches/git-status.ts";
import { homePage } from "./benches/home-page.ts";
import { httpWrites } from "./benches/http-writes.ts";
import { idle } from "./benches/idle.ts";
import { longList } from "./benches/long-list.ts";
import { overshoot } from "./benches/overshoot.ts";
import { smallJson } from "./benches/small-json.ts";
import { snapshot } from "./benches/snapshot.ts";
import { snippets } from "./benches/snippets.ts";
import { start } from "./benches/start.ts";
import { storeWrites } from "./benches/store-writes.ts";
import { streaming } from "./benches/streaming.ts";
import { terminals } from "./benches/terminals.ts";
import { transfers } from "./benches/transfers.ts";
import { webhookStorm } from "./benches/webhook-storm.ts";
import { describeMachine } from "./measure/machine.ts";
import { renderTable } from "./measure/row.ts";
import type { Row } from "./measure/row.ts";

const EXIT = { unmeasured: 1, usage: 2, interrupted: 130 } as const;

const benches: readonly Bench[] = [
  smallJson,
  eventStreams,
  storeWrites,
  httpWrites,
  longList,
  snippets,
  childProcesses,
  gitStatus,
  snapshot,
  terminals,
  start,
  idle,
  homePage,
  agents,
  conversation,
  streaming,
  transfers,
  backup,
  automations,
  webhookStorm,
  overshoot,
];

const known = benches.map(({ name }) => name);
const settings = readArguments(process.argv.slice(2), known);
if (!settings) {
  console.error(renderUsage(known));
  process.exit(EXIT.usage);
}

// The first interrupt waits until all that was started has ended and all folders are gone; a second one ends at once.
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
  if (bench.needsBrowser && findChromium() === undefined) {
    console.error(`  skipped: ${CHROMIUM_HINT}`);
    continue;
  }
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
