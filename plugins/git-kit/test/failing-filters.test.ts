import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cases, temporaryFolder } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { openGit, openRun } from "./support/git.ts";
import { createRepository, plainGit } from "./support/repositories.ts";

const REQUIRED = "\trequired = true\n";
const FILTERS: Readonly<Record<string, string>> = {
  "a process that is not installed": `\tprocess = no-such-filter filter-process\n\tclean = no-such-filter clean\n${REQUIRED}`,
  "a program that is not installed": `\tclean = no-such-filter clean -- %f\n${REQUIRED}`,
  "a program that fails": `\tclean = false\n${REQUIRED}`,
  "a process that ends": `\tprocess = true\n${REQUIRED}`,
};

test.each(cases(Object.entries(FILTERS), 1))(
  "%s hides no other file, and is named",
  async (_, filter) => {
    const home = await temporaryFolder();
    await mkdir(home, { recursive: true });
    // The other one works, and stays in use.
    const settings = `[filter "bad"]\n${filter}[filter "good"]\n\tclean = tr a-z A-Z\n`;
    await writeFile(join(home, ".gitconfig"), settings);
    const folder = await createRepository();
    await writeFile(join(folder, "b.bin"), "one\n");
    await writeFile(join(folder, "c.up"), "up\n");
    await plainGit(folder, "add", ".");
    await plainGit(folder, "commit", "-qm", "More");
    const attributes = "*.bin filter=bad\n*.up filter=good\n";
    await writeFile(join(folder, ".gitattributes"), attributes);
    await writeFile(join(folder, "b.bin"), "two\n");
    await writeFile(join(folder, "c.up"), "upper\n");
    await writeFile(join(folder, "new.bin"), "new\n");
    const git = await openGit(await openRun({ HOME: home }));
    const status = await git(folder, "status", ["--porcelain"]);
    expect(status).toMatchObject({ code: 0 });
    expect(status.stdout).toContain(" M b.bin\n M c.up\n");
    expect(status.stderr).toContain('filter "bad" failed');
    const diff = await git(folder, "diff", ["HEAD"]);
    expect(diff).toMatchObject({ code: 0 });
    expect(diff.stdout).toContain("+two");
    expect(diff.stdout).toContain("+UPPER");
    const added = await git.newFilesPatch(folder, ["new.bin"]);
    expect(added.stdout).toContain("+new");
    expect(added.stderr).toContain('filter "bad" failed');
  },
);
