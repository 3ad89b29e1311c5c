// A stand-in for Claude Code that plays lines: each message of the user plays the next turn of `FAKE_CLAUDE_PLAY`, a list
// of lists of steps. A step is a line to print, `{until: path}` (waits for a file in its folder), `{wait: ms}`, or
// `{exit: code}`. What it is asked is written into `asked.jsonl` of its folder.
import { appendFileSync, existsSync } from "node:fs";
import { createInterface } from "node:readline";

type Step = Record<string, unknown>;

const args = process.argv.slice(2);
const valueOf = (flag: string) => {
  const at = args.indexOf(flag);
  return at < 0 ? undefined : args[at + 1];
};
const turns = JSON.parse(process.env["FAKE_CLAUDE_PLAY"] ?? "[]") as Step[][];
const refused = process.env["FAKE_CLAUDE_REFUSES"];
const model = valueOf("--model");
if (refused !== undefined && model === refused) {
  console.error(
    `Error: model "${model}" not found. Run /model to pick another.`,
  );
  process.exit(1);
}

function out(line: object): void {
  const session = valueOf("--session-id") ?? valueOf("--resume");
  process.stdout.write(`${JSON.stringify({ session_id: session, ...line })}\n`);
}

async function play(steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    const { until, wait, exit } = step;
    if (typeof until === "string")
      while (!existsSync(until))
        await new Promise((resolve) => setTimeout(resolve, 5));
    else if (typeof wait === "number")
      await new Promise((resolve) => setTimeout(resolve, wait));
    else if (typeof exit === "number") process.exit(exit);
    else out(step);
  }
}

interface Line {
  type: string;
  request_id?: string;
  request?: { subtype: string };
}

let chain = Promise.resolve();
createInterface({ input: process.stdin }).on("line", (text) => {
  const line = JSON.parse(text) as Line;
  appendFileSync("asked.jsonl", `${text}\n`);
  if (line.type === "control_request") {
    const { request_id: id } = line;
    const response = { commands: [] };
    out({
      type: "control_response",
      response: { subtype: "success", request_id: id, response },
    });
  } else if (line.type === "user") {
    const steps = turns.length > 1 ? turns.shift() : turns[0];
    chain = chain.then(() => play(steps ?? []));
  }
});
process.stdin.on("end", () => process.exit(0));
