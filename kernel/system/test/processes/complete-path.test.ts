import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeEach, expect, test } from "vitest";
import { completePath } from "@gantry/system/processes/complete-path";
import { temporaryFolder } from "@gantry/build/testing";

let home: string;
beforeEach(async () => {
  home = await temporaryFolder();
});

async function complete(
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const completed = { HOME: home, PATH: "/usr/bin:/bin", ...environment };
  await completePath(completed);
  return completed.PATH?.replaceAll(home, "~");
}

test("an environment of a shell keeps its order, and gets what installers use", async () => {
  await mkdir(join(home, ".local/bin"), { recursive: true });
  const path = (await complete({ SHLVL: "1" }))!.split(":");
  expect(path.slice(0, 2)).toEqual(["/usr/bin", "/bin"]);
  expect(path).toContain("~/.local/bin");
  expect(path).not.toContain("~/.cargo/bin");
  await writeFile(
    join(home, ".profile"),
    'export PATH="/from/profile:$PATH"\n',
  );
  expect(await complete({ SHLVL: "1", SHELL: "/bin/bash" })).not.toContain(
    "/from/profile",
  );
});

test("an environment of a service manager gets the PATH of the login shell", async () => {
  await writeFile(
    join(home, ".bash_profile"),
    'echo noise; export PATH="/from/profile:relative:$PATH"\n. ~/.bashrc\n',
  );
  await writeFile(
    join(home, ".bashrc"),
    'case $- in *i*) ;; *) return;; esac\nPATH="/from/rc:$PATH"\n',
  );
  const path = await complete({ SHELL: "/bin/bash", PATH: "/own:/bin" });
  // The system's own start files may set it again in between.
  expect(path).toMatch(/^\/own:\/from\/rc:\/from\/profile:/);
  expect(path).not.toMatch(/relative|noise/);
});

test("a shell that is missing, fails or says nothing changes nothing", async () => {
  const shell = join(home, "shell");
  const expected = await complete({ SHLVL: "1" });
  expect(await complete({ SHELL: shell })).toBe(expected);
  for (const script of ["exit 1", "echo '<gantry-path>/half'", "kill -9 $$"]) {
    await writeFile(shell, `#!/bin/sh\n${script}\n`);
    await chmod(shell, 0o755);
    expect(await complete({ SHELL: shell }), script).toBe(expected);
  }
});

test("what start files leave in the background is not waited for", async () => {
  await writeFile(join(home, ".profile"), "sleep 1000 &\n");
  expect(await complete({ SHELL: "/bin/sh" })).toContain("/usr/bin");
});

// It waits for the limit.
test("a shell that never ends is ended", { tags: ["thorough"] }, async () => {
  const shell = join(home, "shell");
  await writeFile(shell, "#!/bin/sh\nsleep 1000\n");
  await chmod(shell, 0o755);
  expect(await complete({ SHELL: shell })).toContain("/usr/bin");
});

test.each([undefined, "", "relative"])("a home %j is none", async (HOME) => {
  expect(await complete({ HOME })).toBe("/usr/bin:/bin");
});
