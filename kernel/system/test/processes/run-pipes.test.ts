import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { createDeadline } from "@gantry/system/shutdown/deadline";
import { createTestRun, readPids, SHELL } from "../support/processes.ts";

describe("further pipes of a program", () => {
  test("carry data in both directions independently", async () => {
    const { run } = await createTestRun();
    const child = await run(
      SHELL,
      ["-c", 'read line <&3; echo "got $line" >&4; echo same >&3; cat >&2'],
      { pipes: 2 },
    );
    const [first, second] = child.pipes;
    first?.write("it\n");
    const [answer] = (await once(second!, "data")) as [Buffer];
    expect(String(answer)).toBe("got it\n");
    const [echo] = (await once(first!, "data")) as [Buffer];
    expect(String(echo)).toBe("same\n");
    expect(child.pipes).toHaveLength(2);
    await child.kill();
  });

  test("end when the daemon closes its side, which ends a program that reads one", async () => {
    const { run } = await createTestRun();
    const child = await run(SHELL, ["-c", "cat <&3 >/dev/null; exit 7"], {
      pipes: 1,
    });
    expect(await child.end()).toMatchObject({ code: 7 });
  });

  test("end with the plugin", async () => {
    const { run } = await createTestRun();
    const child = await run(SHELL, ["-c", "cat <&3 >/dev/null"], { pipes: 1 });
    const closed = once(child.pipes[0]!.resume(), "close");
    await run.endAll(createDeadline(30_000));
    await closed;
  });

  test("of a program that has ended can be written to without an error", async () => {
    const { run } = await createTestRun();
    const child = await run(SHELL, ["-c", "exec 3<&-; echo 1; sleep 1000"], {
      pipes: 1,
    });
    await readPids(child.stdout, 1);
    const pipe = child.pipes[0]!;
    // It may have been closed before it is written to.
    const closed = new Promise<void>((resolve) => {
      if (pipe.closed) resolve();
      else pipe.on("close", resolve);
    });
    pipe.resume().write("x".repeat(1_000_000));
    await closed;
    await child.kill();
  });

  test("are none unless asked for, and no more than 8", async () => {
    const { run, folder } = await createTestRun();
    const child = await run("/bin/true", []);
    expect(child.pipes).toEqual([]);
    await child.exited;
    for (const pipes of [-1, 0.5, 9])
      await expect(run("/bin/true", [], { pipes })).rejects.toThrow(TypeError);
    expect(await readdir(folder)).toEqual([]);
  });
});
