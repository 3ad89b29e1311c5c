import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandInput } from "@gantry/plugin";
import commands from "../../src/commands.ts";
import {
  DEFAULT_SETTINGS,
  type StoredSettings,
} from "../../src/settings/backup-record.ts";
import { writeSettingsCopy } from "../../src/settings/settings-copy.ts";
import { createFakeWholeHome, type FakeWholeHome } from "./fake-whole-home.ts";

/** A home without a daemon, and the commands as a user types them. */
export interface CommandBench extends AsyncDisposable {
  home: FakeWholeHome;
  /** Folder for snapshots. */
  folder: string;
  /** What the terminal answers to a question; none without. */
  typed: string | undefined;
  /** How often it was asked. */
  questions: number;
  daemon: CommandInput["daemon"];
  /** Gives the lines that were printed. */
  run(name: string, args?: CommandInput["args"]): Promise<string[]>;
  /** The same with `--json`. */
  json<Value>(name: string, args?: CommandInput["args"]): Promise<Value>;
  /** Saves settings as the last daemon left them. */
  save(settings: Partial<StoredSettings>): Promise<void>;
  /** A file with a passphrase. */
  passphraseFile(passphrase: string): Promise<string>;
}

export async function startCommands(): Promise<CommandBench> {
  const home = await createFakeWholeHome();
  // No plugin runs that would have opened any.
  home.recordVersions = () => ({});
  home.rehearsed = [{ id: "agents", state: "active", reason: null }];
  const parent = await realpath(await mkdtemp(join(tmpdir(), "gantry-cli-")));
  const own = join(home.data, "backup");
  const { signal } = new AbortController();
  const bench: CommandBench = {
    home,
    folder: join(parent, "snapshots"),
    typed: undefined,
    questions: 0,
    daemon: undefined,
    async run(name, args = {}) {
      const lines: string[] = [];
      await commands.commands[name]!.run({
        args,
        daemon: bench.daemon,
        withStoppedHome: (work) => work(home, { signal }),
        facts: () => Promise.reject(new Error("Not in this test.")),
        find: () => Promise.resolve(undefined),
        folder: own,
        config: undefined,
        askSecret() {
          bench.questions++;
          return Promise.resolve(bench.typed);
        },
        print: (line) => void lines.push(line),
        signal,
      });
      return lines;
    },
    async json<Value>(name: string, args: CommandInput["args"] = {}) {
      const lines = await bench.run(name, { ...args, json: true });
      if (lines.length !== 1) throw new Error(lines.join("\n"));
      return JSON.parse(lines[0]!) as Value;
    },
    async save(settings) {
      await mkdir(own, { recursive: true });
      await writeSettingsCopy(own, {
        ...DEFAULT_SETTINGS,
        folder: bench.folder,
        ...settings,
      });
    },
    async passphraseFile(passphrase) {
      const file = join(parent, "passphrase");
      await writeFile(file, `${passphrase}\n`);
      return file;
    },
    async [Symbol.asyncDispose]() {
      await home[Symbol.asyncDispose]();
      await rm(parent, { recursive: true, force: true });
    },
  };
  await mkdir(join(bench.folder, "gantry-backup"), { recursive: true });
  return bench;
}
