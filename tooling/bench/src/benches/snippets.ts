import { expandBody } from "../../../../plugins/snippets/src/language/expand-body.ts";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import type { Daemon } from "../measure/daemon.ts";
import { send } from "../measure/http.ts";
import { interleave } from "../measure/rounds.ts";
import { atMost, milliseconds, under } from "../measure/row.ts";
import type { Row } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import type { Bench, BenchSettings } from "./bench.ts";

const SHORT = 25_000;
const LONG = 100_000;
const NAMES = 32;
const SNIPPETS = 10_000;
const AT_ONCE = 50;
const EXPANSIONS = 20;
const REQUESTS = 40;

/** A body of a length that uses each of 32 names again and again. */
function createBody(length: number): string {
  const lines = Array.from(
    { length: Math.ceil(length / 40) },
    (_, index) => `Line ${index} of {{name${index % NAMES}}} and more.\n`,
  );
  return lines
    .join("")
    .slice(0, length)
    .replace(/\{\{[^}]*$/, "");
}

const values = new Map(
  Array.from({ length: NAMES }, (_, index) => [
    `name${index}`,
    `value ${index} {{name0}}`,
  ]),
);

/** The time of one expansion in ms. */
function measureExpansion(body: string): number {
  const begin = performance.now();
  for (let count = 0; count < EXPANSIONS; count += 1) {
    const { text, missing } = expandBody(body, values);
    if (missing.length > 0 || text.length <= body.length)
      throw new Error("The body was not expanded.");
  }
  return (performance.now() - begin) / EXPANSIONS;
}

async function fill({ base, session }: Daemon): Promise<void> {
  const words = "agent branch commit deploy error file grep hook issue".split(
    " ",
  );
  const save = async (index: number) => {
    const word = words[index % words.length];
    const { status } = await send(`${base}/api/snips`, {
      method: "POST",
      headers: session,
      body: {
        title: `Snippet ${index} about ${word}`,
        tags: [word],
        body: `${`Do something with the ${word} of {{name}} `.repeat(20)}and number ${index}.`,
      },
    });
    if (status !== 200)
      throw new Error(`Snippet ${index} could not be saved: ${status}.`);
  };
  for (let from = 0; from < SNIPPETS; from += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => save(from + index)),
    );
}

/** The median time of one answer in ms, one request after the other. */
async function measureAnswer(
  { base, session }: Daemon,
  query: string,
  most: number,
  signal: AbortSignal,
): Promise<number> {
  const times: number[] = [];
  while (times.length < REQUESTS) {
    const begin = performance.now();
    const { status, body } = await send(`${base}/api/snips?${query}`, {
      headers: session,
      signal,
    });
    times.push(performance.now() - begin);
    const { items } = JSON.parse(body.toString()) as { items: unknown[] };
    if (status !== 200 || items.length === 0 || items.length > most)
      throw new Error(
        `"${query}" gave ${status} and ${items.length} snippets.`,
      );
  }
  return median(times);
}

async function expansions({ rounds, signal }: BenchSettings): Promise<Row[]> {
  const bodies = { short: createBody(SHORT), long: createBody(LONG) };
  // Warm code is what a daemon that has run for a while has.
  for (const body of Object.values(bodies)) measureExpansion(body);
  const { short, long } = await interleave(
    { rounds, signal },
    {
      short: async () => measureExpansion(bodies.short),
      long: async () => measureExpansion(bodies.long),
    },
  );
  return [
    under(
      "Expansion of 100,000 characters, 32 placeholders",
      median(long),
      5,
      milliseconds,
    ),
    // Four times the length is four times the time; what is more is for the noise of short times.
    atMost(
      "Expansion of 100,000 characters",
      milliseconds(median(long)),
      `of 25,000 ${milliseconds(median(short))}`,
      medianRatio(long, short),
      5,
    ),
  ];
}

/** How long expanding takes, and a list and a search in a large library. */
export const snippets: Bench = {
  name: "snippets",
  title: "Snippets: expansion, and a library of 10,000",
  async run(settings) {
    const { rounds, signal, say } = settings;
    const rows = await expansions(settings);
    await using folder = await createFolder();
    await using daemon = await startDaemon(folder.path, signal);
    say("filling the library");
    await fill(daemon);
    const ask = (query: string, most: number) => () =>
      measureAnswer(daemon, query, most, signal);
    const measures = {
      list: ask("limit=50", 50),
      whole: ask("limit=500", 500),
      // Every text is looked at to its end: only one has it, and one has it last.
      rare: ask("q=number%209999.", 1),
      common: ask("q=snippet%20deploy&limit=50", 50),
    };
    for (const measure of [measures.list, measures.rare]) await measure();
    const { list, whole, rare, common } = await interleave(
      { rounds, signal },
      measures,
    );
    return [
      ...rows,
      under("First 50 of 10,000 snippets", median(list), 30, milliseconds),
      under("First 500 of 10,000 snippets", median(whole), 30, milliseconds),
      under("Search that finds 1 of 10,000", median(rare), 50, milliseconds),
      under(
        "Search that finds many of 10,000",
        median(common),
        50,
        milliseconds,
      ),
    ];
  },
};
