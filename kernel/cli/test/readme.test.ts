import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "../src/commands/serve.ts";
import { loadConfig, Settings } from "@gantry/kernel/config/config";
import { createRoot } from "../src/main.ts";

const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");

/** Cells of the tables below a heading, without the head of the table. */
function rowsBelow(heading: string): string[][] {
  const section = readme.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\|(.*)\|$/gm)]
    .map(([, row = ""]) => row.split("|").map((cell) => cell.trim()))
    .filter(([first = ""]) => !/^-|^(Command|Flag)$/.test(first));
}

/** Flags of a command, positional arguments left out. */
const flagsOf = ({ options }: Command): string[] =>
  options.filter(({ hidden }) => !hidden).map(({ long }) => long!);

/** A command and those below it that do something, by what is typed; not those that only the daemon itself runs. */
function commandsIn(
  command: Command,
  name = "",
): [name: string, flags: string[]][] {
  const { commands } = command;
  if (commands.length === 0) return [[name, flagsOf(command)]];
  return command
    .createHelp()
    .visibleCommands(command)
    .flatMap((below) => commandsIn(below, `${name} ${below.name()}`.trim()));
}

test("every command is in the README with its flags, and no other", async () => {
  const wanted = Object.fromEntries(commandsIn(await createRoot()));
  const found = Object.fromEntries(
    rowsBelow("Commands").map(([command = "", , flags = ""]) => [
      command.replace(/`|gantry | [A-Z]+/g, ""),
      [...flags.matchAll(/`(--[a-z-]+)`/g)].map(([, flag]) => flag),
    ]),
  );
  expect(found).toEqual(wanted);
});

test("every setting is in the README, with its flag and variable", () => {
  const rows = rowsBelow("Configuration").map((cells) =>
    cells.slice(0, 3).map((cell) => cell.replaceAll("`", "")),
  );
  const flags = rows.flatMap(([flag]) => flag || []);
  expect(flags.sort()).toEqual(
    flagsOf(serve)
      .filter((flag) => flag !== "--json")
      .sort(),
  );
  const settings = rows.map(([flag = "", , key]) => key || flag.slice(2));
  expect(settings.sort()).toEqual(
    [...Object.keys(Settings.shape), "home", "safe"].sort(),
  );
  for (const [flag = "", variable] of rows.filter(([, variable]) => variable))
    expect(variable).toBe(
      `GANTRY_${flag.slice(2).replace("-", "_").toUpperCase()}`,
    );
});

test("the configuration that the README shows is understood", async () => {
  const json = /```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const home = await mkdtemp(join(tmpdir(), "gantry-readme-"));
  onTestFinished(() => rm(home, { recursive: true }));
  await writeFile(join(home, "config.json"), json);
  const {
    safe: _,
    portIsGiven: __,
    ...config
  } = await loadConfig({ home }, {});
  expect(config).toEqual({ ...JSON.parse(json), home });
});
