import { access } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { homePaths } from "@gantry/system/home/home";
import { findPluginCommands } from "../../src/plugin-commands/find-plugin-commands.ts";
import { startProbe, statusOf } from "../../../core/test/support/probe.ts";
import { commandsCode, putCommandPlugin } from "../support/command-plugin.ts";
import { runGantry } from "../../../core/test/support/daemon.ts";
import { temporaryFolder } from "@gantry/build/testing";

async function start() {
  const home = await temporaryFolder();
  const plugins = join(home, "plugins");
  const gantry = (...args: string[]) => runGantry([...args, "--home", home]);
  return { home, plugins, gantry };
}

test(
  "the help of the whole names the commands of plugins and runs nothing of them",
  { tags: "thorough" },
  async () => {
    const { home, plugins, gantry } = await start();
    const trace = join(home, "trace");
    const code = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(trace)}, ""); export default {};`;
    await putCommandPlugin(plugins, "notes", code, {
      description: "Short notes, and a table of them",
    });
    for (const line of [["--help"], ["nots"]]) {
      const { code: exit, stdout, stderr } = await gantry(...line);
      expect(exit).toBe(line[0] === "nots" ? 2 : 0);
      expect(stdout + stderr).toMatch(
        line[0] === "nots"
          ? /Did you mean notes\?/
          : /notes +Short notes, and a table of them/,
      );
    }
    await expect(access(trace)).rejects.toMatchObject({ code: "ENOENT" });
  },
);

test("a single command that is called as its plugin needs no second word", async () => {
  const { plugins, gantry } = await start();
  const options = { all: { type: "boolean", description: "Old ones too" } };
  const run = "print(`all: ${args.all}`)";
  await putCommandPlugin(
    plugins,
    "notes",
    commandsCode("notes", { notes: { run, options } }),
  );
  expect(await gantry("notes", "--all")).toMatchObject({
    code: 0,
    stdout: "all: true\n",
  });
  expect((await gantry("notes", "notes")).code).toBe(2);
  await putCommandPlugin(
    plugins,
    "lists",
    commandsCode("lists", { lists: { run }, old: { run } }),
  );
  expect((await gantry("lists")).code).toBe(2);
  expect((await gantry("lists", "lists")).code).toBe(0);
});

test(
  "the help of a plugin names its commands, the help of a command its options",
  { tags: "thorough" },
  async () => {
    const { home, plugins, gantry } = await start();
    const options = {
      only: { type: "string", description: "Of one kind alone" },
      all: { type: "boolean", description: "Also those that are old" },
    };
    await putCommandPlugin(
      plugins,
      "notes",
      commandsCode("notes", { list: { run: "", options }, now: { run: "" } }),
    );
    const whole = await gantry("notes", "--help");
    expect(whole.stdout).toContain("Usage: gantry notes ");
    expect(whole.stdout).toMatch(/list +Does list/);
    const one = await gantry("notes", "list", "--help");
    expect(one.stdout).toContain("Usage: gantry notes list");
    expect(one.stdout).toMatch(/--only <only> +Of one kind alone/);
    expect(one.stdout).toMatch(/--home <home>/);
    expect(await gantry("notes", "lsit")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean list?") as string,
    });
    expect(
      await runGantry(["notes"], { env: { GANTRY_HOME: home } }),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '"gantry notes" needs a command',
      ) as string,
    });
  },
);

test(
  "a file of commands that cannot be used costs its own command alone, and says why",
  { tags: "thorough" },
  async () => {
    const { plugins, gantry } = await start();
    const works = commandsCode("works", { say: { run: 'print("said")' } });
    await putCommandPlugin(plugins, "works", works);
    const faulty: [id: string, code: string, says: RegExp][] = [
      ["throws", 'throw new Error("no such thing");', /no such thing/],
      ["broken", "export default {", /cannot be used/],
      ["empty", "export const x = 1;", /no default export made by/],
      ["named", commandsCode("other", {}), /its file calls it "other"/],
      [
        "odd",
        `export default { name: "odd", description: "x", commands: { a: {} } };`,
        /"commands\.a\.description"/,
      ],
      [
        "taken",
        commandsCode("taken", {
          a: {
            run: "",
            options: { home: { type: "string", description: "x" } },
          },
        }),
        /option that each command has/,
      ],
    ];
    for (const [id, code] of faulty) await putCommandPlugin(plugins, id, code);
    expect((await gantry("--help")).stdout).toContain("broken");
    for (const [id, , says] of faulty) {
      const { code, stderr } = await gantry(id, "say");
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^gantry: The command "[a-z]+" of the plugin @acme\/[a-z]+ cannot be used: [^\n]+\n$/,
      );
      expect(stderr).toMatch(says);
    }
    expect(await gantry("works", "say")).toMatchObject({
      code: 0,
      stdout: "said\n",
    });
  },
);

test(
  "a command of the daemon's own goes before one of a plugin",
  { tags: "thorough" },
  async () => {
    const { plugins, gantry } = await start();
    const code = commandsCode("pair", { now: { run: 'print("stolen")' } });
    await putCommandPlugin(plugins, "pair", code);
    expect(await gantry("pair")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("No daemon runs") as string,
    });
    expect((await gantry("--help")).stdout).toContain(
      'The command "pair" of the plugin @acme/pair is not offered',
    );
  },
);

test("a command of a plugin that is delivered goes before one of the home", async () => {
  const { home, plugins } = await start();
  const delivered = await temporaryFolder();
  await putCommandPlugin(plugins, "notes", "");
  await putCommandPlugin(plugins, "links", "");
  await putCommandPlugin(delivered, "notes", "");
  const { offered, refused } = await findPluginCommands(
    homePaths(home),
    delivered,
    ["pair"],
  );
  expect([...offered].map(([name, { origin }]) => [name, origin])).toEqual([
    ["notes", "builtin"],
    ["links", "home"],
  ]);
  expect(refused).toMatchObject([{ name: "notes", origin: "home" }]);
});

test("a plugin whose commands have another name than its id is not started, and says why", async () => {
  const { plugins } = await start();
  await putCommandPlugin(plugins, "notes", "", { name: "agents" });
  await using kernel = await startProbe({}, { pluginFolder: plugins });
  expect(statusOf(kernel, "notes")).toMatchObject({
    state: "failed",
    reason: expect.stringContaining(
      'its id is "notes", but its commands are called "agents"',
    ) as string,
  });
  kernel.expectFault(/Plugin not loaded/);
});
