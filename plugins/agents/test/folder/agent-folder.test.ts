import { execFile } from "node:child_process";
import {
  chmod,
  link,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { writeFiles } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";

let agents: AgentsKernel;
let outer: string;
let cwd: string;
let id: string;

beforeAll(async () => {
  agents = await AgentsKernel.start();
});
afterAll(() => agents.kernel.stop());
beforeEach(async () => {
  outer = await temporaryFolder();
  cwd = join(outer, "app");
  await writeFiles(outer, {
    "app/a.txt": "one\n",
    "app/sub/b.txt": "b\n",
    "app-secret/x": "secret",
    "secret.txt": "secret",
  });
  ({ id } = await agents.create({ cli: "practice", cwd }));
});

const get = async (operation: string, query: Record<string, string> = {}) => {
  const { status, body } = await agents.kernel.api.get<{
    code?: string;
    detail?: string;
    [field: string]: unknown;
  }>(`/api/agents/${id}/${operation}`, query);
  return { status, body, code: body.code };
};
const put = async (path: string, text: string, mtime: number | null) => {
  const { status, body } = await agents.kernel.api.put<{
    code?: string;
    mtime: number;
  }>(`/api/agents/${id}/text`, { path, text, mtime });
  return { status, body, code: body.code };
};
const mtimeOf = async (path: string) => {
  const { body } = await get("text", { path });
  return body["mtime"] as number;
};

describe("a path that leads out of the folder is refused, and tells nothing", () => {
  test.each([
    ["a parent", "../secret.txt"],
    ["a sibling with the same beginning", "../app-secret/x"],
    ["a parent in the middle", "sub/../../secret.txt"],
    ["an absolute path", "/etc/passwd"],
    ["an absolute path of a parent", "//etc/passwd"],
    ["even one back into the folder", "sub/../a.txt"],
  ])("%s", async (_, path) => {
    for (const [operation, name] of [
      ["text", "path"],
      ["file", "path"],
      ["blob", "path"],
      ["browse", "dir"],
    ] as const) {
      const { status, code, body } = await get(operation, { [name]: path });
      expect([operation, status, code]).toEqual([
        operation,
        403,
        "PATH_OUTSIDE",
      ]);
      expect(JSON.stringify(body)).not.toContain(outer);
    }
    expect((await put(path, "x", null)).code).toBe("PATH_OUTSIDE");
  });

  test.each([
    ["to a file", () => join(outer, "secret.txt")],
    ["to what is not there", () => join(outer, "nothing")],
    ["by a relative way", () => "../secret.txt"],
    ["to a file that only root reads", () => "/etc/shadow"],
  ])("a link %s", async (_, target) => {
    await symlink(target(), join(cwd, "link"));
    const { status, code } = await get("text", { path: "link" });
    expect([status, code]).toEqual([403, "PATH_OUTSIDE"]);
    expect((await put("link", "x", null)).code).toBe("PATH_OUTSIDE");
    expect(await readFile(join(outer, "secret.txt"), "utf8")).toBe("secret");
  });

  test("a link to a folder, and a chain of links", async () => {
    await symlink(outer, join(cwd, "up"));
    await symlink("up", join(cwd, "chain0"));
    for (let count = 1; count < 30; count++)
      await symlink(`chain${count - 1}`, join(cwd, `chain${count}`));
    for (const path of ["up/secret.txt", "chain29/secret.txt"])
      expect((await get("text", { path })).code, path).toBe("PATH_OUTSIDE");
    expect((await get("browse", { dir: "up" })).code).toBe("PATH_OUTSIDE");
    expect((await put("up/new.txt", "x", null)).code).toBe("PATH_OUTSIDE");
  });

  test("a circle of links is no path, and a link inside is followed where it leads", async () => {
    await symlink("round", join(cwd, "round"));
    expect((await get("text", { path: "round" })).code).toBe("PATH_INVALID");
    await symlink(join(cwd, "sub"), join(cwd, "inside"));
    const { body } = await get("text", { path: "inside/b.txt" });
    expect(body).toMatchObject({ text: "b\n", path: "inside/b.txt" });
    const mtime = await mtimeOf("inside/b.txt");
    expect((await put("inside/b.txt", "new", mtime)).status).toBe(200);
    expect(await readFile(join(cwd, "sub/b.txt"), "utf8")).toBe("new");
  });

  test(
    "a folder that becomes a link while it is read, again and again",
    { tags: "thorough" },
    async () => {
      await writeFiles(outer, { "decoy/b.txt": "secret" });
      let isOver = false;
      const swapping = (async () => {
        while (!isOver) {
          await rename(join(cwd, "sub"), join(outer, "aside"));
          await symlink(join(outer, "decoy"), join(cwd, "sub"));
          await new Promise(setImmediate);
          await rm(join(cwd, "sub"));
          await rename(join(outer, "aside"), join(cwd, "sub"));
          await new Promise(setImmediate);
        }
      })();
      const seen = new Set<string>();
      for (let count = 0; count < 150; count++) {
        const read = await get("text", { path: "sub/b.txt" });
        seen.add(read.code ?? String(read.body["text"]));
        const made = await put(`sub/new-${count}.txt`, "x", null);
        seen.add(made.code ?? "written");
      }
      isOver = true;
      await swapping;
      expect([...seen].filter((one) => one === "secret")).toEqual([]);
      expect([...seen]).toEqual(expect.arrayContaining(["PATH_OUTSIDE"]));
      const inDecoy = await promisify(execFile)("ls", [join(outer, "decoy")]);
      expect(inDecoy.stdout).toBe("b.txt\n");
    },
  );

  test("the daemon's own folder, which may lie in that of an agent", async () => {
    const { home } = agents.kernel;
    const wide = await agents.create({ cli: "practice", cwd: "/" });
    const path = join(home, "token").slice(1);
    const { body } = await agents.kernel.api.get<{ code: string }>(
      `/api/agents/${wide.id}/text`,
      { path },
    );
    expect(body.code).toBe("PATH_PROTECTED");
    // What an agent made there is its own.
    const own = await agents.create({ cli: "practice" });
    await writeFile(join(own.cwd, "x.txt"), "x");
    const text = await agents.kernel.api.get(`/api/agents/${own.id}/text`, {
      path: "x.txt",
    });
    expect(text.status).toBe(200);
  });
});

describe("what is no file", () => {
  test.each([
    "a\0b",
    "x".repeat(5000),
    "y".repeat(300),
    "z/".repeat(200),
    `${"é".repeat(200)}`,
  ])("is refused before anything is looked at: %j", async (path) => {
    const { status, code } = await get("text", { path });
    expect([status, code]).toEqual([400, "PATH_INVALID"]);
  });

  test("a pipe, a socket, a device and a folder are refused and not read", async () => {
    await promisify(execFile)("mkfifo", [join(cwd, "pipe")]);
    const server = createServer().listen(join(cwd, "socket"));
    await writeFile(join(cwd, "empty"), "");
    // A daemon that opened the pipe or read the device would never answer.
    for (const path of ["pipe", "socket", "sub", ""]) {
      expect((await get("text", { path })).code, path).toBe("FILE_NOT_REGULAR");
      expect((await get("blob", { path })).code, path).toBe("FILE_NOT_REGULAR");
    }
    const all = await agents.create({ cli: "practice", cwd: "/" });
    for (const path of ["dev/zero", "proc/self/environ", "proc/1/cmdline"]) {
      const { body } = await agents.kernel.api.get<{ code: string }>(
        `/api/agents/${all.id}/text`,
        { path },
      );
      expect(body.code, path).toBe("FILE_NOT_REGULAR");
    }
    server.close();
    const { code } = await get("browse", { dir: "a.txt" });
    expect(code).toBe("FOLDER_EXPECTED");
    expect((await get("text", { path: "gone.txt" })).status).toBe(404);
  });

  test("a folder that is gone is said to be", async () => {
    await rm(cwd, { recursive: true });
    for (const operation of [
      "browse",
      "files",
      "git",
      "gitstatus",
      "delivery",
      "pr",
    ])
      expect((await get(operation)).code, operation).toBe("AGENT_FOLDER_GONE");
  });
});

describe("reading", () => {
  test("text comes as it is, byte order mark and all, with its time", async () => {
    await writeFile(join(cwd, "bom.txt"), "\ufeffÄ\r\n");
    const { body } = await get("text", { path: "bom.txt" });
    const { mtimeMs } = await stat(join(cwd, "bom.txt"));
    expect(body).toEqual({
      path: "bom.txt",
      text: "\ufeffÄ\r\n",
      bytes: 7,
      mtime: mtimeMs,
    });
  });

  test("what is too large or no text is refused, of whatever size", async () => {
    await writeFile(join(cwd, "latin.txt"), Buffer.from([0xe4, 0x0a]));
    await writeFile(join(cwd, "nul.txt"), "a\0b");
    await writeFile(join(cwd, "huge"), "");
    await truncate(join(cwd, "huge"), 10 * 1024 ** 3);
    expect((await get("text", { path: "latin.txt" })).status).toBe(415);
    expect((await get("text", { path: "nul.txt" })).code).toBe("FILE_NOT_TEXT");
    expect((await get("text", { path: "huge" })).code).toBe("FILE_TOO_LARGE");
    expect((await get("file", { path: "huge" })).status).toBe(413);
  });

  test("a picture is what its first bytes say", async () => {
    const png = Buffer.from("89504e470d0a1a0a0000", "hex");
    await writeFile(join(cwd, "picture.txt"), png);
    await writeFile(join(cwd, "text.png"), "<script>");
    expect((await get("file", { path: "picture.txt" })).body).toMatchObject({
      mimeType: "image/png",
      data: png.toString("base64"),
      bytes: 10,
    });
    expect((await get("file", { path: "text.png" })).code).toBe(
      "FILE_NOT_PICTURE",
    );
  });

  test("a level has folders first, and links that are not followed", async () => {
    await symlink("/etc", join(cwd, "etc"));
    await writeFile(join(cwd, "a10.txt"), "");
    await writeFile(join(cwd, "a9.txt"), "");
    const { body } = await get("browse");
    expect(body).toEqual({
      dir: "",
      items: [
        { name: "sub", path: "sub", kind: "folder" },
        { name: "a.txt", path: "a.txt", kind: "file" },
        { name: "a9.txt", path: "a9.txt", kind: "file" },
        { name: "a10.txt", path: "a10.txt", kind: "file" },
        { name: "etc", path: "etc", kind: "link" },
      ],
      truncated: false,
    });
    const below = await get("browse", { dir: "./sub/" });
    expect(below.body).toMatchObject({
      dir: "sub",
      items: [{ path: "sub/b.txt" }],
    });
  });
});

describe("writing", () => {
  test("a text replaces the one that was read, whole, and keeps the mode", async () => {
    await chmod(join(cwd, "a.txt"), 0o750);
    const mtime = await mtimeOf("a.txt");
    const { status, body } = await put("a.txt", "zwei\n", mtime);
    expect(status).toBe(200);
    const { mode, mtimeMs } = await stat(join(cwd, "a.txt"));
    expect([mode & 0o7777, mtimeMs]).toEqual([0o750, body.mtime]);
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("zwei\n");
    const listed = await get("browse");
    expect(JSON.stringify(listed.body)).not.toContain(".tmp");
  });

  test("one that changed, is gone, or is there already is left as it is", async () => {
    const mtime = await mtimeOf("a.txt");
    await writeFile(join(cwd, "a.txt"), "by the agent\n");
    expect(await put("a.txt", "x", mtime)).toMatchObject({
      status: 409,
      code: "FILE_CHANGED",
    });
    expect((await put("a.txt", "x", null)).code).toBe("FILE_CHANGED");
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("by the agent\n");
    await rm(join(cwd, "a.txt"));
    expect((await put("a.txt", "x", mtime)).code).toBe("FILE_CHANGED");
    expect((await put("a.txt", "x", null)).status).toBe(200);
  });

  test("of many who write at once, exactly one wins", async () => {
    const mtime = await mtimeOf("a.txt");
    const writers = Array.from({ length: 8 }, (_, index) =>
      put("a.txt", `${index}`, mtime),
    );
    const makers = Array.from({ length: 8 }, (_, index) =>
      put("new.txt", `${index}`, null),
    );
    for (const group of [writers, makers]) {
      const ends = (await Promise.all(group)).map(({ status }) => status);
      expect(ends.sort()).toEqual([200, ...Array(7).fill(409)]);
    }
  });

  test("a hard link elsewhere keeps what it has, and that is said", async () => {
    await link(join(cwd, "a.txt"), join(outer, "other-name"));
    const { status, body } = await put("a.txt", "new", await mtimeOf("a.txt"));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      notices: [expect.stringContaining("2 names (hard links)")],
    });
    expect(await readFile(join(outer, "other-name"), "utf8")).toBe("one\n");
  });

  test("what is git's, read-only, a folder or too long is not written", async () => {
    await mkdir(join(cwd, ".git/hooks"), { recursive: true });
    for (const path of [
      ".git/config",
      ".git/hooks/pre-commit",
      ".GIT/config",
      "sub/.git",
      ".git\u200c/config",
    ])
      expect((await put(path, "x", null)).code, path).toMatch(
        /^PATH_(PROTECTED|NOT_FOUND)$/,
      );
    expect((await put(".git/config", "x", null)).code).toBe("PATH_PROTECTED");
    await symlink(".git", join(cwd, "dot"));
    expect((await put("dot/config", "x", null)).code).toBe("PATH_PROTECTED");
    await chmod(join(cwd, "a.txt"), 0o444);
    expect((await put("a.txt", "x", await mtimeOf("a.txt"))).code).toBe(
      "FILE_READ_ONLY",
    );
    expect((await put("sub", "x", null)).code).toBe("FILE_NOT_REGULAR");
    expect((await put("nowhere/x", "x", null)).code).toBe("PATH_NOT_FOUND");
    expect((await put("new", "x".repeat(1024 * 1024 + 1), null)).code).toBe(
      "FILE_TOO_LARGE",
    );
    expect((await put("new", "\ud800", null)).status).toBe(400);
  });
});
