import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { examine } from "../../src/doctor/examine.ts";
import type { Finding } from "../../src/doctor/examine.ts";
import { temporaryFolder } from "../support/temporary.ts";

const high = (findings: Finding[]) =>
  findings.filter(({ level }) => level === "high");

test("a home that is as it should be has nothing to mend", async () => {
  const home = await temporaryFolder();
  await chmod(home, 0o700);
  const findings = await examine(home, undefined, { PATH: "/nowhere" });
  expect(high(findings)).toEqual([]);
  expect(findings).toContainEqual({
    level: "low",
    what: "No daemon runs on this home",
    fix: "Start it with `gantry serve`.",
  });
  expect(findings).toContainEqual({
    level: "low",
    what: "git is not on PATH",
  });
});

test("a home that is not there yet is no fault", async () => {
  const home = join(await temporaryFolder(), "home");
  const findings = await examine(home, undefined, {});
  expect(high(findings)).toEqual([]);
  expect(findings[1]?.what).toBe(`The home ${home} is not made yet`);
});

test("what others can read is told of, with the way out", async () => {
  const home = await temporaryFolder();
  await writeFile(join(home, "token"), "secret", { mode: 0o644 });
  await chmod(home, 0o755);
  const token = join(home, "token");
  expect(high(await examine(home, undefined, {}))).toEqual([
    {
      level: "high",
      what: `${home} is open to other users`,
      fix: `chmod go-rwx ${home}`,
    },
    {
      level: "high",
      what: `${token} is open to other users`,
      fix: `chmod go-rwx ${token}`,
    },
  ]);
});

test.each([
  ["{", /config\.json is not JSON/],
  ['{"prot":1}', /Unrecognized key: "prot"/],
])(
  "settings %j that the next start would refuse are told of",
  async (text, message) => {
    const home = await temporaryFolder();
    await chmod(home, 0o700);
    await writeFile(join(home, "config.json"), text);
    const [finding, ...others] = high(await examine(home, undefined, {}));
    expect(finding?.what).toMatch(message);
    expect(others).toEqual([]);
  },
);

test("a running daemon is asked for its plugins", async () => {
  const home = await temporaryFolder();
  const line = { version: "1.0.0", origin: "builtin", reason: null };
  const findings = await examine(
    home,
    {
      pid: 4711,
      url: "http://gantry.localhost:7420",
      call: () =>
        Promise.resolve({
          plugins: [
            { ...line, id: "good", state: "active" },
            { ...line, id: "bad", state: "failed", reason: "it threw" },
          ],
        } as never),
    },
    {},
  );
  expect(findings).toContainEqual({
    level: "ok",
    what: "Plugin good is active",
  });
  expect(findings).toContainEqual({
    level: "high",
    what: "Plugin bad is failed: it threw",
  });
});
