import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";
import type { TrustRecord } from "../../src/records/trust-record.ts";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";

const HOOK = { hooks: { Stop: [{ hooks: [{ command: "true" }] }] } };
const SETTINGS = ".claude/settings.json";
const LOCAL = ".claude/settings.local.json";
const TRUSTED = { [SETTINGS]: JSON.stringify(HOOK) };

let agents: AgentsKernel;
let place: string;
beforeAll(async () => {
  agents = await AgentsKernel.start({
    clis: { claude: standIn("fake-claude") },
    limits: { openAgents: 100 },
  });
});
afterAll(() => agents.kernel.stop());
beforeEach(async () => void (place = await temporaryFolder()));

/** Starts the CLI in a folder, and gives the refusal's words, or "started". */
async function startIn(cwd: string): Promise<string> {
  const { id } = await agents.create({ cli: "claude", cwd });
  const { status, body } = await agents.kernel.api.post<{ detail?: string }>(
    `/api/agents/${id}/managed/start`,
  );
  await agents.kernel.api.delete(`/api/agents/${id}`, {});
  return status === 200 ? "started" : (body.detail ?? `${status}`);
}

async function trust(cwd: string): Promise<void> {
  const { id } = await agents.create({ cli: "claude", cwd });
  const answer = await agents.kernel.api.post(`/api/agents/${id}/trust`);
  expect(answer).toMatchObject({ status: 200, body: { trusted: true } });
}

const writeJson = (file: string, value: object) =>
  writeFile(file, JSON.stringify(value));

async function repositoryOf(name: string): Promise<string> {
  const folder = await createRepository(join(place, name), TRUSTED);
  await trust(folder);
  return folder;
}

async function worktreeOf(folder: string, path: string): Promise<string> {
  await plainGit(folder, "worktree", "add", "-q", path, "-b", "other");
  return path;
}

describe("what changed since trust is named", () => {
  test("by file and entry, with no value but those of permissions", async () => {
    const allow = ["Read"];
    await writeFiles(place, {
      ...TRUSTED,
      [LOCAL]: JSON.stringify({
        permissions: { allow },
        env: { TOKEN: "old" },
      }),
    });
    expect(await startIn(place)).toContain(`(${SETTINGS}, ${LOCAL})`);
    await trust(place);
    await writeJson(join(place, LOCAL), {
      permissions: {
        allow: [...allow, "Bash(npm test; true)"],
        deny: ["Edit"],
      },
      env: { TOKEN: "canary-new", OTHER: "canary-other" },
    });
    const detail = await startIn(place);
    expect(detail).toContain(
      `(changed since it was trusted: ${LOCAL}: added permissions.allow entry "Bash(npm test; true)", added permissions.deny entry "Edit", changed env.TOKEN, added env.OTHER)`,
    );
    expect(detail).not.toContain("canary");
    expect(detail).not.toContain(SETTINGS);
  });

  test.each<[string, (folder: string) => Promise<unknown>, string]>([
    [
      "a new file",
      (folder) => writeFiles(folder, { ".claude/hooks/x.sh": "true" }),
      ".claude/hooks/x.sh is new",
    ],
    [
      "a hook",
      (folder) =>
        writeJson(join(folder, SETTINGS), { hooks: { Stop: [], Start: [1] } }),
      `${SETTINGS}: added hooks.Start entry, removed hooks.Stop entry`,
    ],
    [
      "a file that is no JSON any more",
      (folder) => writeFile(join(folder, SETTINGS), "{ // comment\n}"),
      `${SETTINGS} has changed`,
    ],
    [
      "another order",
      (folder) =>
        writeFile(join(folder, SETTINGS), JSON.stringify(HOOK, null, 1)),
      `${SETTINGS} has changed`,
    ],
    [
      "a name that would redraw the screen",
      (folder) =>
        writeJson(join(folder, SETTINGS), { ...HOOK, "a\u202eb\u001b[2J": 1 }),
      `${SETTINGS}: added a`,
    ],
    [
      "far too many entries",
      (folder) =>
        writeJson(join(folder, SETTINGS), {
          list: Array.from(Array(5000).keys()),
        }),
      `${SETTINGS} has changed`,
    ],
  ])("%s", async (_, change, words) => {
    await writeFiles(place, TRUSTED);
    await trust(place);
    await change(place);
    const detail = await startIn(place);
    expect(detail).toContain(`changed since it was trusted: ${words}`);
    // eslint-disable-next-line no-control-regex -- control characters are what must not be there
    expect(detail).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(detail.length).toBeLessThan(2000);
  });
});

describe("a working tree of a trusted repository", () => {
  test.each(["../beside", ".trees/inside"])(
    "at %s is trusted with equal content, and asks with other content",
    async (path) => {
      const main = await repositoryOf("main");
      const tree = await worktreeOf(main, join(main, path));
      expect(await startIn(tree)).toBe("started");
      await mkdir(join(tree, "inner"));
      expect(await startIn(join(tree, "inner"))).toContain(".claude");
      await writeFiles(tree, { [LOCAL]: "{}" });
      expect(await startIn(tree)).toContain(LOCAL);
      expect(await startIn(main)).toBe("started");
    },
  );

  test("is known by the repository, which names it in turn", async () => {
    const main = await repositoryOf("main");
    const tree = await worktreeOf(main, join(place, "tree"));
    const claims: Record<string, string> = {
      common: `gitdir: ${main}/.git\n`,
      worktree: `gitdir: ${main}/.git/worktrees/tree\n`,
    };
    for (const [name, text] of Object.entries(claims)) {
      const folder = join(place, name);
      await writeFiles(folder, { ...TRUSTED, "evil.sh": "true", ".git": text });
      expect(await startIn(folder)).toContain(`(${SETTINGS})`);
    }
    const bare = join(place, "bare");
    await createRepository(bare, TRUSTED);
    await writeFile(join(bare, ".git/commondir"), `${main}/.git\n`);
    expect(await startIn(bare)).toContain(`(${SETTINGS})`);
    const clone = join(place, "clone");
    await plainGit(place, "clone", "-q", main, clone);
    expect(await startIn(clone)).toContain(`(${SETTINGS})`);
    expect(await startIn(tree)).toBe("started");
  });
});

test("trust that an earlier version stored holds, and then names changes", async () => {
  const folder = await repositoryOf("main");
  const { engine } = agents.kernel.kernel.foundation.core;
  for (const key of await engine.keys("agents:")) {
    const stored = (await engine.get(key)) as {
      v?: number;
      data?: Partial<TrustRecord>;
    };
    if (stored.data?.path !== folder) continue;
    const { repositoryKey: _, files: __, ...data } = stored.data;
    await engine.commit([
      { type: "set", key, value: { ...stored, v: 1, data } },
    ]);
  }
  await agents.kernel.restart();
  expect(await startIn(folder)).toBe("started");
  const tree = await worktreeOf(folder, join(place, "tree"));
  expect(await startIn(tree)).toBe("started");
  await writeJson(join(folder, SETTINGS), { ...HOOK, model: "x" });
  expect(await startIn(folder)).toContain(`${SETTINGS}: added model`);
});
