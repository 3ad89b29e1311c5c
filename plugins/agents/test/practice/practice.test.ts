import {
  spawn,
  spawnSync,
  type ChildProcessWithoutNullStreams,
} from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { isAlive, isRunning, until } from "../help/wait.ts";

interface Message {
  id?: number;
  method?: string;
  params?: {
    update?: {
      sessionUpdate: string;
      content?: { text?: string };
      [field: string]: unknown;
    };
  };
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** The program itself, spoken to by hand. */
class Program {
  readonly child: ChildProcessWithoutNullStreams;
  readonly messages: Message[] = [];
  #next = 1;

  constructor(folder?: string) {
    const file = fileURLToPath(
      new URL("../../src/practice/main.ts", import.meta.url),
    );
    this.child = spawn(process.execPath, [
      "--conditions=gantry-source",
      file,
      ...(folder ? ["--sessions", folder] : []),
    ]);
    let rest = "";
    this.child.stdout.on("data", (chunk) => {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      this.messages.push(...lines.map((line) => JSON.parse(line) as Message));
    });
  }

  send(message: object): void {
    this.child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`,
    );
  }

  call(method: string, params: object): Promise<Message> {
    const id = this.#next++;
    this.send({ id, method, params });
    const answer = until(
      () =>
        this.messages.find((message) => message.id === id && !message.method),
      `${method} is answered`,
    );
    // Many are awaited later than something else, which may fail first.
    answer.catch(() => {});
    return answer;
  }

  async begin(cwd: string): Promise<string> {
    await this.call("initialize", { protocolVersion: 1 });
    return String(
      (await this.call("session/new", { cwd, mcpServers: [] })).result?.[
        "sessionId"
      ],
    );
  }

  prompt(sessionId: string, text: string): Promise<Message> {
    const prompt = [{ type: "text", text }];
    return this.call("session/prompt", { sessionId, prompt });
  }

  said(): string {
    return this.messages
      .filter(
        ({ params }) => params?.update?.sessionUpdate === "agent_message_chunk",
      )
      .map(({ params }) => params?.update?.content?.text)
      .join("");
  }
}

let folder: string;
let program: Program;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-practice-"));
  program = new Program(join(folder, "sessions"));
});
afterEach(async () => {
  program.child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

test("it says what it is", async () => {
  const { result } = await program.call("initialize", { protocolVersion: 1 });
  expect(result).toMatchObject({
    protocolVersion: 1,
    agentInfo: {
      name: "gantry-practice",
      title: expect.stringContaining("without a model") as string,
    },
    agentCapabilities: { loadSession: true },
  });
});

test("without a marker it answers with the first line", async () => {
  const session = await program.begin(folder);
  expect(
    (await program.prompt(session, "Hello there\nsecond line")).result,
  ).toEqual({ stopReason: "end_turn" });
  expect(program.said()).toBe("practice: Hello there");
});

test("it does what the markers say, from left to right", async () => {
  const session = await program.begin(folder);
  await program.prompt(
    session,
    "ignored [[reply:one ]] words [[run:echo two > file; cat file; exit 3]][[cost:0.5]][[cost:0.25]][[reply:three]]",
  );
  const updates = program.messages.flatMap(({ params }) =>
    params?.update ? [params.update] : [],
  );
  expect(updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
    "available_commands_update",
    // It has the prompt.
    "user_message_chunk",
    "agent_message_chunk",
    "tool_call",
    "tool_call_update",
    ...(updates.filter(
      ({ sessionUpdate }) => sessionUpdate === "tool_call_update",
    ).length > 1
      ? ["tool_call_update"]
      : []),
    "usage_update",
    "usage_update",
    "agent_message_chunk",
  ]);
  expect(updates.find(({ status }) => status === "failed")).toMatchObject({
    content: [
      {
        content: {
          text: expect.stringContaining("two\n\n[exit code 3]") as string,
        },
      },
    ],
  });
  expect(updates.filter(({ cost }) => cost).map(({ cost }) => cost)).toEqual([
    { amount: 0.5, currency: "USD" },
    { amount: 0.75, currency: "USD" },
  ]);
  expect(program.said()).toBe("one three");
});

test("a cancel kills a command with all that it started, also what left its group", async () => {
  const session = await program.begin(folder);
  const done = program.prompt(
    session,
    `[[run:(setsid sleep 300 & echo $! > grand); sh -c 'echo $$ > child; exec sleep 300']]`,
  );
  const pids = await Promise.all(
    ["grand", "child"].map((name) =>
      until(
        async () =>
          Number(await readFile(join(folder, name), "utf8").catch(() => "")),
        name,
      ),
    ),
  );
  program.send({ method: "session/cancel", params: { sessionId: session } });
  expect((await done).result).toEqual({ stopReason: "cancelled" });
  for (const pid of pids)
    await until(() => !isAlive(pid), "everything is gone");

  expect(
    (await program.prompt(session, "[[reply:still here]]")).result,
  ).toEqual({ stopReason: "end_turn" });
});

test(
  "a cancel kills also what becomes one program after the other",
  { tags: "alone" },
  async () => {
    spawnSync("mkfifo", [join(folder, "gate")]);
    // For reading too, so that nothing has to read yet.
    const gate = await open(join(folder, "gate"), "r+");
    onTestFinished(() => gate.close());
    await writeFile(join(folder, "changeling"), `exec /bin/sh "$0"\n`);
    // They wait at the gate, since a machine that is full of them begins no more of them.
    const start =
      "setsid sh -c 'echo $$ >> pids; read -r go < gate && exec /bin/sh ./changeling' &";
    // Few in each: among many, one that a look misses is found by the next, which the others are the reason for.
    const sessions: string[] = [];
    while (sessions.length < 6) sessions.push(await program.begin(folder));
    const all = sessions.map((session) =>
      program.prompt(session, `[[run:${start} ${start} wait]]`),
    );
    const pids = await until(async () => {
      const text = await readFile(join(folder, "pids"), "utf8").catch(() => "");
      const numbers = text.trim().split("\n").map(Number);
      return numbers.length === 2 * sessions.length && numbers;
    }, "all have begun");
    // They would keep the machine busy for whatever is tested next.
    onTestFinished(() => {
      for (const pid of pids) if (isAlive(pid)) process.kill(pid, "SIGKILL");
    });
    // Each of them reads one line.
    await gate.write("go\n".repeat(pids.length));
    for (const pid of pids)
      await until(() => runsChangeling(pid), "all change");
    for (const sessionId of sessions)
      program.send({ method: "session/cancel", params: { sessionId } });
    for (const { result } of await Promise.all(all))
      expect(result).toEqual({ stopReason: "cancelled" });
    expect(await Promise.all(pids.map(isRunning))).not.toContain(true);
  },
);

async function runsChangeling(pid: number): Promise<boolean> {
  const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return line.split("\0")[1] === "./changeling";
}

test("a cancel ends waiting, and words in the middle", async () => {
  const session = await program.begin(folder);
  for (const marker of ["[[sleep:60000]]", "[[long:100000:5]]"]) {
    const before = program.messages.length;
    const done = program.prompt(session, `[[reply:so]]${marker}`);
    await until(() => program.messages.length > before, "it answers");
    program.send({ method: "session/cancel", params: { sessionId: session } });
    expect((await done).result).toEqual({ stopReason: "cancelled" });
  }
});

test("it asks, and a rejection ends the turn without a word", async () => {
  const session = await program.begin(folder);
  const done = program.prompt(session, "[[ask:Sure?]][[reply:yes]]");
  const asked = await until(
    () =>
      program.messages.find(
        ({ method }) => method === "session/request_permission",
      ),
    "it asks",
  );
  program.send({
    id: asked.id,
    result: { outcome: { outcome: "selected", optionId: "no" } },
  });
  expect((await done).result).toEqual({ stopReason: "end_turn" });
  expect(program.said()).toBe("");
});

test("what is always allowed is not asked again", async () => {
  const session = await program.begin(folder);
  const done = program.prompt(
    session,
    "[[ask:Sure?]][[ask:Sure?]][[reply:yes]]",
  );
  const asked = await until(
    () =>
      program.messages.find(
        ({ method }) => method === "session/request_permission",
      ),
    "it asks",
  );
  program.send({
    id: asked.id,
    result: { outcome: { outcome: "selected", optionId: "always" } },
  });
  await done;
  expect(
    program.messages.filter(
      ({ method }) => method === "session/request_permission",
    ),
  ).toHaveLength(1);
  expect(program.said()).toBe("yes");
});

test("a conversation can be loaded by another process, with what was said and what it cost", async () => {
  const session = await program.begin(folder);
  await program.prompt(session, "[[cost:2]][[reply:remember me]]");
  program.child.kill("SIGKILL");
  program = new Program(join(folder, "sessions"));
  await program.call("initialize", { protocolVersion: 1 });
  await program.call("session/load", {
    sessionId: session,
    cwd: folder,
    mcpServers: [],
  });
  const updates = program.messages.flatMap(({ params }) =>
    params?.update ? [params.update] : [],
  );
  expect(updates).toMatchObject([
    { sessionUpdate: "available_commands_update" },
    {
      sessionUpdate: "user_message_chunk",
      content: { text: "[[cost:2]][[reply:remember me]]" },
    },
    { sessionUpdate: "agent_message_chunk", content: { text: "remember me" } },
    { sessionUpdate: "usage_update", cost: { amount: 2 } },
  ]);
  await program.prompt(session, "[[recall]]");
  expect(program.said()).toContain("[[cost:2]]");
});

test.each([
  ["practice-00000000-0000-0000-0000-000000000000"],
  ["../../etc/passwd"],
  [""],
])("a conversation %j that is not there is an error", async (sessionId) => {
  await program.begin(folder);
  for (const method of ["session/load", "session/prompt"]) {
    expect(
      (await program.call(method, { sessionId, cwd: folder, prompt: [] })).error
        ?.code,
    ).toBe(-32002);
  }
});

test("a failure, an unknown method and a second prompt are errors", async () => {
  const session = await program.begin(folder);
  expect(
    (await program.prompt(session, "[[fail:no more]]")).error,
  ).toMatchObject({ message: "no more" });
  expect((await program.call("no/such", {})).error?.code).toBe(-32601);
  const first = program.prompt(session, "[[sleep:200]]");
  expect(
    (await program.prompt(session, "[[reply:x]]")).error?.message,
  ).toContain("running");
  await first;
});

test("it ends with its client, and takes its command along", async () => {
  const session = await program.begin(folder);
  void program
    .prompt(session, "[[run:echo $$ > pid; sleep 300]]")
    .catch(() => undefined);
  const pid = await until(
    async () =>
      Number(await readFile(join(folder, "pid"), "utf8").catch(() => "")),
    "it runs",
  );
  const exited = once(program.child, "exit");
  program.child.stdin.end();
  expect((await exited)[0]).toBe(0);
  await until(() => !isAlive(pid), "the command is gone");
});
