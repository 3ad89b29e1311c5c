import { execFile } from "node:child_process";
import {
  chmod,
  mkdir,
  mkdtemp,
  rm,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createGitRepository } from "../../support/git-repository.ts";
import type { World } from "./world.ts";

/** An agent in a folder full of traps, beside what must not be reached from there. */
export interface Traps {
  agentId: string;
  /** Where the folder and what is beside it are. */
  outer: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Creates the traps. */
export async function createTraps(world: World): Promise<Traps> {
  // Not where every row looks whether files have changed: one of these has 10 GB.
  const outer = await mkdtemp(join(tmpdir(), "gantry-traps-"));
  const app = await createGitRepository(join(outer, "app"));
  const trap = (name: string) => join(app, "traps", name);
  await mkdir(trap(""));
  await mkdir(join(outer, "app-secret"));
  await writeFile(join(outer, "app-secret", "x"), SECRET);
  const links = {
    passwd: "/etc/passwd",
    sibling: join(outer, "app-secret"),
    home: world.daemon.home,
    dangling: join(outer, "nowhere"),
    round: "round",
    chain0: "/etc/passwd",
    git: "../.git",
  };
  for (const [name, target] of Object.entries(links))
    await symlink(target, trap(name));
  for (let count = 1; count < 50; count++)
    await symlink(`chain${count - 1}`, trap(`chain${count}`));
  await promisify(execFile)("mkfifo", [trap("pipe")]);
  await writeFile(trap("huge"), "");
  await truncate(trap("huge"), 10 * 1024 ** 3);
  await writeFile(trap("read-only.txt"), "kept");
  await chmod(trap("read-only.txt"), 0o444);
  await writeFile(trap("ten.txt"), "0123456789");
  for (const name of PAGES) await writeFile(trap(name), PAGE);
  const { body } = await world.api.call<{ id: string }>("POST", "/api/agents", {
    name: "Trapper",
    cwd: app,
  });
  return {
    agentId: body.id,
    outer,
    async [Symbol.asyncDispose]() {
      await world.api.call("DELETE", `/api/agents/${body.id}`, {});
      await rm(outer, { recursive: true, force: true });
    },
  };
}

/** What is beside the folder. */
export const SECRET = "canary-of-a-sibling";
const PAGE = `GIF89a/*<html><script>document.title=window.__xss="canary"</script><svg xmlns="http://www.w3.org/2000/svg" onload="__xss=1"/>*/`;
/** A name that would add a header. */
export const ODD_NAME = 'a"\r\nSet-Cookie: x=1.txt';
/** Files that would be pages of the site that serves them. */
export const PAGES = [
  "x.html",
  "x.svg",
  "x.xml",
  "x.pdf",
  "x.js",
  "x",
  "x.gif",
  ODD_NAME,
];
