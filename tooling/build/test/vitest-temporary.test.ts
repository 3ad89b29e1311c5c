import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import setup from "../src/vitest-temporary.ts";

test("a run takes away what its tests left, and what killed runs left", async () => {
  const place = await mkdtemp(join(tmpdir(), "gantry-temporary-"));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  const { pid: ended } = spawnSync(process.execPath, ["-e", ""]);
  const killed = join(place, `gantry-run-${ended}`);
  const other = join(place, `gantry-run-${process.ppid}`);
  const strange = join(place, "gantry-run-of-another-tool");
  for (const folder of [killed, other, strange])
    await mkdir(join(folder, "gantry-test-abc"), { recursive: true });

  const folder = join(place, `gantry-run-${process.pid}`);
  const tearDown = setup({ config: { env: { TMPDIR: folder } } });
  expect(await readdir(folder)).toEqual([]);
  expect([killed, other, strange].map(existsSync)).toEqual([false, true, true]);

  await mkdir(join(folder, "gantry-image-abc"));
  await writeFile(join(folder, "gantry-image-abc", "store"), "");
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  tearDown();
  expect(existsSync(folder)).toBe(false);
  expect(warn.mock.lastCall?.[0]).toContain("gantry-image-abc");
});

test.runIf(process.getuid?.() === 0)(
  "a run takes away the browser profiles of its homes, and no others",
  async () => {
    const place = await mkdtemp(join(tmpdir(), "gantry-temporary-"));
    const folder = join(place, `gantry-run-${process.pid}`);
    const homes = [join(folder, "home"), join(place, "home")];
    const profiles = await Promise.all(
      homes.map(async (home) => {
        const made = await mkdtemp("/var/lib/gantry-");
        await writeFile(join(made, "home"), home);
        return made;
      }),
    );
    onTestFinished(async () => {
      for (const each of [place, ...profiles])
        await rm(each, { recursive: true, force: true });
    });
    setup({ config: { env: { TMPDIR: folder } } })();
    expect(profiles.map(existsSync)).toEqual([false, true]);
  },
);

test("without a folder of its own a run takes nothing away", () => {
  expect(() => setup({ config: { env: {} } })()).not.toThrow();
});
