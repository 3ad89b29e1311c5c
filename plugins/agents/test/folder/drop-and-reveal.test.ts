import { execFile } from "node:child_process";
import {
  access,
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { createRepository, plainGit } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";

/** From midnight to the sweep: what comes after would be past the deadline of its work. */
const TO_SWEEP_MS = (3 * 60 + 40) * 60 * 1000;
const DATA = Buffer.from("a picture").toString("base64");

async function startIn(cwd: string, fakeTime = false) {
  const agents = await AgentsKernel.start({
    fakeTime,
    startAt: "2026-03-01T00:00:00.000Z",
  });
  const { id } = await agents.create({ cli: "practice", cwd });
  const post = async (operation: string, body: object) => {
    const path = `/api/agents/${id}/${operation}`;
    const answer = await agents.kernel.api.post<{
      code?: string;
      path: string;
    }>(path, body);
    return { ...answer, code: answer.body.code };
  };
  return { agents, post };
}

describe("drop", () => {
  test("puts an attachment out of git's sight, each under a name of its own", async () => {
    const cwd = await createRepository(join(await temporaryFolder(), "work"), {
      a: "",
    });
    const { agents, post } = await startIn(cwd);
    await using _ = agents.kernel;
    const [one, other] = await Promise.all([
      post("drop", { name: "shot 1.png", data: DATA }),
      post("drop", { name: "shot 1.png", data: DATA }),
    ]);
    expect(one.body.path).toMatch(/^\.gantry\/drop\/[0-9a-f]{10}-shot 1\.png$/);
    expect(other.body.path).not.toBe(one.body.path);
    expect(await readFile(join(cwd, one.body.path), "utf8")).toBe("a picture");
    expect(await plainGit(cwd, "status", "--porcelain")).toBe("");
  });

  test("refuses a name that is more than a name", async () => {
    const cwd = await temporaryFolder();
    const { agents, post } = await startIn(cwd);
    await using _ = agents.kernel;
    const names = [
      ...["../x", "a/b", "/etc/x", "..", ".git", "-a Terminal", "a\\b"],
      ...["\\\\evil\\share", "a\nb", "file:///x", "", "\u202egnp.exe"],
      "x".repeat(200),
    ];
    for (const name of names)
      expect((await post("drop", { name, data: DATA })).status, name).toBe(400);
    expect(await readdir(cwd)).toEqual([]);
  });

  test("follows no link out of the folder, and takes no more than 8 MB of base64", async () => {
    const outer = await temporaryFolder();
    const cwd = join(outer, "app");
    await mkdir(cwd);
    await symlink(outer, join(cwd, ".gantry"));
    const { agents, post } = await startIn(cwd);
    await using _ = agents.kernel;
    const { status, code } = await post("drop", { name: "x", data: DATA });
    expect([status, code]).toEqual([403, "PATH_OUTSIDE"]);
    expect(await readdir(outer)).toEqual(["app"]);
    const large = Buffer.alloc(8 * 1024 * 1024 + 3).toString("base64");
    for (const data of ["", "not base64!", "abc", large])
      expect((await post("drop", { name: "x", data })).code).toBe(
        "DROP_INVALID",
      );
  });

  test(
    "is swept after seven days, and nothing else is",
    { tags: "thorough" },
    async () => {
      const cwd = await temporaryFolder();
      const { agents, post } = await startIn(cwd, true);
      await using _ = agents.kernel;
      const { body } = await post("drop", { name: "old", data: DATA });
      const { body: young } = await post("drop", { name: "young", data: DATA });
      await writeFile(join(cwd, "mine"), "");
      const old = new Date("2026-02-22T00:00:00.000Z");
      const late = new Date("2026-02-28T00:00:00.000Z");
      await utimes(join(cwd, body.path), old, old);
      await utimes(join(cwd, young.path), late, late);
      await utimes(join(cwd, "mine"), old, old);
      await agents.kernel.clock.advance(TO_SWEEP_MS);
      await vi.waitFor(async () => {
        const left = await readdir(join(cwd, ".gantry/drop"));
        expect(left).toEqual([young.path.split("/").at(-1)]);
      });
      expect(await readdir(cwd)).toContain("mine");
    },
  );
});

((await canLock()) ? test : test.skip)(
  "an attachment that cannot be removed keeps neither others nor those of other agents, and is tried again",
  { tags: "thorough" },
  async () => {
    const cwd = await temporaryFolder();
    const { agents, post } = await startIn(cwd, true);
    await using _ = agents.kernel;
    const other = await agents.create({ cli: "practice" });
    const old = new Date("2026-02-22T00:00:00.000Z");
    const files: string[] = [];
    for (const name of ["one", "two", "three"]) {
      const { body } = await post("drop", { name, data: DATA });
      files.push(join(cwd, body.path));
    }
    const { body } = await agents.kernel.api.post<{ path: string }>(
      `/api/agents/${other.id}/drop`,
      { name: "four", data: DATA },
    );
    files.push(join(other.cwd, body.path));
    for (const file of files) await utimes(file, old, old);
    const [stuck = ""] = files.sort();
    await chattr("+i", stuck);
    try {
      await agents.kernel.clock.advance(TO_SWEEP_MS);
      await vi.waitFor(async () => {
        const left = await Promise.all(files.map((file) => exists(file)));
        expect(left).toEqual([true, false, false, false]);
      });
    } finally {
      await chattr("-i", stuck);
    }
    await agents.kernel.restart();
    await vi.waitFor(async () => expect(await exists(stuck)).toBe(false));
  },
);

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

/** Makes a file that cannot be removed, not even by root (`+i`), or one that can be (`-i`). */
const chattr = (flag: string, file: string) =>
  promisify(execFile)("chattr", [flag, file]);

/** Whether this machine can make such a file. */
async function canLock(): Promise<boolean> {
  const file = join(await mkdtemp(join(tmpdir(), "gantry-chattr-")), "file");
  await writeFile(file, "");
  const isLocked = await promisify(execFile)("chattr", ["+i", file]).then(
    () => true,
    () => false,
  );
  if (isLocked) await promisify(execFile)("chattr", ["-i", file]);
  await rm(dirname(file), { recursive: true });
  return isLocked;
}

describe("reveal", () => {
  test("shows the folder, and of a file the one that it is in, by its whole path", async () => {
    const outer = await temporaryFolder();
    const cwd = join(outer, "app");
    const tools = join(outer, "tools");
    await mkdir(join(cwd, "-a Terminal"), { recursive: true });
    await mkdir(tools);
    await writeFile(join(cwd, "-a Terminal/x.desktop"), "");
    await writeFile(
      join(tools, "xdg-open"),
      `#!/bin/sh\nfor word in "$@"; do echo "$word" >> ${outer}/called; done\n`,
    );
    await chmod(join(tools, "xdg-open"), 0o755);
    vi.stubEnv("PATH", [tools, process.env["PATH"]].join(delimiter));
    vi.stubEnv("DISPLAY", ":99");
    try {
      const { agents, post } = await startIn(cwd);
      await using _ = agents.kernel;
      expect((await post("reveal", {})).body).toEqual({ ok: true });
      await post("reveal", { path: "-a Terminal" });
      await post("reveal", { path: "-a Terminal/x.desktop" });
      for (const path of ["../", "/etc", "https://evil.example", "-a"])
        expect([403, 404]).toContain((await post("reveal", { path })).status);
      expect(
        (await readFile(join(outer, "called"), "utf8")).trim().split("\n"),
      ).toEqual([cwd, join(cwd, "-a Terminal"), join(cwd, "-a Terminal")]);
      await rm(join(tools, "xdg-open"));
      vi.stubEnv("PATH", tools);
      expect(await post("reveal", {})).toMatchObject({
        status: 503,
        code: "AGENT_TOOL_MISSING",
      });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("needs a screen", async () => {
    vi.stubEnv("DISPLAY", undefined);
    vi.stubEnv("WAYLAND_DISPLAY", undefined);
    const { agents, post } = await startIn(await temporaryFolder());
    await using _ = agents.kernel;
    expect(await post("reveal", {})).toMatchObject({
      status: 503,
      code: "AGENT_TOOL_MISSING",
    });
    vi.unstubAllEnvs();
  });
});
