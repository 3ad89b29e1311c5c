import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Entry } from "../../../ui/wire.ts";
import { entry, ran, said } from "../../ui/support/entries.ts";

const perTurn = 5;

/** A long conversation such as people have: questions, thoughts, tools, answers of all lengths, figures. */
export function makeHistory(count: number): Entry[] {
  const entries: Entry[] = [];
  for (let turn = 0; entries.length < count; turn += 1) {
    const at = new Date(Date.UTC(2026, 0, 1) + turn * 600_000).toISOString();
    const fields = { turnId: `trn_${turn}`, at };
    const answer = Array.from(
      { length: 1 + (turn % 7) },
      (_, index) =>
        `Paragraph ${index} of answer ${turn}, with **strong** words and \`code\`.`,
    ).join("\n\n");
    entries.push(
      said(`Question ${turn}`, fields),
      entry({ ...fields, kind: "thinking", text: `Thought ${turn}` }),
      ran("bash", { command: `echo ${turn}` }, fields),
      entry({
        ...fields,
        text:
          turn % 9 === 0
            ? `${answer}\n\n\`\`\`ts\nconst turn = ${turn};\n\`\`\``
            : answer,
      }),
      entry({
        ...fields,
        role: "system",
        kind: "usage",
        text: "",
        usage: { inputTokens: 100, outputTokens: 10, costUsd: 0.01 },
      }),
    );
  }
  return entries.slice(0, count - (count % perTurn));
}

/** Puts a conversation where the daemon keeps that of an agent which was never opened. */
export async function writeTranscript(
  home: string,
  agentId: string,
  entries: readonly Entry[],
): Promise<void> {
  const path = join(home, "data/agents/transcripts", `${agentId}.jsonl`);
  const lines = entries.map((one) => `${JSON.stringify(one)}\n`);
  await writeFile(path, lines.join(""), { mode: 0o600 });
}
