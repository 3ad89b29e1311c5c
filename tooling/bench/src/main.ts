import { parseArgs } from "node:util";
import type { Bench } from "./benches/bench.ts";
import { homePage } from "./benches/home-page.ts";
import { httpWrites } from "./benches/http-writes.ts";
import { idle } from "./benches/idle.ts";
import { longList } from "./benches/long-list.ts";
import { smallJson } from "./benches/small-json.ts";
import { start } from "./benches/start.ts";
import { storeWrites } from "./benches/store-writes.ts";
import { renderTable } from "./measure/row.ts";
import type { Row } from "./measure/row.ts";

const benches: readonly Bench[] = [
  smallJson,
  storeWrites,
  httpWrites,
  longList,
  start,
  idle,
  homePage,
];

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
  },
});
const settings = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
};
const names = benches.map(({ name }) => name);
const unknown = values.only?.find((name) => !names.includes(name));
if (
  unknown !== undefined ||
  !(settings.rounds >= 1) ||
  !(settings.seconds >= 1)
) {
  console.error(
    `Usage: npm run bench -- [--only ${names.join("|")}]… [--rounds 5] [--seconds 2]`,
  );
  process.exit(2);
}

const rows: Row[] = [];
for (const bench of benches) {
  if (values.only && !values.only.includes(bench.name)) continue;
  console.error(`${bench.title} …`);
  try {
    rows.push(
      ...(await bench.run({
        ...settings,
        say: (text) => console.error(`  ${text}`),
      })),
    );
  } catch (error) {
    console.error(`  could not be measured: ${String(error)}`);
    process.exitCode = 1;
  }
}
console.log(
  `\nMedians of ${settings.rounds} rounds in turns. A missed aim is no failure of the command.\n`,
);
console.log(renderTable(rows));
