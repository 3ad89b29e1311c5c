import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { endProcessTree } from "../../src/live/end-process-tree.ts";
import {
  identifyProcess,
  isTreeAlive,
} from "../../src/live/process-identity.ts";
import { createRealClock } from "../help/real-clock.ts";
import { temporaryFolder } from "../help/temporary.ts";

test(
  "what starts the next of its kind and ends, all the time, is ended too",
  { tags: "thorough" },
  async () => {
    const folder = await temporaryFolder();
    const script = join(folder, "relay");
    await writeFile(
      script,
      `trap "" HUP TERM\n[ -e stop ] || sh "$0" relay &\n[ "$1" ] || read line\n`,
    );
    onTestFinished(() => writeFile(join(folder, "stop"), ""));
    const child = spawn("/bin/sh", [script], { cwd: folder, detached: true });
    const identity = await identifyProcess(child.pid ?? 0);
    // Whichever runs has it open.
    const ended = once(child.stdout.resume(), "end");
    child.stdin.end();
    await once(child, "exit");
    await endProcessTree(identity, createRealClock());
    expect(await isTreeAlive(identity)).toBe(false);
    await ended;
  },
);
