import { existsSync } from "node:fs";
import {
  chmod,
  mkdir,
  readFile,
  rm,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";
import { createViews } from "./support/create-views.ts";
import { Discarding, readState } from "./support/discarding.ts";

const openView = createViews();

async function fresh(files: Record<string, string | Uint8Array>) {
  const cwd = await createRepository(
    join(await temporaryFolder(), "work"),
    files,
  );
  return { cwd, view: new Discarding(await openView(cwd)) };
}

describe("files", () => {
  test("become as the last commit has them, whatever happened to them and whatever their name is, and come back", async () => {
    const odd = "caf\\351.txt";
    const { cwd, view } = await fresh({
      ...{ a: "1\r\n2", gone: "g\n", run: "#!/bin/sh\n", "-x": "" },
      ...{ staged: "s\n", both: "b\n", moved: "m\n".repeat(20) },
      ...{ "é\n→": "n\n", picture: Buffer.from([0, 255, 1]) },
    });
    await chmod(join(cwd, "run"), 0o755);
    await symlink("a", join(cwd, "link"));
    await plainGit(cwd, "add", ".");
    await plainGit(cwd, "commit", "-qm", "Two");
    const committed = await readState(cwd);
    await rm(join(cwd, "gone"));
    await rm(join(cwd, "link"));
    await symlink("run", join(cwd, "link"));
    await chmod(join(cwd, "run"), 0o644);
    await writeFiles(cwd, {
      ...{ a: "2\n", "-x": "x\n", ":(top)b": "b\n", "d/*": "s\n" },
      ...{ "é\n→": "other", picture: Buffer.from([0, 255, 2]) },
      ...{ staged: "S\n", both: "B\n", secret: "x" },
    });
    await chmod(join(cwd, "secret"), 0o600);
    await plainGit(cwd, "mv", "moved", "there");
    await writeFile(Buffer.from(`${cwd}/caf\xe9.txt`, "latin1"), "c\n");
    await plainGit(cwd, "add", "staged", "both", "d/*", "gone");
    await writeFiles(cwd, { both: "again\n" });
    const changed = await readState(cwd);
    const paths = [
      ...["a", "gone", "run", "-x", ":(top)b", "é\n→", "d/*", odd, "link"],
      ...["staged", "both", "there", "picture", "secret"],
    ];
    const { status, body } = await view.files(...paths);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(await readState(cwd)).toBe(committed);
    expect(await plainGit(cwd, "status", "--porcelain")).toBe("");
    expect(await view.list()).toEqual([
      expect.objectContaining({
        undoId: body.undoId,
        paths: paths.slice(0, 5),
        isHunk: false,
      }),
    ]);
    const undone = await view.undo(body.undoId);
    expect(undone.status, JSON.stringify(undone.body)).toBe(200);
    expect(await readState(cwd)).toBe(changed);
    expect(await view.list()).toEqual([]);
    await view.undo(undone.body.undoId);
    expect(await readState(cwd)).toBe(committed);
    expect(await view.list()).toHaveLength(1);
  });

  test("are written as git writes them, whatever form they have in the folder", async () => {
    const texts = { a: "1\r\n2\r\n", b: "1\r\n2\r\n", id: "$Id$\r\n" };
    const wide = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");
    const cwd = await createRepository(join(await temporaryFolder(), "work"), {
      ...{ ...texts, wide: wide("1\n") },
      ".gitattributes":
        "b text eol=crlf\nid ident\nwide working-tree-encoding=UTF-16LE-BOM\n",
    });
    await plainGit(cwd, "config", "core.autocrlf", "true");
    await plainGit(cwd, "add", "--renormalize", ".");
    await plainGit(cwd, "commit", "-qm", "Two");
    const paths = [...Object.keys(texts), "wide"];
    for (const path of paths) await rm(join(cwd, path));
    await plainGit(cwd, "checkout", ".");
    const committed = await readState(cwd);
    for (const [path, text] of Object.entries(texts))
      await writeFiles(cwd, { [path]: `${text}3\n` });
    await writeFiles(cwd, { wide: wide("3\n") });
    const changed = await readState(cwd);
    const view = new Discarding(await openView(cwd));
    const { body } = await view.files(...paths);
    expect(await readState(cwd)).toBe(committed);
    expect(await plainGit(cwd, "status", "--porcelain")).toBe("");
    await view.undo(body.undoId);
    expect(await readState(cwd)).toBe(changed);
  });

  test("that need a filter of the repository are read through it once the user lets git run it", async () => {
    const { cwd, view } = await fresh({
      ...{ a: "one\n", ".gitattributes": "a filter=upper\n" },
    });
    await plainGit(cwd, "config", "filter.upper.clean", "tr A-Z a-z");
    await plainGit(cwd, "config", "filter.upper.smudge", "tr a-z A-Z");
    await writeFiles(cwd, { a: "TWO\n" });
    expect((await view.files("a")).body.code).toBe("GIT_PROGRAMS_NEEDED");
    expect((await view.hunk("a", 0)).body.code).toBe("GIT_PROGRAMS_NEEDED");
    await view.trust();
    expect((await view.hunk("a", 0)).body.code).toBe("GIT_DISCARD_IMPOSSIBLE");
    const { body } = await view.files("a");
    expect(await readFile(join(cwd, "a"), "utf8")).toBe("ONE\n");
    expect((await view.patch("a")).patch).toBe("");
    await view.undo(body.undoId);
    expect(await readFile(join(cwd, "a"), "utf8")).toBe("TWO\n");
  });

  test(
    "that no snapshot keeps come back too, and what is too large to be kept is refused",
    { tags: "thorough" },
    async () => {
      const { cwd, view } = await fresh({ ".gitignore": "*.log\n", big: "" });
      await writeFiles(cwd, { "a.log": "log\n" });
      await truncate(join(cwd, "big"), 33 * 1024 * 1024);
      await plainGit(cwd, "add", "-f", "a.log");
      const { body } = await view.files("a.log");
      expect(existsSync(join(cwd, "a.log"))).toBe(false);
      await view.undo(body.undoId);
      expect(await readFile(join(cwd, "a.log"), "utf8")).toBe("log\n");
      expect(await plainGit(cwd, "status", "--porcelain", "a.log")).toBe(
        "A  a.log",
      );
      expect(await view.files("a.log", "big")).toMatchObject({
        status: 413,
        body: { code: "FILE_TOO_LARGE" },
      });
      expect(existsSync(join(cwd, "a.log"))).toBe(true);
    },
  );

  test(
    "below the top of the repository, and before the first commit",
    { tags: "thorough" },
    async () => {
      const cwd = join(await temporaryFolder(), "work");
      await writeFiles(cwd, { "in/a": "1\n", "in/b": "2\n", a: "other\n" });
      await plainGit(cwd, "init", "-q", "-b", "main");
      await plainGit(cwd, "add", ".");
      const view = new Discarding(await openView(join(cwd, "in")));
      const before = await readState(cwd);
      const { status, body } = await view.files("a");
      expect(status, JSON.stringify(body)).toBe(200);
      expect(await plainGit(cwd, "ls-files")).toBe("a\nin/b");
      await view.undo(body.undoId);
      expect(await readState(cwd)).toBe(before);
      await plainGit(cwd, "commit", "-qm", "One");
      expect(await view.list()).toEqual([]);
      await writeFiles(cwd, { "in/a": "2\n", a: "3\n" });
      const second = await view.files("a");
      expect(second.status).toBe(200);
      expect(await plainGit(cwd, "status", "--porcelain")).toBe("M a");
      expect(await view.list()).toHaveLength(1);
    },
  );

  test("that changed since are only put back if that is asked for", async () => {
    const { cwd, view } = await fresh({ a: "1\n", b: "1\n" });
    await writeFiles(cwd, { a: "2\n", b: "2\n" });
    await plainGit(cwd, "add", "b");
    const first = await view.files("a");
    // With times that the index does not have, git would print files that are equal.
    expect((await view.patch("a")).patch).toBe("");
    await writeFiles(cwd, { a: "mine\n" });
    const refused = await view.undo(first.body.undoId);
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "FILES_CHANGED_SINCE" },
    });
    expect(await readFile(join(cwd, "a"), "utf8")).toBe("mine\n");
    const forced = await view.undo(first.body.undoId, { overwrite: true });
    expect(await readFile(join(cwd, "a"), "utf8")).toBe("2\n");
    await view.undo(forced.body.undoId);
    expect(await readFile(join(cwd, "a"), "utf8")).toBe("mine\n");
    const second = await view.files("b");
    await writeFiles(cwd, { b: "3\n" });
    await plainGit(cwd, "add", "b");
    await writeFiles(cwd, { b: "1\n" });
    expect((await view.undo(second.body.undoId)).body.code).toBe(
      "FILES_CHANGED_SINCE",
    );
    expect(
      (await view.undo(second.body.undoId, { overwrite: true })).status,
    ).toBe(200);
    expect(await plainGit(cwd, "status", "--porcelain", "b")).toBe("M  b");
  });

  test(
    "are refused where they cannot be discarded, and all stay as they are",
    { tags: "thorough" },
    async () => {
      const { cwd, view } = await fresh({ a: "1\n", b: "1\n", "sub/x": "x\n" });
      const outside = await temporaryFolder();
      await writeFiles(outside, { x: "theirs\n" });
      await createRepository(join(cwd, "inner"), { f: "f\n" });
      await createRepository(join(cwd, "module"), { f: "f\n" });
      await plainGit(cwd, "add", "module");
      await writeFiles(cwd, {
        ...{ a: "2\n", b: "2\n", ignored: "i\n", "module/f": "g\n" },
        ".git/info/exclude": "ignored\n",
      });
      await rm(join(cwd, "sub"), { recursive: true });
      await symlink(outside, join(cwd, "sub"));
      await mkdir(join(cwd, "folder"));
      const before = await readState(cwd);
      for (const [path, code] of [
        ["../x", "PATH_OUTSIDE"],
        [".git/config", "PATH_PROTECTED"],
        ["sub/x", "PATH_OUTSIDE"],
        ["inner/f", "GIT_DISCARD_IMPOSSIBLE"],
        ["module", "GIT_DISCARD_IMPOSSIBLE"],
        ["module/f", "GIT_DISCARD_IMPOSSIBLE"],
        ["ignored", "GIT_DISCARD_IMPOSSIBLE"],
        ["folder", "GIT_DISCARD_IMPOSSIBLE"],
        ["nothing", "GIT_DISCARD_IMPOSSIBLE"],
      ] as const) {
        const { body } = await view.files("a", path);
        expect([path, body.code]).toEqual([path, code]);
      }
      expect(await readState(cwd)).toBe(before);
      expect(await readFile(join(outside, "x"), "utf8")).toBe("theirs\n");
      await writeFiles(cwd, { ".git/index.lock": "" });
      await plainGit(cwd, "status");
      const busy = await view.files("a");
      expect(busy.status).toBe(200);
      await rm(join(cwd, ".git/index.lock"));
      await plainGit(cwd, "add", "b");
      await writeFiles(cwd, { ".git/index.lock": "" });
      expect((await view.files("b")).body.code).toBe("GIT_BUSY");
      expect(await readFile(join(cwd, "b"), "utf8")).toBe("2\n");
      expect(await view.list()).toHaveLength(1);
    },
  );

  test("in conflict are refused", async () => {
    const { cwd, view } = await fresh({ a: "1\n" });
    await plainGit(cwd, "switch", "-qc", "other");
    await writeFiles(cwd, { a: "2\n" });
    await plainGit(cwd, "commit", "-qam", "Two");
    await plainGit(cwd, "switch", "-q", "main");
    await writeFiles(cwd, { a: "3\n" });
    await plainGit(cwd, "commit", "-qam", "Three");
    await plainGit(cwd, "merge", "other").catch(() => {});
    const before = await readState(cwd);
    expect((await view.files("a")).body.code).toBe("GIT_CONFLICTED");
    expect(await readState(cwd)).toBe(before);
  });
});
