import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cases, temporaryFolder } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { createSystemClock } from "@gantry/system/clock/system-clock";
import { loadConfig } from "../../src/config/config.ts";
import { startKernel } from "../../src/kernel.ts";
import { UserError } from "@gantry/system/user-error";

/** What may stand where the daemon keeps a file of its own. */
const CONTENTS: Record<string, (file: string) => Promise<void>> = {
  nothing: (file) => writeFile(file, ""),
  noise: (file) =>
    writeFile(
      file,
      Buffer.from(Array.from({ length: 512 }, (_, at) => (at * 37) & 255)),
    ),
  "a number": (file) => writeFile(file, "1234\n"),
  "a byte order mark": (file) => writeFile(file, "\ufeff{}"),
  "UTF-16": (file) => writeFile(file, Buffer.from("\ufeff{}", "utf16le")),
  "a folder": async (file) => {
    await mkdir(file);
    await writeFile(join(file, "x"), "");
  },
  "a dangling link": (file) => symlink("/nonexistent/x", file),
};

const FILES = [
  "audit/head.json",
  "audit/audit-000001.jsonl",
  "cache/starting.json",
  "certificate.json",
  "config.json",
  "control.sock",
  "daemon.json",
  "daemon.lock",
  "processes/x.json",
  "replaced-certificates.json",
  "restore/replacement.json",
  "restore/result.json",
  "revoked-tokens.json",
  "store.sqlite",
  "store.sqlite-reserve",
  "token",
];

async function startOn(home: string): Promise<string[]> {
  const lines: string[] = [];
  const kernel = await startKernel({
    clock: createSystemClock(),
    version: "1",
    sink: (line) => lines.push(line),
    config: await loadConfig(
      { home, port: "0", safe: true, https: true, log: "info" },
      {},
    ),
    builtinPlugins: undefined,
    rehearse: () => Promise.reject(new Error("Not here.")),
  });
  await kernel.stop();
  return lines;
}

describe("a file of the home", () => {
  const contents = Object.keys(CONTENTS);
  // The first of them are of different files.
  const rows = contents.flatMap((_, shift) =>
    FILES.map(
      (file, at) =>
        [file, contents[(at + shift) % contents.length] ?? ""] as const,
    ),
  );
  test.each(cases(rows, 6))(
    "%s with %s keeps no daemon from starting without a sentence that names it",
    async (name, content) => {
      const home = await temporaryFolder();
      const file = join(home, name);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await CONTENTS[content]?.(file);
      const failure = await startOn(home).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure === undefined) return;
      expect(failure).toBeInstanceOf(UserError);
      const { message } = failure as UserError;
      expect(message).toContain(file);
      expect(message).toMatch(/move it|move the folder|correct|expected/i);
      // What was in the way can be moved, and the daemon starts.
      await rm(file, { recursive: true });
      await startOn(home);
    },
  );
});

test("a config.json that begins with a byte order mark is read", async () => {
  const home = await temporaryFolder();
  await writeFile(join(home, "config.json"), '\ufeff{"port": 4711}');
  expect(await loadConfig({ home }, {})).toMatchObject({ port: 4711 });
});

test("a lock with foreign content is taken all the same", async () => {
  const home = await temporaryFolder();
  await CONTENTS["noise"]?.(join(home, "daemon.lock"));
  await startOn(home);
  expect(await readFile(join(home, "daemon.lock"))).toHaveLength(0);
});

test("a damaged certificate and a damaged token are made again, and the log says so", async () => {
  const home = await temporaryFolder();
  await CONTENTS["noise"]?.(join(home, "certificate.json"));
  await CONTENTS["UTF-16"]?.(join(home, "token"));
  const log = (await startOn(home)).join("\n");
  expect(log).toContain(`${join(home, "certificate.json")} was damaged`);
  expect(log).toContain(`A new token was written to ${join(home, "token")}`);
});
