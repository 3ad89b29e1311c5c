import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cases, temporaryFolder } from "@gantry/build/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { toLocalUrl } from "@gantry/http/local-url";
import { commandsCode, putCommandPlugin } from "../support/command-plugin.ts";
import {
  runGantry,
  spawnGantry,
  startDaemon,
} from "../../../core/test/support/daemon.ts";

async function start(
  commands: Parameters<typeof commandsCode>[1],
  server?: string,
) {
  const home = await temporaryFolder();
  await putCommandPlugin(
    join(home, "plugins"),
    "notes",
    commandsCode("notes", commands),
    { server },
  );
  const gantry = (...args: string[]) =>
    runGantry(["notes", ...args, "--home", home]);
  return { home, gantry };
}

const text = (description = "x", more: object = {}) => ({
  type: "string",
  description,
  ...more,
});

test(
  "a command gets what was typed, under the names of its options, and nothing else",
  { tags: "thorough" },
  async () => {
    const { gantry } = await start({
      show: {
        run: "print(JSON.stringify(args))",
        options: {
          file: { type: "positional", description: "x" },
          only: text(),
          kind: text("x", { default: "all" }),
          "keep-old": { type: "boolean", description: "x" },
          verify: { type: "boolean", description: "x", default: true },
        },
      },
      need: { run: "", options: { id: text("x", { required: true }) } },
      may: {
        run: "print(String(args.id))",
        options: {
          id: { type: "positional", description: "x", required: false },
        },
      },
    });
    const show = async (...args: string[]) =>
      JSON.parse((await gantry("show", ...args)).stdout) as unknown;
    expect(await show("a.txt")).toEqual({
      file: "a.txt",
      kind: "all",
      verify: true,
    });
    const typed = [
      "a b",
      "--only=x",
      "--kind",
      "y",
      "--keep-old",
      "--no-verify",
    ];
    expect(await show(...typed)).toEqual({
      file: "a b",
      only: "x",
      kind: "y",
      "keep-old": true,
      verify: false,
    });
    for (const [args, says] of [
      [["show"], /missing.*'file'/i],
      [["show", "a", "b"], /too many arguments.*: a, b/i],
      [["show", "a", "--onyl", "x"], /Did you mean --only\?/],
      [["need"], /option '--id <id>' not specified/],
    ] as const)
      expect(await gantry(...args)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringMatching(says) as string,
      });
    expect(await gantry("may")).toMatchObject({ stdout: "undefined\n" });
  },
);

test(
  "it finds its folder and its settings, also in a home whose configuration is damaged",
  { tags: "thorough" },
  async () => {
    const { home, gantry } = await start({
      where: {
        run: "print(JSON.stringify({ folder, config, daemon, secret: await askSecret('?') }))",
      },
    });
    const where = async () =>
      JSON.parse((await gantry("where")).stdout) as unknown;
    const folder = join(home, "data", "notes");
    const write = (content: string) =>
      writeFile(join(home, "config.json"), content);
    await write(JSON.stringify({ settings: { notes: { a: 1 }, other: 2 } }));
    expect(await where()).toEqual({ folder, config: { a: 1 } });
    for (const damaged of [
      '{"settings":',
      "null",
      '{"settings":7,"port":-1}',
    ]) {
      await write(damaged);
      expect(await where()).toEqual({ folder });
    }
  },
);

test("what it rejects with is one line, and exit code 1", async () => {
  const { gantry } = await start({
    fail: { run: 'throw new Error("The folder is full.\\n  at x");' },
    odd: { run: "throw 7;" },
  });
  expect(await gantry("fail")).toEqual({
    code: 1,
    stdout: "",
    stderr: "gantry: The folder is full. at x\n",
  });
  expect(await gantry("odd")).toMatchObject({ code: 1, stderr: "gantry: 7\n" });
});

const SERVER = `
export default {
  id: "notes", api: 1, summary: "x", mounts: ["/api/notes"],
  async setup(ctx) {
    const returns = "bytes";
    const answer = (body) => ({ kind: "bytes", mediaType: "application/json", body: JSON.stringify(body) });
    ctx.route({ method: "POST", path: "/api/notes", summary: "x", access: "session", returns, body: undefined,
      async handle({ caller }) { return answer({ by: caller.kind ?? typeof caller }); } });
    ctx.route({ method: "GET", path: "/api/notes/never", summary: "x", access: "session", returns,
      async handle() { ctx.log.error("Asked"); await new Promise(() => {}); } });
    ctx.route({ method: "GET", path: "/api/notes/text", summary: "x", access: "session", returns,
      async handle() { return { kind: "bytes", mediaType: "text/plain", body: "plain" }; } });
  },
};`;

const CALLS = {
  call: {
    run: "print(JSON.stringify(await daemon.call(args.method, args.path)))",
    options: {
      method: { type: "positional", description: "x" },
      path: { type: "positional", description: "x" },
    },
  },
  state: { run: "print(daemon === undefined ? 'none' : daemon.url)" },
  code: {
    run: "await daemon.call('GET', '/api/nothing').catch((error) => print(error.code))",
  },
};

test.each(cases([[[]], [["--https"]]]))(
  "it calls the daemon as its owner, served with %j",
  async (flags) => {
    const { home, gantry } = await start(CALLS, SERVER);
    expect((await gantry("state")).stdout).toBe("none\n");
    const daemon = await startDaemon(home, flags);
    expect((await gantry("state")).stdout).toBe(`${daemon.ready.url}\n`);
    const plugins = await gantry("call", "GET", "/api/doctor");
    expect(plugins).toMatchObject({ code: 0, stderr: "" });
    expect(plugins.stdout).toContain('"notes"');
    expect((await gantry("call", "GET", "/api/notes/text")).stdout).toBe(
      '"plain"\n',
    );
    expect(await gantry("call", "GET", "/api/nothing")).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "gantry: There is no such address here; /docs lists the operations.\n",
    });
    expect((await gantry("code")).stdout).toBe("ROUTE_NOT_FOUND\n");
  },
);

test(
  "an interrupt ends a call that takes for ever, with the exit code of a shell",
  { tags: "thorough" },
  async () => {
    const { home } = await start(CALLS, SERVER);
    const daemon = await startDaemon(home);
    const { child, ended } = spawnGantry([
      ...["notes", "call", "GET", "/api/notes/never", "--home", home],
    ]);
    await daemon.logged(({ message }) => message === "Asked");
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([130, "gantry: Interrupted.\n"]);
  },
);

test.each([
  [["127.0.0.1", "::1"], "http://127.0.0.1:7420"],
  [["0.0.0.0"], "http://127.0.0.1:7420"],
  [["::"], "http://127.0.0.1:7420"],
  [["192.168.1.5"], "http://192.168.1.5:7420"],
  [["fd00::5"], "http://[fd00::5]:7420"],
])(
  "of a daemon that listens on %j, the address on this machine is %s",
  (addresses, url) => {
    expect(toLocalUrl("http://127.0.0.1:7420", addresses)).toBe(url);
  },
);

const STOPPED = {
  take: {
    run: `await withStoppedHome(async (home, { signal }) => {
      print(JSON.stringify([home.folder, home.data, home.version, signal.aborted === false]));
      if (args.hold) await new Promise((resolve) => process.stdin.once("data", resolve));
      if (args.fail) throw new Error("It went wrong.");
    });`,
    options: {
      hold: { type: "boolean", description: "x" },
      fail: { type: "boolean", description: "x" },
    },
  },
};

test(
  "it takes a home that no daemon holds, and leaves it again, also when it fails",
  { tags: "thorough" },
  async () => {
    const { home, gantry } = await start(STOPPED);
    const { stdout } = await gantry("take");
    expect(JSON.parse(stdout)).toEqual([
      home,
      join(home, "data"),
      expect.any(String),
      true,
    ]);
    expect(await gantry("take", "--fail")).toMatchObject({
      code: 1,
      stderr: "gantry: It went wrong.\n",
    });
    const daemon = await startDaemon(home);
    expect(await gantry("take")).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining(`pid ${daemon.pid}`) as string,
    });
  },
);

test(
  "no daemon starts on a home that a command holds",
  { tags: "thorough" },
  async () => {
    const { home } = await start(STOPPED);
    const { child, ended, output } = spawnGantry([
      "notes",
      "take",
      "--hold",
      "--home",
      home,
    ]);
    await vi.waitFor(() => expect(output.stdout).toContain(home));
    expect(await runGantry(["serve", "--home", home])).toMatchObject({
      code: 3,
    });
    child.stdin.end("\n");
    expect(await ended).toMatchObject({ code: 0 });
  },
);

test(
  "a secret is asked for at a terminal, and not shown",
  { tags: "thorough" },
  async () => {
    const { home } = await start({
      ask: {
        run: 'const secret = await askSecret("Passphrase: "); print("length " + secret.length);',
      },
    });
    const entry = fileURLToPath(
      new URL("../../../core/test/support/run-gantry.ts", import.meta.url),
    );
    const line = [
      process.execPath,
      ...[
        "--conditions=gantry-source",
        "--disable-warning=ExperimentalWarning",
      ],
      ...[entry, "notes", "ask", "--home", home],
    ];
    const child = spawn("script", ["-qec", line.join(" "), "/dev/null"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    let shown = "";
    child.stdout.on("data", (chunk) => (shown += String(chunk)));
    await vi.waitFor(() => expect(shown).toContain("Passphrase: "));
    child.stdin.write("swordfish\u007f\u007fsh\r");
    await once(child, "close");
    expect(shown).toContain("length 9");
    expect(shown).not.toMatch(/sword|fish|\*/);
  },
);
