import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What an entry of a conversation says, beside its place and its time. */
export type EntryContent = Record<string, unknown> & { turn: number };

/** Writes what an agent is to have said, as the daemon keeps it: questions and answers in turn, unless told otherwise. */
export async function writeTranscript(
  home: string,
  agentId: string,
  entries: number,
  toContent: (index: number) => EntryContent = toTalk,
): Promise<void> {
  if (entries === 0) return;
  const folder = join(home, "data", "agents", "transcripts");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lines = Array.from({ length: entries }, (_, index) => {
    const { turn, ...content } = toContent(index);
    return JSON.stringify({
      id: idOf(index),
      parentId: index === 0 ? null : idOf(index - 1),
      at: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
      turnId: `trn_${turn}`,
      ...content,
    });
  });
  await writeFile(join(folder, `${agentId}.jsonl`), `${lines.join("\n")}\n`);
}

function toTalk(index: number): EntryContent {
  return {
    turn: index - (index % 2),
    role: index % 2 === 0 ? "user" : "assistant",
    kind: "text",
    text: textOf(index),
  };
}

/** The text of an entry, some of them with a list and code. */
function textOf(index: number): string {
  if (index % 2 === 0) return `Question ${index}: what happened then?`;
  const more = "\n\n- one\n- two\n\n```ts\nconst answer = 42;\n```";
  return `Answer ${index}. ${"It continued as it should do. ".repeat(1 + (index % 7))}${index % 5 === 0 ? more : ""}`;
}

function idOf(index: number): string {
  return `ent_${String(index).padStart(8, "0")}`;
}
