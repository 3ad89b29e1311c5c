import { chmod, chown, stat, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  callControl,
  controlPath,
  serveControl,
} from "@gantry/system/home/control";
import { HomeError } from "@gantry/system/home/home";
import { errors } from "@gantry/system/errors";
import { temporaryFolder } from "@gantry/build/testing";

const commands = {
  echo: (input: object) => ({ input }),
  nothing: () => undefined,
  refuse: () => {
    throw errors.PLUGIN_NOT_FOUND({ id: "x" });
  },
  break: () => Promise.reject(new Error("Broken")),
};

async function start() {
  const path = join(await temporaryFolder(), "control.sock");
  return { path, server: await serveControl(path, commands) };
}

test("the owner's commands are answered over a socket that only the owner can open", async () => {
  const { path, server } = await start();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await callControl(path, "echo", { text: "é" })).toEqual({
    input: { text: "é" },
  });
  expect(await callControl(path, "nothing")).toBeNull();
  await expect(callControl(path, "refuse")).rejects.toThrow(/no plugin "x"/);
  await expect(callControl(path, "break")).rejects.toThrow("Broken");
  for (const command of ["unknown", "toString", "__proto__", ""])
    await expect(callControl(path, command), command).rejects.toThrow(
      /does not know/,
    );
  await server.close();
  await expect(callControl(path, "nothing")).rejects.toThrow();
});

test("a socket that a dead daemon left is replaced", async () => {
  const { path, server } = await start();
  await server.close();
  await writeFile(path, "");
  const next = await serveControl(path, commands);
  expect(await callControl(path, "nothing")).toBeNull();
  await next.close();
});

test("a home whose path is too long for a socket has it in a folder of its user's own", async () => {
  const short = join(tmpdir(), "home");
  expect(controlPath(short)).toBe(join(short, "control.sock"));
  vi.stubEnv("TMPDIR", await temporaryFolder());
  const path = controlPath(join(tmpdir(), "x".repeat(120)));
  expect(path.length).toBeLessThan(100);
  expect(dirname(path)).toBe(join(tmpdir(), `gantry-${userInfo().uid}`));
  const server = await serveControl(path, commands);
  expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
  await server.close();
  // Any user can make a folder of that name first, to stand between a daemon and its owner.
  await chmod(dirname(path), 0o777);
  await (await serveControl(path, commands)).close();
  expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
  if (process.getuid?.() === 0) {
    await chown(dirname(path), 65534, 65534);
    await expect(serveControl(path, commands)).rejects.toThrow(HomeError);
  }
  vi.unstubAllEnvs();
});
