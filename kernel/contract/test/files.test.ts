import { spawnSync } from "node:child_process";
import files, {
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";
import { flush, linkOrCopy, placeFile, replaceFile } from "../src/files.ts";

/** What the disk refuses, by call. */
const disk = {
  refuses: {} as Record<string, string | undefined>,
  /** Writes to open files that go well before one is refused. */
  writesLeft: Infinity,
};

const real = { ...files };
function refuse(call: string): void {
  const code = disk.refuses[call];
  if (code) throw Object.assign(new Error(code), { code, syscall: call });
}

beforeAll(() => {
  Object.assign(files, {
    link: async (...args: Parameters<typeof real.link>) => {
      refuse("link");
      await real.link(...args);
    },
    rename: async (...args: Parameters<typeof real.rename>) => {
      refuse("rename");
      await real.rename(...args);
    },
    open: async (...args: Parameters<typeof real.open>) => {
      const handle = await real.open(...args);
      const sync = handle.sync.bind(handle);
      const write = handle.write.bind(handle) as (
        ...parts: unknown[]
      ) => Promise<unknown>;
      return Object.assign(handle, {
        async sync() {
          refuse("fsync");
          await sync();
        },
        async write(...parts: unknown[]) {
          if (disk.writesLeft-- <= 0) refuse("write");
          return await write(...parts);
        },
      });
    },
  });
  syncBuiltinESMExports();
});
afterAll(() => {
  Object.assign(files, real);
  syncBuiltinESMExports();
});

let folder: string;
let draft: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-files-"));
  draft = join(folder, "draft");
  file = join(folder, "file");
  await writeFile(draft, "new");
});
afterEach(async () => {
  disk.refuses = {};
  disk.writesLeft = Infinity;
  await rm(folder, { recursive: true });
});

describe("a draft that takes the place of a file", () => {
  test.each([
    undefined,
    ...["EBUSY", "EXDEV", "EPERM", "EACCES", "EOPNOTSUPP", "ENOSYS"],
  ])("does so where rename answers %s", async (code) => {
    disk.refuses["rename"] = code;
    await writeFile(file, "what was there before");
    const changed = await placeFile(draft, file);
    expect(await readFile(file, "utf8")).toBe("new");
    expect((await stat(file)).mtimeMs).toBe(changed);
    expect(await readdir(folder)).toEqual(["file"]);
  });

  test("leaves a file as it was that it cannot write whole", async () => {
    disk.refuses = { rename: "EBUSY", write: "ENOSPC" };
    disk.writesLeft = 0;
    await writeFile(file, "");
    await expect(placeFile(draft, file)).rejects.toMatchObject({
      code: "ENOSPC",
    });
    expect(await readFile(file, "utf8")).toBe("");
    expect((await readdir(folder)).sort()).toEqual(["draft", "file"]);
  });

  test("keeps the old content beside a file that it can neither write nor put back", async () => {
    disk.refuses = { rename: "EBUSY", write: "EIO" };
    disk.writesLeft = 0;
    await writeFile(file, "old");
    const fault = await placeFile(draft, file).then(
      () => undefined,
      (error: { aside?: string }) => error,
    );
    expect(fault).toMatchObject({ code: "EIO" });
    expect(await readFile(fault?.aside ?? "", "utf8")).toBe("old");
  });
});

test("what a process that has ended left beside a file goes when that is overwritten the next time", async () => {
  disk.refuses = { rename: "EBUSY", write: "EIO" };
  disk.writesLeft = 0;
  await writeFile(file, "old");
  await placeFile(draft, file).catch(() => {});
  disk.refuses = {};
  const [left = ""] = (await readdir(folder)).filter((name) =>
    name.endsWith(".before"),
  );
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const ofPid = (other: number) =>
    left.replace(`-${process.pid}-`, `-${other}-`);
  await rename(join(folder, left), join(folder, ofPid(pid)));
  const others = [ofPid(process.pid), ofPid(1), ".gantry-0.before", "x.before"];
  for (const name of others) await writeFile(join(folder, name), "");

  disk.refuses = { rename: "EBUSY" };
  disk.writesLeft = Infinity;
  await placeFile(draft, file);
  expect((await readdir(folder)).sort()).toEqual([...others, "file"].sort());
});

describe("a draft that becomes a new file", () => {
  test.each([
    undefined,
    ...["EPERM", "EOPNOTSUPP", "ENOTSUP", "ENOSYS", "EXDEV", "EMLINK"],
  ])("does so where link answers %s", async (code) => {
    disk.refuses["link"] = code;
    const changed = await placeFile(draft, file, { isNew: true });
    expect(await readFile(file, "utf8")).toBe("new");
    expect((await stat(file)).mtimeMs).toBe(changed);
    expect(await readdir(folder)).toEqual(["file"]);
  });

  test.each([undefined, "EPERM"])(
    "takes no file's place where link answers %s",
    async (code) => {
      await writeFile(file, "another's");
      disk.refuses["link"] = code;
      await expect(
        placeFile(draft, file, { isNew: true }),
      ).rejects.toMatchObject({ code: "EEXIST" });
      expect(await readFile(file, "utf8")).toBe("another's");
    },
  );
});

test.each(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])(
  "a disk that flushes nothing (%s) is written to all the same",
  async (code) => {
    disk.refuses["fsync"] = code;
    await replaceFile(file, "written");
    await flush(folder);
    expect(await readFile(file, "utf8")).toBe("written");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  },
);

test("a fault of the disk while it flushes is told, and the file is as it was", async () => {
  await writeFile(file, "old");
  disk.refuses["fsync"] = "EIO";
  await expect(replaceFile(file, "new")).rejects.toMatchObject({ code: "EIO" });
  expect(await readFile(file, "utf8")).toBe("old");
  expect((await readdir(folder)).sort()).toEqual(["draft", "file"]);
});

test.each(["EPERM", "EXDEV", "EMLINK", "ENOSYS"])(
  "a file is copied where link answers %s",
  async (code) => {
    disk.refuses["link"] = code;
    await linkOrCopy(draft, file);
    expect(await readFile(file, "utf8")).toBe("new");
    expect((await stat(file)).ino).not.toBe((await stat(draft)).ino);
    await expect(linkOrCopy(draft, file)).rejects.toMatchObject({
      code: "EEXIST",
    });
  },
);
