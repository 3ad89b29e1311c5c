import { spawn } from "node:child_process";
import { once } from "node:events";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { acquireLock, findHolder, LockedError } from "@gantry/system/home/lock";
import { homePaths } from "@gantry/system/home/home";
import { temporaryFolder } from "@gantry/build/testing";

const start = async () => homePaths(await temporaryFolder());

/** Another process that takes a home, and tells when it has it. */
async function holdElsewhere(folder: string) {
  const code = `
    import { acquireLock } from ${JSON.stringify(import.meta.resolve("@gantry/system/home/lock"))};
    import { homePaths } from ${JSON.stringify(import.meta.resolve("@gantry/system/home/home"))};
    const lock = await acquireLock(homePaths(${JSON.stringify(folder)}));
    await lock.announce({ url: "http://gantry.localhost:1", control: "/c.sock" });
    console.log("held");
    setInterval(() => {}, 1000);`;
  const child = spawn(
    process.execPath,
    ["--conditions=gantry-source", "--input-type=module", "-e", code],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

test("a home has one holder, which the error of a second names", async () => {
  const home = await start();
  const other = await holdElsewhere(home.folder);
  const refused = await acquireLock(home).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(LockedError);
  expect((refused as LockedError).message).toBe(
    `Another daemon (pid ${other.pid}, http://gantry.localhost:1) uses this home.`,
  );
  expect(await findHolder(home)).toMatchObject({
    pid: other.pid,
    url: "http://gantry.localhost:1",
    control: "/c.sock",
  });
});

test("a holder that was killed holds nothing, at once", async () => {
  const home = await start();
  const other = await holdElsewhere(home.folder);
  other.kill("SIGKILL");
  await once(other, "close");
  expect(await findHolder(home)).toBeUndefined();
  const lock = await acquireLock(home);
  expect(await findHolder(home)).toMatchObject({ pid: process.pid });
  await lock.release();
  expect(await findHolder(home)).toBeUndefined();
});

test("of many that find a dead holder at once, one takes its place", async () => {
  const home = await start();
  for (let round = 0; round < 20; round++) {
    await writeFile(
      home.holder,
      JSON.stringify({ pid: 2 ** 22, startTime: "1", bootId: "x" }),
    );
    const tries = await Promise.allSettled(
      Array.from({ length: 6 }, () => acquireLock(home)),
    );
    const held = tries.flatMap((result) =>
      result.status === "fulfilled" ? result.value : [],
    );
    expect(held).toHaveLength(1);
    for (const result of tries)
      if (result.status === "rejected")
        expect(result.reason).toBeInstanceOf(LockedError);
    await held[0]?.release();
  }
});

test.each(["", "{", "null", "[]", '{"pid":"x"}'])(
  "a note of the holder that is damaged (%s) keeps no daemon out",
  async (text) => {
    const home = await start();
    await writeFile(home.holder, text);
    expect(await findHolder(home)).toBeUndefined();
    await (await acquireLock(home)).release();
  },
);

test("a number that another process has now holds no home", async () => {
  const home = await start();
  await writeFile(
    home.holder,
    JSON.stringify({ pid: process.pid, startTime: "1" }),
  );
  expect(await findHolder(home)).toBeUndefined();
});

test("its files are for their user alone", async () => {
  const home = await start();
  const lock = await acquireLock(home);
  for (const file of [home.lock, home.holder])
    expect((await stat(file)).mode & 0o777, file).toBe(0o600);
  await lock.release();
  expect(join(home.folder, "daemon.json")).toBe(home.holder);
});
