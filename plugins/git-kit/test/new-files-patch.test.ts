import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openGit } from "./support/git.ts";
import { createHostileRepository } from "./support/hostile-repository.ts";
import { createRepository, plainGit } from "./support/repositories.ts";
import { temporaryFolder } from "@gantry/build/testing";

test("a new file is printed as git would add it, and the repository stays as it is", async () => {
  const folder = await createRepository();
  const outside = await temporaryFolder();
  await writeFile(join(outside, "secret"), "not ours\n");
  await symlink(outside, join(folder, "out"));
  await writeFile(join(folder, "run.sh"), "x\n");
  await chmod(join(folder, "run.sh"), 0o755);
  await mkdir(join(folder, "deep"));
  await writeFile(Buffer.from(`${folder}/deep/caf\xe9`, "latin1"), "y\n");
  const before = await readdir(join(folder, ".git"), { recursive: true });
  const git = await openGit();
  const patchOf = async (path: string | Uint8Array) =>
    (await git.newFilesPatch(folder, [path])).stdout;
  expect(await patchOf("run.sh")).toContain("new file mode 100755");
  const link = await patchOf("out");
  expect(link).toContain("new file mode 120000");
  expect(link).toContain(`+${outside}`);
  expect(await patchOf(Buffer.from("deep/caf\xe9", "latin1"))).toContain(
    '+++ "b/deep/caf\\351"\n@@ -0,0 +1 @@\n+y\n',
  );
  const through = await git.newFilesPatch(folder, ["out/secret"]);
  expect(through).toMatchObject({ stdout: "" });
  expect(through.code).not.toBe(0);
  expect(await readdir(join(folder, ".git"), { recursive: true })).toEqual(
    before,
  );
  await expect(
    git.newFilesPatch(folder, ["run.sh"], ["--no-index"]),
  ).rejects.toThrow(TypeError);
});

test(
  "no program of the repository's is run for it",
  { tags: "thorough" },
  async () => {
    const { folder, ran } = await createHostileRepository();
    await writeFile(join(folder, "new.txt"), "new\n");
    const git = await openGit();
    expect(await git.newFilesPatch(folder, ["new.txt"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("+new") as string,
    });
    expect(await ran()).toEqual([]);
  },
);

test("a path of other bytes than UTF-8 is one path, and output keeps its bytes", async () => {
  const folder = await createRepository();
  const names = ["caf\xe9", "caf\xe8"];
  for (const name of names)
    await writeFile(Buffer.from(`${folder}/${name}`, "latin1"), name);
  await plainGit(folder, "add", ".");
  const git = await openGit();
  for (const name of names) {
    const paths = [Buffer.from(name, "latin1"), "none"];
    const options = { paths, encoding: "latin1" } as const;
    const listed = await git(folder, "ls-files", ["-z"], options);
    expect(listed.stdout).toBe(`${name}\0`);
  }
});
