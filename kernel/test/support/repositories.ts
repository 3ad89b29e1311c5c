import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "./temporary.ts";

const execute = promisify(execFile);

/** Runs git as anybody would, with nobody's settings but the repository's. */
export async function plainGit(
  folder: string,
  ...args: readonly string[]
): Promise<string> {
  const { stdout } = await execute("git", args, {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: "/nonexistent",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "Ann",
      GIT_AUTHOR_EMAIL: "ann@example.org",
      GIT_COMMITTER_NAME: "Ann",
      GIT_COMMITTER_EMAIL: "ann@example.org",
    },
  });
  return stdout;
}

/** A repository with two commits and a change that is in none. */
export async function createRepository(): Promise<string> {
  const folder = join(await temporaryFolder(), "work");
  await mkdir(folder);
  await plainGit(folder, "init", "-q", "-b", "main");
  await writeFile(join(folder, "a.txt"), "one\n");
  await plainGit(folder, "add", ".");
  await plainGit(folder, "commit", "-qm", "One");
  await writeFile(join(folder, "a.txt"), "two\n");
  await plainGit(folder, "commit", "-qam", "Two");
  await writeFile(join(folder, "a.txt"), "three\n");
  return folder;
}

/** A repository that asks for a program of its own wherever it can. */
export interface HostileRepository {
  folder: string;
  /** Names of the programs that ran. */
  ran(): Promise<string[]>;
}

/** Makes one; each program leaves a file behind when it runs. */
export async function createHostileRepository(): Promise<HostileRepository> {
  const folder = await createRepository();
  const traces = join(folder, "..", "traces");
  const programs = join(folder, "..", "programs");
  await mkdir(traces);
  await mkdir(programs);
  const program = async (name: string): Promise<string> => {
    const path = join(programs, name);
    await writeFile(path, `#!/bin/sh\n: > ${traces}/${name}\n`);
    await chmod(path, 0o755);
    return path;
  };
  const settings: Record<string, string> = {
    "core.fsmonitor": await program("fsmonitor"),
    "core.hooksPath": programs,
    "core.pager": await program("pager"),
    "core.sshCommand": await program("ssh"),
    "core.askPass": await program("askpass"),
    "diff.external": await program("external"),
    "diff.odd.command": await program("command"),
    "diff.odd.textconv": await program("textconv"),
    "filter.odd=name.clean": await program("clean"),
    "filter.odd=name.smudge": await program("smudge"),
    "filter.odd=name.required": "true",
    "filter.long.process": await program("process"),
    "gpg.program": await program("gpg"),
    "gpg.ssh.program": await program("gpg-ssh"),
    "log.showSignature": "true",
    "interactive.diffFilter": await program("interactive"),
    "credential.helper": await program("credential"),
    "alias.status": `!${await program("alias")}`,
  };
  await program("post-index-change");
  for (const [key, value] of Object.entries(settings))
    await plainGit(folder, "config", "--local", key, value);
  await writeFile(
    join(folder, ".gitattributes"),
    "*.txt diff=odd filter=odd=name\n*.long filter=long\n",
  );
  await writeFile(join(folder, "b.long"), "long\n");
  return { folder, ran: () => readdir(traces) };
}
