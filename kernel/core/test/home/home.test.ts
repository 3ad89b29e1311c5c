import { spawnSync } from "node:child_process";
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { HomeError, homePaths, openHome } from "@gantry/system/home/home";
import { replaceFile } from "@gantry/plugin/files";
import { startProbe } from "../support/probe.ts";
import { temporaryFolder } from "@gantry/build/testing";

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test("a home is made with its folders, open to its user alone whatever the umask", async () => {
  const home = homePaths(join(await temporaryFolder(), "deep", "home"));
  const before = process.umask(0);
  try {
    expect(await openHome(home)).toEqual([]);
  } finally {
    process.umask(before);
  }
  for (const folder of [
    home.folder,
    home.plugins,
    home.data,
    home.cache,
    home.processes,
  ])
    expect(await modeOf(folder), folder).toBe(0o700);
});

test("what was open to others is closed, and that is told", async () => {
  const home = homePaths(await temporaryFolder());
  await openHome(home);
  await chmod(home.folder, 0o755);
  await chmod(home.data, 0o770);
  expect(await openHome(home)).toEqual([
    `${home.folder} was open to other users; it is closed now.`,
    `${home.data} was open to other users; it is closed now.`,
  ]);
  expect(await modeOf(home.folder)).toBe(0o700);
  expect(await openHome(home)).toEqual([]);
});

test("a home that is a link, or a file, is refused", async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "elsewhere"));
  await symlink(join(folder, "elsewhere"), join(folder, "link"));
  await writeFile(join(folder, "file"), "");
  for (const name of ["link", "file", "file/below"])
    await expect(openHome(homePaths(join(folder, name))), name).rejects.toThrow(
      HomeError,
    );
  expect(await readdir(join(folder, "elsewhere"))).toEqual([]);
});

test("no file of a running daemon is open to others", async () => {
  const before = process.umask(0);
  try {
    await using kernel = await startProbe({
      setup: (ctx) => ctx.folder().then(() => {}),
    });
    await kernel.ctx.store.set("x", {});
    const entries = await readdir(kernel.home, { recursive: true });
    expect(entries).toEqual(
      expect.arrayContaining([
        "token",
        "store.sqlite",
        "control.sock",
        "data/probe",
      ]),
    );
    for (const entry of entries)
      expect((await modeOf(join(kernel.home, entry))) & 0o077, entry).toBe(0);
  } finally {
    process.umask(before);
  }
});

test("a file is replaced whole or not at all, and nothing is left beside it", async () => {
  const file = join(await temporaryFolder(), "file.txt");
  await replaceFile(file, "old");
  await replaceFile(file, "new");
  expect(await modeOf(file)).toBe(0o600);
  await expect(replaceFile(file, Symbol("none") as never)).rejects.toThrow();
  expect(await readdir(dirname(file))).toEqual(["file.txt"]);
  expect(await readFile(file, "utf8")).toBe("new");
});

test("a start removes what a killed daemon left of files that it was writing, also in folders of plugins", async () => {
  const home = await temporaryFolder();
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const folders = [
    "",
    "processes/detached",
    "cache/utilities",
    "data/probe",
    "data/gone",
  ];
  const paths = folders.map((folder) => join(home, folder));
  const mark = `${pid}-0123456789ab`;
  for (const path of paths) {
    await mkdir(path, { recursive: true });
    await writeFile(join(path, `.some.json.${mark}.tmp`), "{");
    await writeFile(join(path, "some.json.tmp"), "of the user");
  }
  await using _kernel = await startProbe({}, { home });
  for (const path of paths)
    expect(
      (await readdir(path)).filter((name) => name.includes("some")),
    ).toEqual(["some.json.tmp"]);
});
