import type { EntryContent } from "./transcript.ts";

/** Entries of one turn: a question, a thought, tools and what was said between them, the figures and the answer. */
const TURN_ENTRIES = 10;

/** An entry of a conversation in which an agent works: reads, edits, runs commands, and answers in Markdown. */
export function toWork(index: number): EntryContent {
  const turn = Math.floor(index / TURN_ENTRIES);
  const assistant = { turn, role: "assistant", text: "" };
  const say = (text: string) => ({ ...assistant, kind: "text", text });
  const use = (name: string, input: object, text: string) => ({
    ...{ ...assistant, kind: "tool", text },
    tool: {
      ...{ callId: `call-${index}`, name, title: name },
      input: JSON.stringify(input),
      failed: false,
    },
  });
  const file = `/project/src/file-${index}.ts`;
  switch (index % TURN_ENTRIES) {
    case 0:
      return {
        ...{ turn, role: "user", kind: "text" },
        text: `Question ${index}: is it done?\n\nPlease look again.`,
      };
    case 1:
      return {
        ...{ ...assistant, kind: "thinking" },
        text: `I look at it. ${"Then at the rest of it. ".repeat(8)}`,
      };
    case 2:
      return use("Read", { file_path: file }, code(40));
    case 3:
      return use("Bash", { command: `grep -rn value${index}` }, found(60));
    case 4:
      return say(`Now I change it. ${"It was too long. ".repeat(4)}`);
    case 5: {
      const before = code(10);
      const after = before.replaceAll("compute", "derive");
      const change = { old_string: before, new_string: after };
      return use("Edit", { file_path: file, ...change }, "ok");
    }
    case 6:
      return use("Bash", { command: "npm test" }, found(30));
    case 7:
      return say(`A first result. ${"It holds. ".repeat(6)}`);
    case 8: {
      const usage = { inputTokens: 1000, outputTokens: 200, costUsd: 0.01 };
      return { ...assistant, kind: "usage", usage };
    }
    default:
      return say(`${answer(turn)}\n\n${lastWords(index)}`);
  }
}

/** What the answer of a turn ends with. */
export function lastWords(index: number): string {
  return `That is all of answer ${index}.`;
}

function answer(turn: number): string {
  return `## Step ${turn}

The parser keeps **each** token, and \`read(${turn})\` gives them in order. ${"It works as it was meant to. ".repeat(3)}

- one **bold** point
- two with \`code\`
- three, see [the notes](https://example.org/${turn})

\`\`\`ts
${code(12)}
\`\`\`

| Name | Value |
| ---- | ----- |
| one  | ${turn} |`;
}

function code(lines: number): string {
  return Array.from(
    { length: lines },
    (_, line) => `export const value${line} = compute(${line}, "text");`,
  ).join("\n");
}

function found(lines: number): string {
  return Array.from(
    { length: lines },
    (_, line) => `src/file-${line}.ts:${line}: a line that was found`,
  ).join("\n");
}
