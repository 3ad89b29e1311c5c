import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRoot, main } from "../../src/main.ts";
import { runGantry, startDaemon } from "../../../core/test/support/daemon.ts";
import { temporaryFolder } from "@gantry/build/testing";

/** A command of the tree, with everything above it loaded. */
interface Node {
  /** What is typed: `gantry plugins add`. */
  name: string;
  words: string[];
  description: string;
  /** Their types by their names. */
  args: Record<string, string>;
  subCommands: string[];
}

const ran: { name: string; args: unknown }[] = [];

/** Reads the whole tree and replaces what each command does, so that a test sees whether it ran. */
function readTree(command: Command, words: string[] = []): Node[] {
  const name = ["gantry", ...words].join(" ");
  const { options, registeredArguments } = command;
  if (command.commands.length === 0)
    command.action(() => {
      const args = options.map((option) => [
        option.long!.slice(2),
        command.getOptionValue(option.attributeName()) as unknown,
      ]);
      ran.push({ name, args: Object.fromEntries(args) });
    });
  const node: Node = {
    name,
    words,
    description: command.description(),
    args: Object.fromEntries([
      ...registeredArguments.map((argument) => [argument.name(), "positional"]),
      ...options
        .filter(({ hidden }) => !hidden)
        .map(({ long, required }) => [
          long!.slice(2),
          required ? "string" : "boolean",
        ]),
    ]) as Record<string, string>,
    subCommands: command.commands.map((below) => below.name()),
  };
  return [
    node,
    ...command.commands.flatMap((below) =>
      readTree(below, [...words, below.name()]),
    ),
  ];
}

const tree = readTree(await createRoot());
const leaves = tree.filter(({ subCommands }) => subCommands.length === 0);
const groups = tree.filter(({ subCommands }) => subCommands.length > 0);
const flagsOf = ({ args }: Node, type: string) =>
  Object.keys(args).filter((name) => args[name] === type);
/** What a command must be given. */
const enough = (leaf: Node) => flagsOf(leaf, "positional").map(() => "thing");
const ofEach = (nodes: Node[]) =>
  nodes.map((node): [string, Node] => [node.name, node]);

let stdout = "";
let stderr = "";

beforeEach(() => {
  ran.length = 0;
  stdout = "";
  stderr = "";
  vi.spyOn(console, "log").mockImplementation(
    (text) => void (stdout += `${String(text)}\n`),
  );
  vi.spyOn(console, "error").mockImplementation(
    (text) => void (stderr += `${String(text)}\n`),
  );
});

afterEach(() => {
  process.exitCode = undefined;
  vi.restoreAllMocks();
});

async function type(...args: string[]) {
  process.exitCode = undefined;
  await main(args);
  return { code: process.exitCode ?? 0, ran: ran.map(({ name }) => name) };
}

/** A refused command line: exit code 2, one line, nothing run. */
async function expectRefusal(args: string[], line: RegExp): Promise<void> {
  stderr = "";
  expect(await type(...args)).toEqual({ code: 2, ran: [] });
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^gantry: [^\n]+\n$/);
  expect(stderr).toMatch(line);
}

test("the tree has all the commands", () => {
  expect(leaves.length).toBeGreaterThanOrEqual(10);
  expect(groups.map(({ name }) => name)).toContain("gantry plugins");
});

test.each(ofEach(tree))(
  "%s --help prints its help, wherever it is typed, and runs nothing",
  async (name, node) => {
    const flags = flagsOf(node, "boolean").map((flag) => `--${flag}`);
    const values = flagsOf(node, "string").map((flag) => `--${flag}`);
    const lines = [
      ["--help"],
      ["-h"],
      ["--help", ...enough(node)],
      [...enough(node), ...flags, "--help"],
      ["--unknown", "--help"],
      ...values.map((flag) => [flag, "--help"]),
    ];
    for (const line of lines) {
      stdout = "";
      expect(await type(...node.words, ...line)).toEqual({ code: 0, ran: [] });
      expect(stdout.replaceAll(/\s+/g, " ")).toContain(node.description);
      expect(stdout).toContain(`Usage: ${name}`);
      for (const flag of [...flags, ...values]) expect(stdout).toContain(flag);
      expect(stderr).toBe("");
    }
  },
);

test.each(ofEach(leaves))(
  "%s runs with what it declares",
  async (name, leaf) => {
    const flags = flagsOf(leaf, "boolean").map((flag) => `--${flag}`);
    const values = flagsOf(leaf, "string");
    const spaced = values.flatMap((flag) => [`--${flag}`, "text"]);
    expect(
      await type(...leaf.words, ...flags, ...spaced, ...enough(leaf)),
    ).toEqual({ code: 0, ran: [name] });
    for (const flag of values)
      expect(ran[0]?.args).toMatchObject({ [flag]: "text" });
    const joined = values.map((flag) => `--${flag}=-text`);
    const off = flagsOf(leaf, "boolean").map((flag) => `--no-${flag}`);
    await type(...leaf.words, ...enough(leaf), ...joined, ...off);
    for (const flag of values)
      expect(ran[1]?.args).toMatchObject({ [flag]: "-text" });
    for (const flag of flagsOf(leaf, "boolean"))
      expect(ran[1]?.args).toMatchObject({ [flag]: false });
  },
);

test.each(ofEach(leaves))(
  "%s refuses a flag that it does not have and names the nearest",
  async (name, leaf) => {
    const line = (...args: string[]) => [
      ...leaf.words,
      ...enough(leaf),
      ...args,
    ];
    for (const flag of Object.keys(leaf.args)) {
      if (leaf.args[flag] === "positional" || flag.length < 4) continue;
      const typo = `--${flag.slice(0, -1)}`;
      const hint = new RegExp(
        `'${typo}.*Did you mean --${flag}.*"${name} --help"`,
      );
      await expectRefusal(line(typo, "/x"), hint);
      await expectRefusal(line(`${typo}=/x`), hint);
    }
    await expectRefusal(line("--zzzzzzzz"), /--zzzzzzzz.*--help/);
    await expectRefusal(line("-q"), /'-q'/);
    await expectRefusal(line("--constructor"), /--constructor/);
    await expectRefusal(line("--no-home"), /--no-home/);
    await expectRefusal(line("--no-zzz"), /--no-zzz/);
  },
);

test.each(ofEach(leaves))("%s refuses a surplus argument", async (_, leaf) => {
  await expectRefusal(
    [...leaf.words, ...enough(leaf), "surplus"],
    /surplus.*--help/,
  );
  await expectRefusal(
    [...leaf.words, ...enough(leaf), "--", "--help"],
    /--help.* See/,
  );
});

test.each(ofEach(leaves))("%s refuses what is missing", async (_, leaf) => {
  for (const flag of flagsOf(leaf, "string")) {
    const missing = new RegExp(`--${flag}.* (argument missing|needs a value)`);
    const line = [...leaf.words, ...enough(leaf)];
    await expectRefusal([...line, `--${flag}`], missing);
    await expectRefusal([...line, `--${flag}=`], missing);
    await expectRefusal([...line, `--${flag}`, "--home", "/x"], missing);
  }
  for (const flag of flagsOf(leaf, "boolean"))
    await expectRefusal(
      [...leaf.words, ...enough(leaf), `--${flag}=yes`],
      new RegExp(`'--${flag}=yes'`),
    );
  for (const name of flagsOf(leaf, "positional"))
    await expectRefusal([...leaf.words], new RegExp(`'${name}'`));
});

test.each(ofEach(groups))(
  "%s refuses a command that it does not have and names the nearest",
  async (_, group) => {
    for (const word of group.subCommands.filter(
      (each) => each !== "rehearse",
    )) {
      await expectRefusal(
        [...group.words, word.slice(0, -1)],
        new RegExp(`Did you mean (one of )?.*${word}`),
      );
    }
    for (const word of ["zzzzzzzz", "toString", "__proto__", ""])
      await expectRefusal([...group.words, word], /--help/);
    await expectRefusal(
      [...group.words, "--home", "/x", group.subCommands[0] ?? ""],
      /'--home'/,
    );
    for (const line of [["--"], ["--", group.subCommands[0] ?? ""]])
      await expectRefusal([...group.words, ...line], /needs a command/);
    if (group.words.length > 0)
      await expectRefusal(
        group.words,
        new RegExp(group.subCommands.join(".*")),
      );
  },
);

test("no command line at all prints the help, --version the version", async () => {
  expect(await type()).toEqual({ code: 0, ran: [] });
  expect(stdout).toContain("Usage: gantry");
  for (const flag of ["--version", "-v"]) {
    stdout = "";
    expect(await type(flag)).toEqual({ code: 0, ran: [] });
    expect(stdout).toMatch(/^\S+\n$/);
  }
});

test("any command line ends with 0 or 2, and runs one command at most", async () => {
  const words = fc.constantFrom(
    ...tree.flatMap(({ words: typed, args }) => [
      ...typed,
      ...Object.keys(args).map((name) => `--${name}`),
    ]),
  );
  const odd = fc.constantFrom("--", "-", "", "--=", "--=x", "-hq", "--home=x");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(words, odd, fc.string({ maxLength: 6 })), {
        maxLength: 6,
      }),
      async (args) => {
        ran.length = 0;
        const { code, ran: commands } = await type(...args);
        expect([0, 2]).toContain(code);
        expect(commands.length).toBeLessThanOrEqual(1);
        if (code === 2) expect(commands).toEqual([]);
      },
    ),
  );
});

test(
  "token --rotate --help leaves the token as it is",
  { tags: "thorough" },
  async () => {
    const home = await temporaryFolder();
    await startDaemon(home);
    const token = () => readFile(join(home, "token"), "utf8");
    const before = await token();
    expect(
      await runGantry(["token", "--rotate", "--home", home, "--help"]),
    ).toMatchObject({ code: 0, stderr: "" });
    expect(await token()).toBe(before);
  },
);

test("a misspelt --home does not fall back to the default home", async () => {
  const userHome = await temporaryFolder();
  const answer = await runGantry(["serve", "--hom", "/x"], {
    env: { HOME: userHome, GANTRY_HOME: "" },
  });
  expect(answer).toMatchObject({ code: 2, stdout: "" });
  expect(answer.stderr).toMatch(/^gantry: [^\n]*Did you mean --home[^\n]*\n$/);
  expect(await readdir(userHome)).toEqual([]);
});
