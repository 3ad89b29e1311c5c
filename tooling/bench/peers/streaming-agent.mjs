// An agent CLI without a model, which speaks the Agent Client Protocol: it answers each prompt with Markdown in pieces, as
// many a second as its first argument says, for as many seconds as its second one says. It is a process of its own, so
// that what is measured does not share its time.
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const PER_SECOND = Number(process.argv[2]);
const PIECES = PER_SECOND * Number(process.argv[3]);

/** Text without an end, a word at a time: paragraphs, lists and blocks of code. */
function* words() {
  for (let part = 1; ; part += 1) {
    const code = Array.from(
      { length: 8 },
      (_, line) => `export const value${line} = compute(${line}, "text");`,
    ).join("\n");
    const text = `## Part ${part}\n\nThis part says **what** is done with \`value${part}\`, ${"why it is done that way, ".repeat(4)}and that it holds.\n\n- one point\n- another point\n\n\`\`\`ts\n${code}\n\`\`\`\n\n`;
    yield* text.match(/\S+\s*/g);
  }
}

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

function say(sessionId, text) {
  const content = { type: "text", text };
  const update = { sessionUpdate: "agent_message_chunk", content };
  send({ method: "session/update", params: { sessionId, update } });
}

async function answer(sessionId) {
  const begun = performance.now();
  const text = words();
  for (let piece = 0; piece < PIECES; piece += 1) {
    say(sessionId, text.next().value);
    // By the clock, so that a pause that took too long is made up for.
    const due = begun + ((piece + 1) * 1000) / PER_SECOND;
    await sleep(Math.max(0, due - performance.now()));
  }
  say(sessionId, "\n\nEnd of the stream.");
  return { stopReason: "end_turn" };
}

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: "streaming", title: "Streaming", version: "1.0.0" },
    agentCapabilities: { loadSession: true, promptCapabilities: {} },
    authMethods: [],
  }),
  "session/new": () => ({ sessionId: `streaming-${randomUUID()}` }),
  "session/load": () => ({}),
  "session/prompt": ({ sessionId }) => answer(sessionId),
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const call = methods[method];
  if (call) send({ id, result: await call(params) });
  else send({ id, error: { code: -32601, message: `No method ${method}.` } });
});
