import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import type { RepositoryView } from "../help/repository-view.ts";
import { temporaryFolder } from "../help/temporary.ts";
import { createViews } from "./support/create-views.ts";
import { startGitServer } from "./support/git-server.ts";

const openView = createViews();

interface Shipping {
  push: Record<string, unknown> | null;
  pushFault: string | null;
  programs: { mark: string };
}

/** A repository on a branch with two commits, and a bare one that it came from. */
async function cloned() {
  const outer = await temporaryFolder();
  const cwd = join(outer, "work");
  await createRepository(cwd, { a: "1\n" });
  await plainGit(outer, "clone", "-q", "--bare", "work", "remote.git");
  const remote = join(outer, "remote.git");
  await plainGit(remote, "config", "http.receivepack", "true");
  await plainGit(cwd, "remote", "add", "origin", remote);
  await plainGit(cwd, "fetch", "-q");
  await plainGit(cwd, "switch", "-qc", "feature/tax", "--track", "origin/main");
  for (const subject of ["Two", "Three"])
    await plainGit(cwd, "commit", "-q", "--allow-empty", "-m", subject);
  return { outer, cwd, remote };
}

const readState = async (view: RepositoryView) =>
  (await view.get<Shipping>("git/shipping")).body;

const trust = async (view: RepositoryView) =>
  await view.post("git/programs", {
    mark: (await readState(view)).programs.mark,
    trusted: true,
  });

const subjects = (folder: string, branch: string) =>
  plainGit(folder, "log", "--format=%s", branch);

describe("a push over HTTP", () => {
  test("goes to the branch of the same name whatever the branch follows, and runs no hook", async () => {
    const { outer, cwd, remote } = await cloned();
    await using server = await startGitServer(outer);
    await plainGit(
      cwd,
      "remote",
      "set-url",
      "origin",
      `${server.url.replace("//", "//ann:secret@")}/remote.git`,
    );
    await writeFiles(cwd, { ".git/hooks/pre-push": "#!/bin/sh\nexit 1\n" });
    await chmod(join(cwd, ".git/hooks/pre-push"), 0o755);
    const view = await openView(cwd);
    expect(await readState(view)).toMatchObject({
      push: {
        ...{ remote: "origin", branch: "feature/tax", commits: 2, behind: 0 },
        ...{ isDefault: false, isNew: true },
        address: `${server.url}/remote.git`,
        command: "git push -u origin HEAD:refs/heads/feature/tax",
      },
      pushFault: null,
    });
    const { status, body } = await view.post("git/push", {});
    expect(
      [status, body["remote"], body["branch"]],
      JSON.stringify(body),
    ).toEqual([200, "origin", "feature/tax"]);
    expect(JSON.stringify(body)).not.toContain("secret");
    expect(await subjects(remote, "feature/tax")).toBe("Three\nTwo\nBegin");
    expect(await subjects(remote, "main")).toBe("Begin");
    expect(
      await plainGit(cwd, "rev-parse", "--abbrev-ref", "@{upstream}"),
    ).toBe("origin/feature/tax");
    expect((await readState(view)).push).toMatchObject({
      commits: 0,
      isNew: false,
    });
  });

  test("overwrites nothing", async () => {
    const { outer, cwd, remote } = await cloned();
    await using server = await startGitServer(outer);
    await plainGit(cwd, "push", "-q", "origin", "HEAD:refs/heads/feature/tax");
    await plainGit(cwd, "reset", "-q", "--hard", "HEAD~1");
    await plainGit(cwd, "commit", "-q", "--allow-empty", "-m", "Other");
    await plainGit(
      cwd,
      "remote",
      "set-url",
      "origin",
      `${server.url}/remote.git`,
    );
    const view = await openView(cwd);
    expect((await readState(view)).push).toMatchObject({
      behind: 1,
      commits: 1,
    });
    const { body } = await view.post("git/push", {});
    expect(body).toMatchObject({ status: 409, code: "GIT_PUSH_REJECTED" });
    expect(body["detail"]).toContain("git pull --rebase");
    expect(await subjects(remote, "feature/tax")).toBe("Three\nTwo\nBegin");
  });

  test("tells where no server answers, or no repository is", async () => {
    const { outer, cwd } = await cloned();
    await using server = await startGitServer(outer);
    const view = await openView(cwd);
    for (const url of ["http://127.0.0.1:1/x.git", `${server.url}/none.git`]) {
      await plainGit(cwd, "remote", "set-url", "origin", url);
      const { body } = await view.post("git/push", {});
      expect([url, body.code]).toEqual([url, "GIT_REMOTE_UNREACHABLE"]);
    }
  });
});

describe("a push to a folder", () => {
  test("starts programs, so it needs the user's leave", async () => {
    const { cwd, remote } = await cloned();
    const view = await openView(cwd);
    const refused = await view.post("git/push", {});
    expect(refused.body).toMatchObject({
      status: 403,
      code: "GIT_PROGRAMS_NEEDED",
    });
    await trust(view);
    const { status, body } = await view.post("git/push", {});
    expect(status, JSON.stringify(body)).toBe(200);
    expect(await subjects(remote, "feature/tax")).toBe("Three\nTwo\nBegin");
    expect(
      await plainGit(cwd, "rev-parse", "--abbrev-ref", "@{upstream}"),
    ).toBe("origin/feature/tax");
  });

  test("tells what hooks on both sides refuse", async () => {
    const { cwd, remote } = await cloned();
    const hook = async (folder: string, name: string, script: string) => {
      await writeFiles(folder, { [name]: `#!/bin/sh\n${script}\n` });
      await chmod(join(folder, name), 0o755);
    };
    await hook(cwd, ".git/hooks/pre-push", "echo tests fail >&2; exit 1");
    const view = await openView(cwd);
    await trust(view);
    const own = await view.post("git/push", {});
    expect(own.body).toMatchObject({ status: 409, code: "GIT_HOOK_FAILED" });
    expect(own.body["output"]).toContain("tests fail");
    await hook(cwd, ".git/hooks/pre-push", "exit 0");
    await trust(view);
    await hook(remote, "hooks/pre-receive", "echo no pushes today; exit 1");
    const theirs = await view.post("git/push", {});
    expect(theirs.body).toMatchObject({
      status: 409,
      code: "GIT_PUSH_REJECTED",
    });
    expect(theirs.body["detail"]).toContain("no pushes today");
  });
});

test("a branch without a remote, or no branch, has no push, and is told why", async () => {
  const cwd = join(await temporaryFolder(), "work");
  await createRepository(cwd, { a: "1\n" });
  const view = await openView(cwd);
  expect(await readState(view)).toMatchObject({
    push: null,
    pushFault: expect.stringContaining("git remote add") as unknown,
  });
  const { body } = await view.post("git/push", {});
  expect(body).toMatchObject({ status: 409, code: "GIT_PUSH_IMPOSSIBLE" });
});
