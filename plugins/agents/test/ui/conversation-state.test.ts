import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import type { StreamMessage as SentMessage } from "@gantry/plugin";
import { Turn } from "../../src/live/turn.ts";
import { AgentStream } from "../../src/stream/agent-stream.ts";
import type { Entry, NewEntry } from "../../src/transcript/entry.ts";
import {
  emptyConversation,
  entriesOf,
  takeMessage,
  takeNewestPage,
  takeOlderPage,
  type ConversationState,
} from "../../ui/conversation/conversationState.ts";
import type { ListOf, Snapshot, StreamMessage } from "../../ui/wire.ts";

/** The server's own turn and stream over a transcript in memory. */
class Server {
  readonly entries: Entry[] = [];
  readonly stream = new AgentStream();
  #turn: Turn | undefined;
  #dialogs: Snapshot["dialogs"] = [];
  #count = 0;

  /** Does one thing that can happen in an agent. What makes no sense now is left out. */
  act(action: Action): void {
    const turn = this.#turn;
    switch (action.type) {
      case "begin":
        if (turn) return;
        this.#turn = new Turn({
          id: `trn_${(this.#count += 1)}`,
          taskId: null,
          runId: null,
          startedAt: "2026-01-01T00:00:00.000Z",
        });
        this.stream.publish("turn-started", {
          turnId: this.#turn.id,
          taskId: null,
          runId: null,
        });
        return this.#append({
          turnId: this.#turn.id,
          role: "user",
          kind: "text",
          text: action.text,
        });
      case "grow":
        return turn && this.#grow(turn, action.channel, action.text);
      case "complete":
        return turn && this.#append(turn.complete(action.channel, action.text));
      case "tool":
        return (
          turn &&
          this.stream.publish(
            "tool",
            turn.beginTool({
              callId: action.call,
              name: "bash",
              title: "bash",
              input: "{}",
            }),
          )
        );
      case "output": {
        const more = turn?.growTool(action.call, action.text);
        return more && this.stream.publish("tool-output", more);
      }
      case "tool-end": {
        const entry = turn?.endTool(action.call, false, action.text);
        return entry && this.#append(entry);
      }
      case "ask":
        return this.#ask(action.call);
      case "answer":
        return this.#answer();
      case "end":
        return turn && this.#end(turn);
    }
  }

  snapshot(): Snapshot {
    const turn = (this.#turn?.snapshot() ?? null) as Snapshot["turn"];
    return { turn, dialogs: [...this.#dialogs] };
  }

  /** A page as the route gives it, with a cursor that only it understands. */
  page(limit: number, cursor?: string): ListOf<Entry> {
    const end = cursor === undefined ? this.entries.length : Number(cursor);
    const start = Math.max(0, end - limit);
    return {
      items: this.entries.slice(start, end).toReversed(),
      nextCursor: start > 0 ? String(start) : null,
    };
  }

  #grow(turn: Turn, channel: "text" | "thinking", text: string): void {
    const entryId = turn.grow(channel, text);
    this.stream.publish("delta", { entryId, kind: channel, text });
  }

  #ask(id: string): void {
    const dialog = {
      id: `dlg_${id}_${(this.#count += 1)}`,
      agentId: "agt_1",
      kind: "permission" as const,
      title: "May I?",
      body: "",
      options: [],
      takesText: false,
    };
    this.#dialogs.push(dialog);
    this.stream.publish("dialog-opened", dialog);
  }

  #answer(): void {
    const dialog = this.#dialogs.shift();
    if (!dialog) return;
    this.#append({
      turnId: this.#turn?.id ?? null,
      role: "system",
      kind: "dialog",
      text: dialog.title,
      dialog: { id: dialog.id, kind: dialog.kind, answer: "Allow" },
    });
    this.stream.publish("dialog-closed", {
      dialogId: dialog.id,
      answer: "Allow",
    });
  }

  #end(turn: Turn): void {
    this.#turn = undefined;
    for (const entry of turn.leftovers()) this.#append(entry);
    this.stream.publish("turn-ended", {
      turnId: turn.id,
      stopReason: "end",
      error: null,
      usage: turn.usage,
    });
  }

  #append(entry: NewEntry): void {
    const placed: Entry = {
      ...entry,
      id: entry.id ?? `ent_${(this.#count += 1)}`,
      parentId: this.entries.at(-1)?.id ?? null,
      at: "2026-01-01T00:00:00.000Z",
    };
    this.entries.push(placed);
    this.stream.publish("entry", placed);
  }
}

/** A page in a browser, as `useConversation` drives the state: a page is asked for at first and after each snapshot. */
class Client {
  state: ConversationState = emptyConversation;
  readonly #server: Server;
  #lastId: string | undefined;
  #stop: (() => void) | undefined;
  #snapshots = 0;
  /** Pages that were read by the server and did not arrive yet. */
  #onTheWay: (() => void)[] = [];

  constructor(server: Server) {
    this.#server = server;
    this.#askNewest();
  }

  connect(): void {
    this.#stop ??= this.#server.stream.watch(
      (message) => this.#take(message),
      this.#lastId,
      () => this.#server.snapshot(),
      () => undefined,
    );
  }

  cut(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Makes the place to resume from one that the server does not know. */
  forget(): void {
    this.#lastId = "gone-1";
  }

  askOlder(): void {
    const cursor = this.state.older;
    if (typeof cursor !== "string") return;
    const page = this.#server.page(3, cursor);
    this.#onTheWay.push(() => {
      this.state = takeOlderPage(this.state, page, cursor);
    });
  }

  arrive(): void {
    this.#onTheWay.shift()?.();
  }

  settle(): void {
    while (this.#onTheWay.length > 0) this.arrive();
  }

  #askNewest(): void {
    const epoch = this.#snapshots;
    const page = this.#server.page(4);
    this.#onTheWay.push(() => {
      // An answer that another request made moot is given up.
      if (epoch !== this.#snapshots) return;
      this.state = takeNewestPage(this.state, page, epoch > 0);
    });
  }

  #take(message: SentMessage): void {
    // As a browser reads it: a copy, with the id kept for resuming.
    if (message.id !== undefined) this.#lastId = message.id;
    const { event, data } = structuredClone(message) as StreamMessage;
    this.state = takeMessage(this.state, { event, data } as StreamMessage, 0);
    if (event !== "snapshot") return;
    this.#snapshots += 1;
    this.#askNewest();
  }
}

type Action =
  | { type: "begin"; text: string }
  | { type: "grow" | "complete"; channel: "text" | "thinking"; text: string }
  | { type: "tool"; call: string }
  | { type: "output" | "tool-end"; call: string; text: string }
  | { type: "ask"; call: string }
  | { type: "answer" }
  | { type: "end" };

const text = fc.string({ maxLength: 6 });
const channel = fc.constantFrom("text" as const, "thinking" as const);
const call = fc.constantFrom("a", "b", "c");
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ type: fc.constant("begin" as const), text }),
  fc.record({
    type: fc.constantFrom("grow" as const, "complete" as const),
    channel,
    text,
  }),
  fc.record({ type: fc.constant("tool" as const), call }),
  fc.record({
    type: fc.constantFrom("output" as const, "tool-end" as const),
    call,
    text,
  }),
  fc.record({ type: fc.constant("ask" as const), call }),
  fc.record({ type: fc.constantFrom("answer" as const, "end" as const) }),
);
const event = fc.oneof(
  { weight: 6, arbitrary: action },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "connect" as const,
      "cut" as const,
      "forget" as const,
      "arrive" as const,
      "older" as const,
    ),
  },
);

function play(server: Server, client: Client, step: Action | string): void {
  if (step === "connect") client.connect();
  else if (step === "cut") client.cut();
  else if (step === "forget") client.forget();
  else if (step === "arrive") client.arrive();
  else if (step === "older") client.askOlder();
  else server.act(step as Action);
}

/** The order in which unfinished things are shown is that of their beginning, which a snapshot does not tell. */
const byId = (one: { id: string }, other: { id: string }) =>
  one.id.localeCompare(other.id);

/** A viewer that comes back reads the start of a tool and its output, each once. */
const OUTPUT_WHILE_AWAY: (Action | "connect" | "cut")[] = [
  { type: "begin", text: "" },
  "connect",
  "cut",
  { type: "tool", call: "a" },
  { type: "output", call: "a", text: " " },
];

test("a stream with cuts and resumes at any place gives what the server has", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 120 }), (steps) => {
      const server = new Server();
      const client = new Client(server);
      for (const step of steps) play(server, client, step);
      client.connect();
      client.settle();

      const shown = entriesOf(client.state);
      const known = server.entries.slice(server.entries.length - shown.length);
      expect(shown).toEqual(known);
      expect(client.state.older).toBe(
        shown.length === server.entries.length
          ? null
          : String(server.entries.length - shown.length),
      );
      const { turn, dialogs } = server.snapshot();
      expect(client.state.turn?.id).toBe(turn?.id);
      expect(client.state.dialogs).toEqual(dialogs);
      const fresh = takeMessage(
        emptyConversation,
        { event: "snapshot", data: server.snapshot() },
        0,
      );
      expect(client.state.growing.toSorted(byId)).toEqual(
        fresh.growing.toSorted(byId),
      );
    }),
    { numRuns: runs(600), examples: [[OUTPUT_WHILE_AWAY]] },
  );
});

test("reading back to the beginning gives every entry once, in order", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 120 }), (steps) => {
      const server = new Server();
      const client = new Client(server);
      for (const step of steps) play(server, client, step);
      client.connect();
      client.settle();
      for (let read = 0; read <= server.entries.length; read += 1) {
        client.askOlder();
        client.settle();
      }
      expect(entriesOf(client.state)).toEqual(server.entries);
    }),
    { numRuns: runs(300) },
  );
});

test("a text that becomes an entry is not shown twice", () => {
  const server = new Server();
  const client = new Client(server);
  client.connect();
  client.settle();
  server.act({ type: "begin", text: "hello" });
  server.act({ type: "grow", channel: "text", text: "Hel" });
  server.act({ type: "grow", channel: "text", text: "lo" });
  const id = client.state.growing[0]?.id;
  expect(client.state.growing).toMatchObject([{ text: "Hello" }]);
  server.act({ type: "complete", channel: "text", text: "Hello" });
  expect(client.state.growing).toEqual([]);
  expect(entriesOf(client.state).at(-1)).toMatchObject({ id, text: "Hello" });
});
