import {
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { isGantryError } from "@gantry/plugin";
import { expect, onTestFinished, test } from "vitest";
import { openAgentFolder, parsePath } from "../src/index.ts";

const SECRET = "what no agent may read";

/** A folder `app` beside a secret file, and beside a home of the daemon that has a work folder. */
async function createPlace() {
  const outer = await mkdtemp(join(tmpdir(), "gantry-agent-folder-"));
  onTestFinished(() => rm(outer, { recursive: true, force: true }));
  const cwd = join(outer, "app");
  await mkdir(join(cwd, "sub"), { recursive: true });
  await writeFile(join(cwd, "a.txt"), "a");
  await writeFile(join(cwd, "sub", "b.txt"), "b");
  await mkdir(join(outer, "out"));
  await writeFile(join(outer, "out", "b.txt"), SECRET);
  const paths = { home: join(outer, "home"), work: join(outer, "home/work") };
  return { outer, cwd, paths };
}

/** The text of a file, or the code of the error that refuses it. */
async function read(
  folder: Awaited<ReturnType<typeof openAgentFolder>>,
  path: string,
): Promise<string> {
  try {
    const { handle } = await folder.openFile(path);
    try {
      return await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isGantryError(error)) return error.code;
    throw error;
  }
}

test("files below the folder are opened, and the folder itself", async () => {
  const { cwd, paths } = await createPlace();
  const folder = await openAgentFolder(cwd, paths);
  expect(await read(folder, "sub/b.txt")).toBe("b");
  expect(await read(folder, "./sub//b.txt")).toBe("b");
  expect(await read(folder, "sub")).toBe("FILE_NOT_REGULAR");
  expect(await read(folder, "none")).toBe("PATH_NOT_FOUND");
  const opened = await folder.openFolder("");
  expect(await readFile(join(opened.path, "a.txt"), "utf8")).toBe("a");
  await opened.handle.close();
});

test("a folder that is gone is an error with a code", async () => {
  const { cwd, paths } = await createPlace();
  await rm(cwd, { recursive: true });
  await expect(openAgentFolder(cwd, paths)).rejects.toMatchObject({
    code: "AGENT_FOLDER_GONE",
  });
});

test("the daemon's home is closed, but for the folder of agents without a project", async () => {
  const { outer, paths } = await createPlace();
  await mkdir(paths.work, { recursive: true });
  await writeFile(join(paths.home, "token"), SECRET);
  await writeFile(join(paths.work, "notes.txt"), "mine");
  const folder = await openAgentFolder(outer, paths);
  expect(await read(folder, "home/token")).toBe("PATH_PROTECTED");
  expect(await read(folder, "home/work/notes.txt")).toBe("mine");
});

test("whatever a path and the links on it look like, only what is in the folder is read", async () => {
  const { outer, cwd, paths } = await createPlace();
  const name = fc.constantFrom("..", ".", "", "sub", "a.txt", "b.txt", "link");
  const path = fc.array(name, { maxLength: 6 }).map((names) => names.join("/"));
  const target = fc.oneof(
    path,
    path.map((inner) => join(cwd, inner)),
    path.map((inner) => join(outer, inner)),
    fc.constantFrom("/", "/etc/passwd", "../out", "../out/b.txt", "link"),
  );
  const property = fc.asyncProperty(path, target, async (asked, to) => {
    for (const place of [cwd, join(cwd, "sub")]) {
      await rm(join(place, "link"), { force: true });
      await symlink(to || ".", join(place, "link"));
    }
    const folder = await openAgentFolder(cwd, paths);
    expect(await read(folder, asked)).toMatch(/^(a|b|[A-Z_]+)$/);
  });
  await fc.assert(property, { numRuns: 300 });
});

test("a folder that is replaced by a link meanwhile leads nowhere else", async () => {
  const { outer, cwd, paths } = await createPlace();
  const folder = await openAgentFolder(cwd, paths);
  await symlink(join(outer, "out"), join(cwd, "trap"));
  let isOver = false;
  const swapping = (async () => {
    while (!isOver) {
      await rename(join(cwd, "sub"), join(cwd, "kept"));
      await rename(join(cwd, "trap"), join(cwd, "sub"));
      await rename(join(cwd, "sub"), join(cwd, "trap"));
      await rename(join(cwd, "kept"), join(cwd, "sub"));
    }
  })();
  const seen = new Set<string>();
  for (let round = 0; round < 2_000; round++)
    seen.add(await read(folder, "sub/b.txt"));
  isOver = true;
  await swapping;
  expect([...seen]).not.toContain(SECRET);
  expect([...seen]).toContain("b");
});

test("a path is split into names that a file can have, or refused", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (path) => {
      try {
        for (const part of parsePath(path)) {
          expect(part).not.toMatch(/^\.{0,2}$|[/\0]/);
          expect(Buffer.byteLength(part)).toBeLessThanOrEqual(255);
        }
      } catch (error) {
        expect(["PATH_INVALID", "PATH_OUTSIDE"]).toContain(
          (error as { code?: string }).code,
        );
      }
    }),
  );
});
